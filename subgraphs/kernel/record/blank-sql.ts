import type { Column } from './column.ts'

const types: Partial<Record<Column['kind'], string>> = {
  money: 'numeric',
  date: 'date',
  timestamp: 'timestamptz',
  boolean: 'boolean',
}

/** SQL of no value of the kind. */
export const noValueSql = ({ kind }: Pick<Column, 'kind'>): string => `null::${types[kind] ?? 'text'}`

/** SQL of a field of the kind without a value: a boolean is false. */
export const blankSql = ({ kind }: Pick<Column, 'kind'>): string =>
  kind === 'boolean' ? 'false' : noValueSql({ kind })

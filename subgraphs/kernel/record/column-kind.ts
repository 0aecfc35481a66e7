import { isExactNumber, plainDigits, textOfNumber } from '../json/exact-number.ts'
import { isId } from '../ids.ts'
import { isStorable, normalizeTimestamp } from './scalars.ts'

export type ColumnKind =
  'id' | 'text' | 'integer' | 'number' | 'money' | 'boolean' | 'timestamp' | 'date' | 'json' | 'enum' | 'textList'

/** Properties that all columns of one kind share: columns of a table and custom fields. */
export interface ColumnKindProperties {
  /** The PostgreSQL type of a table column of this kind. */
  readonly databaseType: string
  readonly databaseDefault?: string
  /** The PostgreSQL type of a list of values in a comparison (`in`, `notIn`). */
  readonly listType: string
  /** The cast of a single value in a comparison; needed where PostgreSQL would infer a type that is too narrow. */
  readonly operandCast: string
  /** The filter operators that this kind supports. */
  readonly operators: readonly string[]
  readonly isSortable: boolean
  /** Converts a value to the canonical form that is stored and compared; undefined when the value is not of this kind. */
  readonly parse: (value: unknown) => unknown
}

const equality = ['eq', 'ne', 'in', 'notIn'] as const
const inequality = ['gt', 'gte', 'lt', 'lte'] as const
const ordered = [...equality, ...inequality, 'isNull'] as const

const sortable = { operandCast: '', isSortable: true } as const
const unsortable = { operandCast: '', operators: [], isSortable: false, listType: 'text[]' } as const

const parseText = (value: unknown): unknown => (typeof value === 'string' && isStorable(value) ? value : undefined)

const parseTimestamp = (value: unknown): unknown =>
  typeof value === 'string' ? (normalizeTimestamp(value) ?? undefined) : undefined

const parseDate = (value: unknown): unknown =>
  typeof value === 'string' && value.length === 10 && normalizeTimestamp(value) !== null ? value : undefined

const parseInteger = (value: unknown): unknown =>
  Number.isInteger(value) && (value as number) >= -(2 ** 31) && (value as number) < 2 ** 31 ? value : undefined

const parseDecimal = (value: unknown): unknown =>
  isExactNumber(value) && plainDigits(textOfNumber(value)) !== null ? value : undefined

const parseTextList = (value: unknown): unknown =>
  Array.isArray(value) && value.every((item) => parseText(item) !== undefined) ? value : undefined

export const columnKinds: Readonly<Record<ColumnKind, ColumnKindProperties>> = {
  id: {
    ...sortable,
    databaseType: 'uuid',
    listType: 'uuid[]',
    operators: [...equality, 'isNull'],
    parse: (value) => (isId(value) ? value : undefined),
  },
  text: {
    ...sortable,
    databaseType: 'text',
    listType: 'text[]',
    operators: [...equality, 'contains', 'startsWith', 'endsWith', 'isNull'],
    parse: parseText,
  },
  enum: {
    ...sortable,
    databaseType: 'text',
    listType: 'text[]',
    operators: [...equality, 'isNull'],
    parse: parseText,
  },
  integer: { ...sortable, databaseType: 'integer', listType: 'int[]', operators: ordered, parse: parseInteger },
  number: {
    ...sortable,
    databaseType: 'double precision',
    listType: 'float8[]',
    operandCast: '::float8',
    operators: ordered,
    parse: (value) => (Number.isFinite(value) ? value : undefined),
  },
  money: { ...sortable, databaseType: 'numeric', listType: 'numeric[]', operators: ordered, parse: parseDecimal },
  boolean: {
    ...sortable,
    databaseType: 'boolean',
    databaseDefault: 'false',
    listType: 'boolean[]',
    operators: ['eq', 'ne', 'isNull'],
    parse: (value) => (typeof value === 'boolean' ? value : undefined),
  },
  timestamp: {
    ...sortable,
    databaseType: 'timestamptz(3)',
    listType: 'timestamptz[]',
    operators: ordered,
    parse: parseTimestamp,
  },
  date: { ...sortable, databaseType: 'date', listType: 'date[]', operators: ordered, parse: parseDate },
  textList: {
    ...unsortable,
    databaseType: 'text[]',
    databaseDefault: "'{}'",
    operators: ['has', 'hasAny', 'hasAll', 'isEmpty'],
    parse: parseTextList,
  },
  json: { ...unsortable, databaseType: 'jsonb', parse: (value) => value },
}

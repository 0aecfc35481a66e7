import { readFileSync } from 'node:fs'

/** Fields of a record, in the order of REST responses; an object with parts is one field. */
export function recordFieldsOf(area: string, object: string): readonly string[] {
  const file = readFileSync(new URL(`../../schema/rest/${area}/standard/fragments.graphql`, import.meta.url), 'utf8')
  const from = file.indexOf('{', file.indexOf(`fragment ${object}Fields`))
  const selection = file.slice(from + 1, file.indexOf('\n}', from)).replaceAll(/\{[^{}]*\}/g, '')
  return [...selection.trim().split(/\s+/), 'customFields']
}

/** Fields of an account, in the order of REST responses. */
export const accountFields: readonly string[] = recordFieldsOf('accounts', 'account')

/** Fields of a case that the nested query selects. */
export const caseFields = ['id', 'caseNumber', 'subject', 'status', 'priority', 'createdAt'] as const

/** Fields of an account that the nested query selects. */
export const nestedAccountFields = [
  'id',
  'name',
  'type',
  'industry',
  'accountStatus',
  'annualRevenue',
  'createdAt',
] as const

const columnOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const selectOf = (fields: readonly string[], alias: string): string =>
  fields.map((field) => `${alias}.${columnOf(field)} as "${field}"`).join(', ')

export const columnsOf = (fields: readonly string[]): string => fields.map(columnOf).join(', ')

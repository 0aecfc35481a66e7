import { readFileSync } from 'node:fs'

const fragment = readFileSync(new URL('../../schema/rest/accounts/standard/fragments.graphql', import.meta.url), 'utf8')

/** Fields of an account, in the order of REST responses. */
export const accountFields: readonly string[] = [
  ...fragment
    .slice(fragment.indexOf('{') + 1, fragment.indexOf('}'))
    .trim()
    .split(/\s+/),
  'customFields',
]

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

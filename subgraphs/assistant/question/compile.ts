import { enumerationOf } from '../../kernel/record/column.ts'
import { columnOf, hasColumn, type RecordShape } from '../../kernel/record/definition.ts'
import { moneyFields, namesOf, shownOf, type Condition } from './question.ts'

export interface Compiled {
  readonly document: string
  readonly variables: Readonly<Record<string, unknown>>
}

export type Filter = Readonly<Record<string, unknown>>

const typeOf = ({ entity }: RecordShape): string => (entity as { name: string }).name
const fieldOf = (shape: RecordShape): string => {
  const type = typeOf(shape)
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}`
}

export const filterOf = (conditions: readonly Condition[]): Filter | null =>
  conditions.length === 0
    ? null
    : { and: conditions.map(({ field, operator, value }) => ({ [field]: { [operator]: value } })) }

/** What is selected of a record: its names, what is shown, and further fields with the currency that they need. */
export function selectionOf(shape: RecordShape, ...more: readonly (string | null | undefined)[]): string {
  const wanted = [
    ...(namesOf[shape.object] ?? []),
    ...(shownOf[shape.object] ?? []),
    ...more.filter((name) => name != null),
  ]
  const fields = new Set(wanted.filter((name) => hasColumn(shape, name)))
  if ([...fields].some((name) => moneyFields.has(name)) && hasColumn(shape, 'currency')) fields.add('currency')
  return ['id', ...fields].join(' ')
}

/** One list of a document with several; each has its own filter, page and order. */
export interface ListPart {
  readonly alias: string
  readonly shape: RecordShape
  readonly filter: Filter | null
  readonly search?: string
  readonly limit: number
  readonly page?: number
  readonly order?: { readonly field: string; readonly direction: 'ASC' | 'DESC' } | null
  readonly hasTotal?: boolean
  /** Without it, only the number of records. */
  readonly select?: string
}

/** A document with these lists. */
export function compileLists(parts: readonly ListPart[]): Compiled {
  const declared: string[] = []
  const variables: Record<string, unknown> = {}
  const fields = parts.map(
    ({ alias, shape, filter, search, limit, page = 1, order, hasTotal = true, select }, index) => {
      const args = [`limit: ${limit}`]
      if (page > 1) args.push(`page: ${page}`)
      if (filter) {
        declared.push(`$f${index}: ${typeOf(shape)}Filter`)
        variables[`f${index}`] = filter
        args.push(`filter: $f${index}`)
      }
      if (search !== undefined) {
        declared.push(`$s${index}: String`)
        variables[`s${index}`] = search
        args.push(`search: $s${index}`)
      }
      if (order) args.push(`orderBy: [{ field: ${order.field}, direction: ${order.direction} }]`)
      const selected = [hasTotal ? 'total' : '', select ? `data { ${select} }` : ''].join(' ')
      return `${alias}: ${fieldOf(shape)}List(${args.join(', ')}) { ${selected} }`
    },
  )
  const head = declared.length > 0 ? `query (${declared.join(', ')})` : 'query'
  return { document: `${head} { ${fields.join(' ')} }`, variables }
}

/** The values by which a field is grouped in one document of counts; null where the records must be read. */
export function valuesOf(shape: RecordShape, name: string): (string | boolean | null)[] | null {
  const column = columnOf(shape, name)
  const members = column.kind === 'enum' ? enumerationOf(column) : null
  if (!members && column.kind !== 'boolean') return null
  const values: (string | boolean | null)[] = members ? Object.keys(members) : [true, false]
  if (column.nullable) values.push(null)
  return values.length <= 18 ? values : null
}

export const recordDocument = (shape: RecordShape): string => {
  const owner = columnOf(shape, 'ownerId').user?.field
  return `query ($id: ID!) { record: ${fieldOf(shape)}(id: $id) { ${selectionOf(shape)} ${owner ? `${owner} { id name }` : ''} } }`
}

export const scoreDocument = `query ($id: ID!) {
  record: opportunity(id: $id) { id name }
  score: dealScore(dealId: $id) { score band winProbability factors { key label contribution gainIfFixed } }
}`

export const attainmentDocument = `query ($userId: ID) {
  list: quotaAttainment(userId: $userId, limit: 20) { data { quotaId userId period target currency closedWon attainmentPercent } }
}`

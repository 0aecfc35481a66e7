import {
  getNamedType,
  isAbstractType,
  isEnumType,
  isRequiredArgument,
  isScalarType,
  type GraphQLNamedType,
} from 'graphql'
import type { Column } from '../../../subgraphs/kernel/record/column.ts'
import { isNamedRecord } from '../../../subgraphs/kernel/record/named-records.ts'
import { filterOf, selectionOf } from '../standard-rest/documents.ts'
import { filteredApi } from '../standard-rest/record-api.ts'
import { fieldsOf, isPageType, type Input, type OperationApi } from './operation-api.ts'
import { areaOf, fragmentOf, shapeOf } from './rest-types.ts'

const countedParts: ReadonlySet<string> = new Set(['total', 'totalPages'])
const pageParts: ReadonlySet<string> = new Set(['page', 'limit', ...countedParts, 'hasMore', 'nextCursor'])

/** Whether pages of this type count all records, so that a caller can leave the numbers out. */
const isCounted = (type: GraphQLNamedType): boolean => fieldsOf(type).some(({ name }) => name === 'total')

/** The columns of a record without standard operations that REST answers. */
export const answeredColumns = (columns: readonly Column[], omits: readonly string[], path = ''): Column[] =>
  columns.filter(({ name }) => name !== 'organizationId' && !omits.includes(path + name))

/** The fields of a type that is no record: all of them but the records that its ids name, edges to users or to several record types, and those with required arguments. */
export const answeredFields = (type: GraphQLNamedType, omits: readonly string[], path = '') => {
  const isRecord = isNamedRecord(fieldsOf(type))
  return fieldsOf(type).filter(
    (field) =>
      getNamedType(field.type).name !== 'User' &&
      !isRecord(field.name) &&
      !isAbstractType(getNamedType(field.type)) &&
      !field.args.some(isRequiredArgument) &&
      !omits.includes(path + field.name),
  )
}

function selection(type: GraphQLNamedType, omits: readonly string[], path: string, above: readonly string[]): string {
  if (isScalarType(type) || isEnumType(type)) return ''
  const area = areaOf(type.name)
  if (area)
    return `{ ...${fragmentOf(area)} ${area.definition.columns.byName.has('customFields') ? 'customFields' : ''} }`
  const shape = shapeOf(type.name)
  if (shape) return `{ ${answeredColumns(shape.columns.shown, omits, path).map(selectionOf).join(' ')} }`
  if (above.includes(type.name))
    throw new Error(
      `${type.name} contains itself: name the field in \`omits\` at which the answer ends, such as ${path.slice(0, -1)}.`,
    )
  const isPage = path === '' && isPageType(type)
  const parts = answeredFields(type, omits, path).map((field) => {
    const { name } = field
    if (isPage && pageParts.has(name)) return countedParts.has(name) ? `${name} @include(if: $includeTotal)` : name
    const inner = selection(getNamedType(field.type), omits, `${path}${name}.`, [...above, type.name])
    return `${name} ${inner}`
  })
  return `{ ${parts.join(' ')} }`
}

/** Arguments as text; parts of one argument are collected into one object. */
function argumentsOf(inputs: readonly { readonly name: string; readonly target: readonly string[] }[]): string {
  const groups = Object.entries(Object.groupBy(inputs, ({ target }) => target[0]!))
  return groups
    .map(([argument, parts = []]) => {
      const isWhole = parts.some(({ target }) => target.length === 1)
      const below = parts.map(({ name, target }) => ({ name, target: target.slice(1) }))
      return `${argument}: ${isWhole ? `$${parts[0]!.name}` : `{ ${argumentsOf(below)} }`}`
    })
    .join(', ')
}

const variableOf = ({ name, type, element }: Input): string =>
  `$${name}: ${element.defaultValue === undefined ? String(type) : String(type).replace(/!$/, '')}`

/** The stored document of a declared operation, which selects the whole answer. */
export function documentOf({ declared, root, field, inputs, answer, isPage }: OperationApi): string {
  const total = isPage && isCounted(answer) ? ['$includeTotal: Boolean! = true'] : []
  const filter = declared.filteredAs && filterOf(filteredApi(declared.filteredAs))
  const variables = [...inputs.map(variableOf), ...(filter?.variables ?? []), ...total].join(', ')
  const given = [argumentsOf(inputs), filter?.argument ?? ''].filter(Boolean).join(', ')
  const selected = declared.status === 204 ? '' : selection(answer, declared.omits ?? [], '', [])
  return `${root} ${declared.id}${variables && `(${variables})`} {
    result: ${field.name}${given && `(${given})`} ${selected}
  }`
}

import type { ConstDirectiveNode, GraphQLSchema } from 'graphql'
import type { LoadedSupergraph } from '../../../gateway/graph/supergraph.ts'
import type { Column } from '../../../subgraphs/kernel/record/column.ts'
import type { RecordShape } from '../../../subgraphs/kernel/record/definition.ts'
import { withArticle } from '../../../subgraphs/kernel/record/article.ts'
import { pluralOf } from '../../../subgraphs/kernel/record/describe.ts'
import type { RestArea } from '../../../subgraphs/kernel/record/rest-area.ts'
import { requirementIn } from '../../../subgraphs/kernel/subgraph/describe-schema.ts'
import { prefixOf, typeOf } from '../../rest-areas.ts'
import { relationsOf, type Relation } from './relations.ts'

/** The suffixes of the graph operations that REST serves in the same way for every record type. */
export const standardOperations = [
  '',
  'List',
  'ListDeleted',
  'Stats',
  'Aggregate',
  'Create',
  'Update',
  'Replace',
  'Delete',
  'Restore',
  'BulkUpdate',
  'BulkDelete',
  'ByKey',
  'Upsert',
  'BulkUpsert',
] as const
export type StandardOperation = (typeof standardOperations)[number]

/** A record type with the names that its REST contract uses. */
export interface RecordApi {
  readonly area: RestArea
  readonly definition: RecordShape
  /** The type name, `Product`, and the prefix of its operation names, `product`. */
  readonly type: string
  readonly prefix: string
  /** The type in sentences: `product`, `a product`, `products`, `Products`. */
  readonly one: string
  readonly aOne: string
  readonly many: string
  readonly Many: string
  /** Text after the plural if callers see only some of the records, otherwise empty. */
  readonly visibilityClause: string
  /** Description of the type in the graph. */
  readonly description: string
  /** The columns of the graph, in the order of REST responses. */
  readonly columns: readonly Column[]
  /** Columns that other record types do not have. */
  readonly ownColumns: readonly Column[]
  readonly schema: GraphQLSchema
  /** The related records that a read can add. */
  readonly relations: readonly Relation[]
  has(column: string): boolean
  offers(operation: StandardOperation): boolean
  scopesOf(operation: StandardOperation): readonly string[]
  /** Whether the operation has the argument `expectedVersion`. */
  takesVersion(operation: StandardOperation): boolean
  /** Whether the operation has the argument `asOf`. */
  takesTime(operation: StandardOperation): boolean
  /** Whether the operation has the filter of the list. */
  takesFilter(operation: StandardOperation): boolean
}

/** What the filters of a list are printed from. */
export type FilteredApi = Pick<RecordApi, 'area' | 'definition' | 'many' | 'has'>

const first = ['id', 'organizationId', 'ownerId']
const last = [
  'tags',
  'externalId',
  'metadata',
  'customFields',
  'version',
  'createdAt',
  'updatedAt',
  'createdById',
  'updatedById',
  'deletedAt',
]

/** First the identifying columns, then the columns of the type, then the columns that every record has. */
function inReadingOrder(columns: readonly Column[]): Column[] {
  const named = (names: readonly string[]): Column[] =>
    names.flatMap((name) => columns.find((column) => column.name === name) ?? [])
  const own = columns.filter(({ name }) => !first.includes(name) && !last.includes(name))
  return [...named(first), ...own, ...named(last)]
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const scopesIn = (directives?: readonly ConstDirectiveNode[]): string[] => (requirementIn(directives) ?? []).flat()

export function filteredApi(area: RestArea): FilteredApi {
  const { definition, path, within } = area
  const one = definition.object.replaceAll('_', ' ')
  return {
    area,
    definition,
    many: area.many ?? (within ? pluralOf(one) : path.split('/').at(-1)!.replaceAll('-', ' ')),
    has: (name) => definition.columns.shown.some((column) => column.name === name),
  }
}

export function recordApi(schema: GraphQLSchema, area: RestArea, graph: LoadedSupergraph): RecordApi {
  const filtered = filteredApi(area)
  const { definition, many } = filtered
  const type = typeOf(area)
  const prefix = prefixOf(area)
  const one = definition.object.replaceAll('_', ' ')
  const columns = inReadingOrder(definition.columns.shown)
  const isSeenByAll =
    definition.visibleBy.length === 0 &&
    !definition.visibleThrough &&
    !definition.visibleThroughRelated &&
    !definition.privateUnless
  const object = schema.getType(type)
  const mutations = schema.getMutationType()?.getFields() ?? {}
  const fields = { ...schema.getQueryType()?.getFields(), ...mutations }
  if (!object && !fields[`${prefix}Aggregate`]) throw new Error(`The graph must have a type ${type}.`)
  const fieldOf = (operation: StandardOperation) => fields[prefix + operation]
  return {
    ...filtered,
    type,
    prefix,
    one,
    aOne: withArticle(one),
    Many: upperFirst(many),
    visibilityClause: isSeenByAll ? '' : ' that the caller sees',
    description: object?.description ?? '',
    columns,
    ownColumns: columns.filter(({ name }) => ![...first, ...last].includes(name)),
    schema,
    relations: relationsOf(graph, type, prefix),
    offers: (operation) => fieldOf(operation) !== undefined,
    scopesOf(operation) {
      const own = requirementIn(fieldOf(operation)?.astNode?.directives as readonly ConstDirectiveNode[] | undefined)
      return own?.flat() ?? scopesIn(object?.astNode?.directives as readonly ConstDirectiveNode[] | undefined)
    },
    takesFilter: (operation) => fieldOf(operation)?.args.some(({ name }) => name === 'filter') ?? false,
    takesTime: (operation) => fieldOf(operation)?.args.some(({ name }) => name === 'asOf') ?? false,
    takesVersion: (operation) => fieldOf(operation)?.args.some(({ name }) => name === 'expectedVersion') ?? false,
  }
}

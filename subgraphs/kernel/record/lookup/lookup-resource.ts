import { Arg, Ctx, FieldResolver, Info, Int, Resolver, Root } from 'type-graphql'
import { invalid, type Refusal } from '../../errors.ts'
import { noteFields } from '../note-fields.ts'
import { isJsonObject } from '../../json/exact-number.ts'
import type { RequestContext } from '../../request.ts'
import { requireScopes } from '../../unmet-scopes.ts'
import type { Resource } from '../../subgraph/subgraph.ts'
import { customFieldName, customFieldsName } from '../custom-field-column.ts'
import { customObject, recordTypeIn } from '../custom-object.ts'
import { ValueArg } from '../declared-value.ts'
import type { RecordDefinition, RecordShape, StoredRow } from '../definition.ts'
import { fieldRules, isHidden } from '../field-security.ts'
import { pageSize } from '../list.ts'
import { orderOf } from '../order.ts'
import { readReference } from '../read.ts'
import { knownReadScope } from '../requires-scope.ts'
import { selectedFields, type SelectionInfo } from '../selection.ts'
import { shapeFor } from '../shape-source.ts'
import { refusalInSituation } from '../transitions.ts'
import { lookupTargets, referencedByName, relatedName, typesWithLookups } from './lookup.ts'
import { readReferencing } from './referencing-records.ts'
import { ReferencingRecordPage, RelatedRecord } from './related-record.ts'

type Row = Readonly<Record<string, unknown>>

/** The column that names the records of a type for people. */
const titleOf = ({ title, searchable }: RecordShape): string | undefined => title ?? searchable[0]

const selections = new WeakMap<RecordShape['columns']['shown'], Map<boolean, ReadonlySet<string>>>()

/** The columns that are read of a related record: all that the graph shows, or its name. One set for each type, because loaders are found by it. */
function columnsOf(shape: RecordShape, isWhole: boolean): ReadonlySet<string> {
  let known = selections.get(shape.columns.stored)
  if (!known) selections.set(shape.columns.stored, (known = new Map()))
  let selected = known.get(isWhole)
  if (!selected) {
    const title = titleOf(shape)
    selected = new Set(isWhole ? shape.columns.shown.map(({ name }) => name) : title ? ['id', title] : ['id'])
    known.set(isWhole, selected)
  }
  return selected
}

function unknownField(object: string, field: string): Refusal {
  return invalid({
    path: customFieldName(field),
    code: 'NOT_ALLOWED',
    message: `${field} is no field of the ${object} of the type LOOKUP or MASTER_DETAIL.`,
  })
}

/** The record that a lookup of a record names; null if there is none that the caller sees. */
async function relatedTo(
  ctx: RequestContext,
  builtIn: RecordShape,
  root: Row,
  field: string,
  info: SelectionInfo,
): Promise<RelatedRecord | null> {
  const shape = shapeFor(ctx, builtIn)
  const lookup = shape.columns.customFields.get(field)?.lookup
  if (!lookup) throw unknownField(shape.object, field)
  noteFields(ctx, shape, [field])
  const target = recordTypeIn(ctx, lookup.to)
  if (!target) return null
  const scope = knownReadScope(target.entity)
  if (scope !== null) requireScopes(ctx.caller, [[[scope]]])
  const values = root[customFieldsName]
  const id = isJsonObject(values) ? values[field] : null
  if (typeof id !== 'string') return null
  const isWhole = selectedFields(info).has('record')
  const record = await readReference(ctx, target, id, columnsOf(target, isWhole))
  return record && answered(ctx, target, record)
}

/** A record that was read, without what is hidden from the caller. */
function answered(ctx: RequestContext, shape: RecordShape, record: Row): RelatedRecord {
  const title = titleOf(shape)
  const name = title === undefined ? null : record[title]
  const hidden = fieldRules(ctx.caller, shapeFor(ctx, shape))?.hidden
  const readable = hidden
    ? Object.fromEntries(Object.entries(record).filter(([column]) => !hidden.has(column)))
    : record
  const id = record['id'] as string
  return { object: shape.object, id, name: typeof name === 'string' ? name : null, record: readable }
}

interface ReferencingArgs {
  readonly object: string
  readonly field: string
  readonly first: number
  readonly after: string | null
}

/** A page of the records of a type whose lookup names a record, as far as the caller sees them; none if the caller does not see the field. */
async function referencing(
  ctx: RequestContext,
  named: RecordShape,
  id: string,
  { object, field, first, after }: ReferencingArgs,
  info: SelectionInfo,
): Promise<ReferencingRecordPage> {
  const builtIn = recordTypeIn(ctx, object)
  const shape = builtIn && shapeFor(ctx, builtIn)
  const column = shape?.columns.customFields.get(field)
  if (!shape || column?.lookup?.to !== named.object)
    throw invalid({
      path: customFieldName(field),
      code: 'NOT_ALLOWED',
      message: `${field} is no field of the type LOOKUP or MASTER_DETAIL of ${object} for records of the type ${named.object}.`,
    })
  const scope = knownReadScope(shape.entity)
  if (scope !== null) requireScopes(ctx.caller, [[[scope]]])
  if (!column.valueIndex?.isReady) throw refusalInSituation(`The index of ${field} is being built; try again later.`)
  noteFields(ctx, shape, [field])
  const page = { first: pageSize(first, 'first'), after }
  if (after !== null) orderOf(shape, null).validate(after, 'after')
  if (isHidden(ctx.caller, shape, column.name)) return { nodes: [], hasNextPage: false, endCursor: null }
  const selected = columnsOf(shape, selectedFields(info, ['nodes']).has('record'))
  const { nodes, pageInfo } = await readReferencing(ctx, shape, column, id, page, selected)
  const { hasNextPage, endCursor } = pageInfo
  return { nodes: nodes.map((row) => answered(ctx, shape, row)), hasNextPage, endCursor }
}

/** The record type of a record: that of its object, if the records of several custom objects are in one table. */
function shapeOf(ctx: RequestContext, definition: RecordShape, root: Row): RecordShape | null {
  const { objectColumn } = definition
  return objectColumn ? recordTypeIn(ctx, customObject(String(root[objectColumn]))) : definition
}

/** The field `related` of a record type: the records that its lookups name. */
function relatedResource<T extends StoredRow>(definition: RecordDefinition<T>): Resource {
  @Resolver(() => definition.entity)
  class RelatedResolver {
    @FieldResolver(() => RelatedRecord, {
      name: relatedName,
      nullable: true,
      description:
        'The record that a custom field of the type LOOKUP or MASTER_DETAIL names; null if the field has no value, or if the caller does not see the record or the field. Needs the READ scope of the type of that record. The records of all answered ones are read together.',
    })
    related(
      @Root() root: Row,
      @ValueArg('field', () => String, {
        max: 64,
        description: 'API name of the field. One that is neither in the record type is refused.',
        example: 'site',
      })
      field: string,
      @Ctx() ctx: RequestContext,
      @Info() info: SelectionInfo,
    ) {
      const shape = shapeOf(ctx, definition, root)
      return shape && relatedTo(ctx, shape, root, field, info)
    }
  }
  return { resolver: RelatedResolver, mentions: lookupTargets }
}

/** The field `referencedBy` of a record type: the records whose lookups name its records. */
export function referencedByResource<T extends StoredRow>(definition: RecordDefinition<T>): Resource {
  @Resolver(() => definition.entity)
  class ReferencedByResolver {
    @FieldResolver(() => ReferencingRecordPage, {
      name: referencedByName,
      nullable: true,
      description:
        'The live records of a type that the caller sees, and whose custom field of the type LOOKUP or MASTER_DETAIL names this record, newest first: the details of a master, for example. None if the caller does not see the field. Needs the READ scope of the type of the records. The records that name the answered ones are read together. INVALID_STATE while the index of a new field is built.',
    })
    referencedBy(
      @Root() root: Row,
      @ValueArg('object', () => String, {
        max: 70,
        description: 'Type of the records: `contact`, or `custom:` and the name of a custom object.',
        example: 'custom:site_visit',
      })
      object: string,
      @ValueArg('field', () => String, {
        max: 64,
        description: 'API name of their field. One that does not name records of this type is refused.',
        example: 'site',
      })
      field: string,
      @Ctx() ctx: RequestContext,
      @Info() info: SelectionInfo,
      @Arg('first', () => Int, { defaultValue: 20, description: 'Number of records, 1 to 100.' }) first: number,
      @Arg('after', () => String, { nullable: true, description: 'Cursor of the last record of the previous page.' })
      after?: string | null,
    ) {
      const shape = shapeOf(ctx, definition, root)
      return (
        shape && referencing(ctx, shape, root['id'] as string, { object, field, first, after: after ?? null }, info)
      )
    }
  }
  return { resolver: ReferencedByResolver, mentions: typesWithLookups }
}

/** Both fields of a record type that can have lookups. */
export const lookupResources = <T extends StoredRow>(definition: RecordDefinition<T>): Resource[] => [
  relatedResource(definition),
  referencedByResource(definition),
]

import { Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import { invalid, type Refusal } from '../../errors.ts'
import { isJsonObject } from '../../json/exact-number.ts'
import type { RequestContext } from '../../request.ts'
import { requireScopes } from '../../unmet-scopes.ts'
import type { Resource } from '../../subgraph/subgraph.ts'
import { customFieldName, customFieldsName } from '../custom-field-column.ts'
import { customObject, recordTypeIn } from '../custom-object.ts'
import { ValueArg } from '../declared-value.ts'
import type { RecordDefinition, RecordShape, StoredRow } from '../definition.ts'
import { fieldRules } from '../field-security.ts'
import { readReference } from '../read.ts'
import { knownReadScope } from '../requires-scope.ts'
import { selectedFields, type SelectionInfo } from '../selection.ts'
import { shapeFor } from '../shape-source.ts'
import { lookupTargets, relatedName } from './lookup.ts'
import { RelatedRecord } from './related-record.ts'

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
  const target = recordTypeIn(ctx, lookup.to)
  if (!target) return null
  const scope = knownReadScope(target.entity)
  if (scope !== null) requireScopes(ctx.caller, [[[scope]]])
  const values = root[customFieldsName]
  const id = isJsonObject(values) ? values[field] : null
  if (typeof id !== 'string') return null
  const isWhole = selectedFields(info).has('record')
  const record = await readReference(ctx, target, id, columnsOf(target, isWhole))
  const title = titleOf(target)
  const name = title === undefined ? null : record?.[title]
  if (!record) return null
  const hidden = fieldRules(ctx.caller, shapeFor(ctx, target))?.hidden
  const readable = hidden
    ? Object.fromEntries(Object.entries(record).filter(([column]) => !hidden.has(column)))
    : record
  return { object: target.object, id, name: typeof name === 'string' ? name : null, record: readable }
}

/** The field `related` of a record type: the records that its lookups name. */
export function lookupResource<T extends StoredRow>(definition: RecordDefinition<T>): Resource {
  @Resolver(() => definition.entity)
  class LookupResolver {
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
      const { objectColumn } = definition
      const shape = objectColumn ? recordTypeIn(ctx, customObject(String(root[objectColumn]))) : definition
      return shape && relatedTo(ctx, shape, root, field, info)
    }
  }
  return { resolver: LookupResolver, mentions: lookupTargets }
}

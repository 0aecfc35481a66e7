import { Ctx, Query, Resolver } from 'type-graphql'
import { Refusal } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { IdArg } from '../../kernel/record/args.ts'
import { customObject, customObjectScope, recordTypeIn } from '../../kernel/record/custom-object.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { TenantPredicate } from '../../kernel/record/predicate.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { referenceTo, type StreamedRecord } from '../record-change/record-change.ts'
import { Node } from './node.ts'

/** The query `node` for these record types, and for what the custom objects of organizations have in common. */
export function nodeResource(records: readonly StreamedRecord[], customRecord: RecordShape | null): Resource {
  const scopes = [...new Set([...records.map(({ scope }) => scope), ...(customRecord ? [customObjectScope] : [])])]

  @Resolver(() => Node)
  class NodeResolver {
    @Query(() => Node, {
      nullable: true,
      description:
        'The live record with this id, of whatever type. Null if there is none that the caller sees, and for a record of a type whose READ scope the credential lacks. Where clients have chosen one id for records of several types, it is one of them.',
    })
    @RequiresScopes(...scopes)
    async node(@IdArg() id: string, @Ctx() ctx: RequestContext) {
      if (!isId(id)) return null
      const lowerCase = id.toLowerCase()
      return (
        (await findRecord(ctx, records, lowerCase)) ??
        (customRecord && (await findCustomRecord(ctx, customRecord, lowerCase)))
      )
    }
  }
  return {
    resolver: NodeResolver,
    types: customRecord ? [referenceTo(customRecordType)] : [],
    mentions: records.map(({ shape }) => shape),
  }
}

/** The condition for records that the caller sees; null where every read is refused: by the plan, or by a profile. */
function visibleTo(predicate: TenantPredicate, shape: RecordShape): string | null {
  try {
    return predicate.live(shape, 't')
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

interface Found {
  readonly __typename: string
  readonly id: string
}

/** One statement looks an id up in the tables of all types that the caller may read, one after another until it is found. */
async function findRecord(ctx: RequestContext, records: readonly StreamedRecord[], id: string): Promise<Found | null> {
  const predicate = new TenantPredicate(ctx.caller)
  const placeholder = predicate.values.add(id)
  const lookups = records.flatMap(({ shape: builtIn, scope }, index) => {
    const shape = shapeFor({ shapes: ctx.shapes }, builtIn)
    const condition = holdsScope(ctx.caller, scope) ? visibleTo(predicate, shape) : null
    return condition === null
      ? []
      : `(select ${index} as type from ${shape.table} t where t.id = ${placeholder} and ${condition})`
  })
  if (lookups.length === 0) return null
  const [row] = await ctx.db.query<{ type: number }>(`${lookups.join(' union all ')} limit 1`, predicate.values.list)
  const found = row && records[row.type]
  if (!found) return null
  ctx.answered?.record(found.shape, id)
  return { __typename: found.type, id }
}

const customRecordType = 'CustomRecord'

/** The record of a custom object, which its row names: each may have its own rules of who sees its records. */
async function findCustomRecord(ctx: RequestContext, { table }: RecordShape, id: string): Promise<Found | null> {
  const { caller, db, shapes } = ctx
  if (!shapes || shapes.customObjects.length === 0 || !holdsScope(caller, customObjectScope)) return null
  const [row] = await db.query<{ object: string }>(
    `select t.object from ${table} t where t.organization_id = $1 and t.id = $2 and t.deleted_at is null`,
    [caller.organizationId, id],
  )
  const shape = row ? recordTypeIn(ctx, customObject(row.object)) : null
  if (!shape || !(await visibleIds(ctx, shape, [id])).has(id)) return null
  ctx.answered?.record(shape, id)
  return { __typename: customRecordType, id }
}

import { Refusal } from '../errors.ts'
import { nameOf } from '../record/describe.ts'
import { isLive } from '../record/live-formulas.ts'
import { withComputed } from '../record/live-values.ts'
import type { Operation } from '../record/event-types.ts'
import type { RecordShape } from '../record/definition.ts'
import type { RequestContext } from '../request.ts'

type Fields = Readonly<Record<string, unknown>>

/** Throws 422 with every rule of the organization that the record breaks as it would be after the change. */
export async function refuseBrokenRules(
  ctx: RequestContext,
  definition: RecordShape,
  operation: Operation,
  next: Fields,
  previous: Fields | null,
): Promise<void> {
  const rules = ctx.extensions?.rulesFor(definition)
  if (!rules) return
  const named = rules.fieldsOf(operation)
  const { formulas, rollups } = definition.columns
  const live = [...formulas.filter(isLive), ...rollups].filter(({ key }) => named.has(key!))
  const records = previous ? [next, previous] : [next]
  const [after, before = null] = live.length > 0 ? await withComputed(ctx, definition, live, records) : records
  const errors = rules.problems(operation, after!, before, ctx.clock.now().getTime())
  const [first] = errors
  if (!first) return
  const several = `${errors.length} validation rules of your organization refuse the ${nameOf(definition)}.`
  throw new Refusal('VALIDATION_RULE_FAILED', errors.length === 1 ? first.message : several, { errors })
}

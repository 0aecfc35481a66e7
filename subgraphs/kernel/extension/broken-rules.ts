import { Refusal } from '../errors.ts'
import { nameOf } from '../record/describe.ts'
import type { Operation } from '../record/event-types.ts'
import type { RecordShape } from '../record/definition.ts'
import type { RequestContext } from '../request.ts'

type Fields = Readonly<Record<string, unknown>>

/** Throws 422 with every rule of the organization that the record breaks as it would be after the change. */
export function refuseBrokenRules(
  { extensions, clock }: RequestContext,
  definition: RecordShape,
  operation: Operation,
  next: Fields,
  previous: Fields | null,
): void {
  const rules = extensions?.rulesFor(definition)
  const errors = rules?.problems(operation, next, previous, clock.now().getTime()) ?? []
  const [first] = errors
  if (!first) return
  const several = `${errors.length} validation rules of your organization refuse the ${nameOf(definition)}.`
  throw new Refusal('VALIDATION_RULE_FAILED', errors.length === 1 ? first.message : several, { errors })
}

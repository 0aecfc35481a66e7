import { Refusal } from '../errors.ts'
import type { RequestContext } from '../request.ts'
import type { RecordShape } from './definition.ts'
import { isHidden } from './field-security.ts'
import { TenantPredicate, type Values } from './predicate.ts'

/**
 * The refusal of a value that another record already has. `matches` is the SQL condition for that record, with the alias `t`; its id is
 * part of the refusal if the caller sees it.
 */
export async function uniqueViolation(
  ctx: RequestContext,
  definition: RecordShape,
  name: string,
  matches: (values: Values) => string,
): Promise<Refusal> {
  if (isHidden(ctx.caller, definition, name))
    return new Refusal('UNIQUE_VIOLATION', `Another ${definition.object} already has a value that must be unique.`)
  const predicate = new TenantPredicate(ctx.caller)
  const [conflict] = await ctx.db.query<{ id: string }>(
    `select t.id from ${definition.table} t where ${matches(predicate.values)} and ${predicate.live(definition, 't')}`,
    predicate.values.list,
  )
  if (conflict) ctx.answered?.record(definition, conflict.id)
  const message = `Another ${definition.object} already has this ${name}.`
  return new Refusal('UNIQUE_VIOLATION', message, {
    errors: [{ path: name, code: 'NOT_UNIQUE', message, ...(conflict && { conflictingId: conflict.id }) }],
  })
}

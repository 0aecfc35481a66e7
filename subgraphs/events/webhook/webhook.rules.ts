import { requireRightToActAs } from '../../identity/public.ts'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { conditionsMax } from '../../kernel/condition/parse-conditions.ts'
import { eventProblems, type EventNames } from './event-names.ts'
import { refuseBadSelection } from './check-selection.ts'
import { selectionMax } from './selection.ts'
import { webhookConditionProblems } from './webhook-conditions.ts'
import { urlProblems } from './webhook-url.ts'
import type { WebhookContext } from './webhook.context.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { eventsMax, fieldsMax, urlMax, type Webhook } from './webhook.ts'

/** Values that a client sends. Null stands for the value of an empty field. */
export type WebhookInput = { [Name in keyof Webhook]?: Webhook[Name] | null }

/** Checks the given values that a column alone does not decide. An existing webhook keeps what a later rule would refuse. */
export async function webhookProblems(
  ctx: WebhookContext,
  names: EventNames,
  given: WebhookInput,
  previous: Webhook | null,
): Promise<FieldProblem[]> {
  const problems: FieldProblem[] = []
  if (typeof given.url === 'string' && given.url !== previous?.url)
    problems.push(...(await urlProblems(ctx.outbound, given.url)))
  if (given.events) problems.push(...(await eventProblems(ctx, names, given.events)))
  const events = given.events ?? previous?.events ?? []
  // A column of an object that is no longer subscribed to would never be compared.
  const fields = given.fields ?? (given.events ? (previous?.fields ?? []) : [])
  for (const [index, name] of fields.entries()) {
    if (names.hasColumn(events, name, ctx)) continue
    const message = `fields.${index} must be the name of a column of an object in events.`
    problems.push({ path: `fields.${index}`, code: 'UNKNOWN_FIELD', message })
  }
  const areConditionsChecked = given.conditions ?? given.logic ?? given.events
  if (areConditionsChecked) {
    const conditions = given.conditions ?? previous?.conditions ?? []
    const stated = { conditions, logic: given.logic ?? previous?.logic ?? 'AND' }
    problems.push(...webhookConditionProblems(ctx, names, events, stated))
  }
  return problems
}

/** Values that exceed the bounds of their columns are not looked at: `save` refuses them. */
const isWithinBounds = ({ url, events, fields, conditions, selection }: WebhookInput): boolean =>
  (url?.length ?? 0) <= urlMax &&
  (events?.length ?? 0) <= eventsMax &&
  (fields?.length ?? 0) <= fieldsMax &&
  (conditions?.length ?? 0) <= conditionsMax &&
  (selection?.length ?? 0) <= selectionMax

export async function refuseProblems(...checked: Parameters<typeof webhookProblems>): Promise<void> {
  if (!isWithinBounds(checked[2])) return
  const problems = await webhookProblems(...checked)
  if (problems.length > 0) throw invalid(...problems)
  const [ctx, names, given, previous] = checked
  const selection = given.selection === undefined ? previous?.selection : given.selection
  const isSelecting = typeof selection === 'string'
  // Another receiver gets what is selected, so the caller must be allowed to read it.
  const isChecked = typeof given.selection === 'string' || given.events || given.url
  if (isSelecting && isChecked) await refuseBadSelection(ctx, names, selection, given.events ?? previous?.events ?? [])
}

/**
 * A webhook sends what its owner sees, so whoever changes it gets the rights of its owner. Admins may turn a webhook of an owner off,
 * and delete it; and they may not make another owner the owner of a webhook.
 */
export async function requireRightToChange(
  ctx: WebhookContext,
  given: WebhookInput,
  previous: Webhook | null,
): Promise<void> {
  const isTurnedOff = given.isEnabled === false && Object.keys(given).length === 1
  if (previous && !isTurnedOff) await requireRightToActAs(ctx, previous.ownerId)
  if (given.ownerId) await requireRightToActAs(ctx, given.ownerId)
}

/** A webhook whose owner left, is deactivated or is no admin any longer delivers nothing, so it must not look as if it did. */
export function requireActiveOwner(given: WebhookInput, previous: Webhook): void {
  if (!previous.isPaused || !given.isEnabled || given.ownerId) return
  const message = 'The owner of the webhook is no active owner or admin; set ownerId to one in the same change.'
  throw refusalInSituation(message)
}

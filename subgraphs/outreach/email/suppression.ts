import { addressHolders, recordEmailRefusal } from '../../crm/public.ts'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { actorIdOf } from '../../kernel/context.ts'
import type { RequestContext } from '../../kernel/request.ts'

export type SuppressionReason = 'UNSUBSCRIBED' | 'BOUNCED' | 'COMPLAINED' | 'MANUAL'

interface Reason {
  readonly email: string
  readonly reason: string
}

/** Why no mail may be sent to these addresses: what contacts and leads say, then the suppression list. */
async function reasonsFor(ctx: RequestContext, emails: readonly string[]): Promise<Reason[]> {
  const [listed, holders] = await Promise.all([
    ctx.db.query<Reason & Record<string, unknown>>(
      'select email, reason from outreach.suppressed_address where organization_id = $1 and email = any($2)',
      [ctx.caller.organizationId, emails],
    ),
    addressHolders(ctx, emails),
  ])
  const said = holders.flatMap(({ email, refusal }) => (refusal ? [{ email, reason: refusal }] : []))
  return [...said, ...listed]
}

/** Why no mail may be sent to these addresses, by address: the suppression list, then what contacts and leads say. */
export async function suppressedAddresses(
  ctx: RequestContext,
  emails: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return new Map((await reasonsFor(ctx, emails)).map(({ email, reason }) => [email, reason]))
}

/** Who unsubscribes wants no advertising, but gets quotes, invoices and reminders. */
const ofAdvertising: ReadonlySet<string> = new Set(['UNSUBSCRIBED', 'OPTED_OUT'])

/** Why not even a mail about a quote or an invoice may be sent to an address; null if it may. */
export async function deliveryRefusal(ctx: RequestContext, email: string): Promise<string | null> {
  const reasons = (await reasonsFor(ctx, [email])).filter(({ reason }) => !ofAdvertising.has(reason))
  return reasons.at(-1)?.reason ?? null
}

/** Refuses such an address as the recipient `to`. */
export async function requireDeliverable(ctx: RequestContext, email: string): Promise<void> {
  const reason = await deliveryRefusal(ctx, email)
  if (reason === null) return
  const message = `to must be another address, because ${email} must not get mails (${reason}).`
  throw invalid({ path: 'to', code: 'SUPPRESSED', message, reason })
}

/** Refuses addresses that must not get mails, by the path of each. */
export async function refuseSuppressed(ctx: RequestContext, paths: ReadonlyMap<string, string>): Promise<void> {
  const suppressed = await suppressedAddresses(ctx, [...paths.keys()])
  const problems = [...suppressed].map(([email, reason]): FieldProblem => ({
    path: paths.get(email)!,
    code: 'SUPPRESSED',
    message: `${paths.get(email)} must not get mails (${reason}).`,
    reason,
  }))
  if (problems.length > 0) throw invalid(...problems)
}

/** Adds an address to the suppression list, and records the reason on its contacts and leads. Adding it again changes nothing. */
export async function suppress(
  ctx: RequestContext,
  email: string,
  reason: SuppressionReason,
  messageId: string | null,
): Promise<void> {
  await ctx.db.query(
    `insert into outreach.suppressed_address (organization_id, email, reason, message_id, created_at, created_by_id)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [ctx.caller.organizationId, email, reason, messageId, ctx.clock.now().toISOString(), actorIdOf(ctx.caller)],
  )
  if (reason !== 'MANUAL') await recordEmailRefusal(ctx, email, reason)
}

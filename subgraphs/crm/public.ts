import type { Reference } from '../kernel/record/definition.ts'
import { readReference, visibleIds } from '../kernel/record/read.ts'
import { recordsOf } from '../kernel/record/records-of.ts'
import { unrestricted, type RequestContext } from '../kernel/request.ts'
import { account } from './account/account.record.ts'
import { contact } from './contact/contact.record.ts'
import { lead } from './lead/lead.record.ts'
import { opportunity } from './opportunity/opportunity.record.ts'
import type { Opportunity } from './opportunity/opportunity.ts'

const emailOnly: ReadonlySet<string> = new Set(['email'])

/** Returns which of these accounts are live and visible to the caller. */
export const visibleAccounts: Reference = (ctx, ids) => visibleIds(ctx, account, ids)

/** Returns which of these contacts are live and visible to the caller. */
export const visibleContacts: Reference = (ctx, ids) => visibleIds(ctx, contact, ids)

/** Returns which of these leads are live and visible to the caller. */
export const visibleLeads: Reference = (ctx, ids) => visibleIds(ctx, lead, ids)

/** Returns which of these opportunities are live and visible to the caller. */
export const visibleOpportunities: Reference = (ctx, ids) => visibleIds(ctx, opportunity, ids)

/** The email of a contact that the caller sees; null without one, or if the caller's profile hides it. */
export async function contactEmail(ctx: RequestContext, id: string): Promise<string | null> {
  const found = await readReference(ctx, contact, id, emailOnly)
  return (found?.email as string | null | undefined) ?? null
}

const nameOnly: ReadonlySet<string> = new Set(['name'])

/** The names of those accounts that the caller sees. */
export async function accountNames(ctx: RequestContext, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(ids.map((id) => readReference(ctx, account, id, nameOnly)))
  return new Map(found.flatMap((row) => (row ? [[row.id as string, row.name as string] as const] : [])))
}

/**
 * Sets the amount and the lines of an opportunity if it is open. The caller changes a record from which the amount follows, so neither visibility nor
 * field security of the opportunity limits this.
 */
export async function setOpportunityAmount(
  ctx: RequestContext,
  id: string,
  values: Pick<Opportunity, 'amount' | 'currency' | 'lineItems'>,
): Promise<void> {
  const inner = unrestricted(ctx)
  const [open] = await inner.db.query(
    `select 1 from crm.opportunity where organization_id = $1 and id = $2 and deleted_at is null and not is_closed`,
    [ctx.caller.organizationId, id],
  )
  if (open) await recordsOf(opportunity).update(inner, id, values)
}

export { addresseeOf, type Addressee } from './addressee.ts'
export { createTask } from './task/system-task.ts'

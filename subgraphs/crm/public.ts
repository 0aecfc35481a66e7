import { notFound } from '../kernel/errors.ts'
import { isId } from '../kernel/ids.ts'
import type { Reference } from '../kernel/record/definition.ts'
import { readReference, visibleIds } from '../kernel/record/read.ts'
import { isHidden } from '../kernel/record/field-security.ts'
import { isOutOfSight } from '../kernel/record/out-of-sight.ts'
import { recordsOf } from '../kernel/record/records-of.ts'
import { notAnswered, unrestricted, type RequestContext, type Services } from '../kernel/request.ts'
import { parseEmail } from '../kernel/values/email-address.ts'
import { activity } from './activity/activity.record.ts'
import { account } from './account/account.record.ts'
import { contact } from './contact/contact.record.ts'
import { recordFilesOf, type RecordFiles } from './file/file-content.ts'
import { lead } from './lead/lead.record.ts'
import { opportunity } from './opportunity/opportunity.record.ts'
import type { Opportunity } from './opportunity/opportunity.ts'

const emailOnly: ReadonlySet<string> = new Set(['email'])

/** Returns which of these accounts are live and visible to the caller. */
export const visibleAccounts: Reference = (ctx, ids) => visibleIds(ctx, account, ids)

/** The id of a live account that the caller sees, as it is stored; refuses every other one as not found. */
export async function requireVisibleAccount(ctx: RequestContext, given: string): Promise<string> {
  const id = given.toLowerCase()
  if (!isId(id) || !(await visibleAccounts(ctx, [id])).has(id)) throw notFound('The account')
  return id
}

/** Returns which of these contacts are live and visible to the caller. */
export const visibleContacts: Reference = (ctx, ids) => visibleIds(ctx, contact, ids)

/** Returns which of these leads are live and visible to the caller. */
export const visibleLeads: Reference = (ctx, ids) => visibleIds(ctx, lead, ids)

/** Returns which of these opportunities are live and visible to the caller. */
export const visibleOpportunities: Reference = (ctx, ids) => visibleIds(ctx, opportunity, ids)

/** Whether an opportunity exists that the caller does not see. */
export const isOpportunityOutOfSight = (ctx: RequestContext, id: string): Promise<boolean> =>
  isOutOfSight(ctx, opportunity, id)

// The answers of other subgraphs contain none of the records that are read here for them.

/** The email of a contact that the caller sees, in its canonical form; null without one, or if the caller's profile hides it. */
export async function contactEmail(ctx: RequestContext, id: string): Promise<string | null> {
  const found = await readReference(notAnswered(ctx), contact, id, emailOnly)
  return found?.email ? parseEmail(found.email as string) : null
}

const emailAndName: ReadonlySet<string> = new Set(['email', 'name'])

/** The name of a contact that the caller sees, if it has this email; null if not, or if the caller's profile hides the name. */
export async function contactNameAt(ctx: RequestContext, id: string, email: string): Promise<string | null> {
  const found = await readReference(notAnswered(ctx), contact, id, emailAndName)
  const isHolder = found?.email && parseEmail(found.email as string) === email
  return isHolder ? ((found.name as string | undefined) ?? null) : null
}

/** Whether the caller sees a live contact. Calls of one operation share one statement. */
export const seesContact = async (ctx: RequestContext, id: string): Promise<boolean> =>
  (await readReference(notAnswered(ctx), contact, id, idOnly)) !== null

const idOnly: ReadonlySet<string> = new Set(['id'])
const nameOnly: ReadonlySet<string> = new Set(['name'])

/** What a lead says about how well it fits. */
export const leadFactNames = ['industry', 'numberOfEmployees', 'title', 'country', 'leadSource'] as const
export type LeadFact = (typeof leadFactNames)[number]
const leadFactSet: ReadonlySet<string> = new Set(leadFactNames)

/** The facts of a lead that the caller sees, without those that the profile hides; null if the caller does not see the lead. */
export async function leadFacts(
  ctx: RequestContext,
  id: string,
): Promise<Readonly<Partial<Record<LeadFact, string | number | null>>> | null> {
  const found = await readReference(notAnswered(ctx), lead, id, leadFactSet)
  const shown = leadFactNames.filter((name) => !isHidden(ctx.caller, lead, name))
  return found && Object.fromEntries(shown.map((name) => [name, found[name] as string | number | null]))
}

/** The names of those accounts that the caller sees. */
export async function accountNames(ctx: RequestContext, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const inner = notAnswered(ctx)
  const found = await Promise.all(ids.map((id) => readReference(inner, account, id, nameOnly)))
  return new Map(found.flatMap((row) => (row ? [[row.id as string, row.name as string] as const] : [])))
}

/**
 * Sets the amount and the lines of an opportunity if it is open. The caller changes a record from which the amount follows, so field security of the
 * opportunity does not limit this; whoever calls this has made sure that the caller sees the opportunity.
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

/** Whether a person may be written to at this address, and who has it. */
export interface AddressHolder {
  readonly email: string
  readonly object: 'contact' | 'lead'
  readonly id: string
  readonly accountId: string | null
  readonly ownerId: string | null
  /** Why the person must not be written to; null if nothing speaks against it. */
  readonly refusal: 'OPTED_OUT' | 'BOUNCED' | 'COMPLAINED' | 'UNSUBSCRIBED' | null
}

/** The live contacts and leads of the organization with these canonical addresses, whoever owns them; at most 20 for each address. */
export async function addressHolders(ctx: RequestContext, emails: readonly string[]): Promise<AddressHolder[]> {
  return ctx.db.query<AddressHolder>(
    `select wanted.email, found.* from unnest($2::text[]) as wanted (email) cross join lateral (
       (select 'contact' as object, id, account_id as "accountId", owner_id as "ownerId",
          case when email_status in ('BOUNCED', 'COMPLAINED', 'UNSUBSCRIBED') then email_status
            when email_opt_out then 'OPTED_OUT' end as refusal
        from crm.contact where organization_id = $1 and normalized_email = wanted.email and deleted_at is null
        order by created_at, id limit 10)
       union all
       (select 'lead', id, null, owner_id, case when email_opt_out then 'OPTED_OUT' end
        from crm.lead where organization_id = $1 and lower(btrim(email)) = wanted.email and deleted_at is null
        order by created_at, id limit 10)
     ) found`,
    [ctx.caller.organizationId, emails],
  )
}

/** Those of the canonical addresses that are the `email` of a contact or lead that the caller sees, with a profile that shows it. */
export async function visibleAddresses(ctx: RequestContext, emails: readonly string[]): Promise<ReadonlySet<string>> {
  const holders = await addressHolders(ctx, emails)
  const seen = async (object: AddressHolder['object'], visible: Reference) => {
    const of = holders.filter((holder) => holder.object === object)
    if (of.length === 0 || ctx.caller.fields?.[object]?.['email'] === 'HIDDEN') return []
    const ids = await visible(
      ctx,
      of.map(({ id }) => id),
    )
    return of.filter(({ id }) => ids.has(id)).map(({ email }) => email)
  }
  return new Set([...(await seen('contact', visibleContacts)), ...(await seen('lead', visibleLeads))])
}

/** Records on contacts and leads with this address that mails to it bounced, or that the person does not want any. */
export async function recordEmailRefusal(
  ctx: RequestContext,
  email: string,
  status: 'BOUNCED' | 'COMPLAINED' | 'UNSUBSCRIBED',
): Promise<void> {
  const inner = unrestricted(ctx)
  for (const { object, id, refusal } of await addressHolders(inner, [email])) {
    if (object === 'contact' && refusal !== status) await recordsOf(contact).update(inner, id, { emailStatus: status })
    if (object === 'lead' && status !== 'BOUNCED' && refusal === null)
      await recordsOf(lead).update(inner, id, { emailOptOut: true })
  }
}

/** The records that a mail concerns. */
export interface EmailLinks {
  readonly accountId: string | null
  readonly contactId: string | null
  readonly leadId: string | null
  readonly opportunityId: string | null
  readonly caseId: string | null
}

/** Logs a mail as an activity of these records, in the transaction of `ctx`. */
export async function logEmail(
  ctx: RequestContext,
  mail: EmailLinks & {
    readonly direction: 'INBOUND' | 'OUTBOUND'
    readonly subject: string
    readonly body: string
    readonly occurredAt: string
    readonly ownerId: string | null
    readonly actorId: string | null
  },
): Promise<void> {
  const { accountId, contactId, leadId, opportunityId, caseId } = mail
  if (!accountId && !contactId && !leadId && !opportunityId && !caseId) return
  await recordsOf(activity).create(
    unrestricted(ctx),
    {
      type: 'EMAIL',
      direction: mail.direction,
      subject: mail.subject.slice(0, 255),
      body: mail.body.slice(0, 2000),
      occurredAt: mail.occurredAt,
      ownerId: mail.ownerId,
      accountId,
      contactId,
      leadId,
      opportunityId,
      caseId,
      isAutomated: false,
    },
    { actorId: mail.actorId },
  )
}

/** The bytes of files, for the process that has the connection to the client. */
export const recordFiles = (services: Services): RecordFiles => recordFilesOf(services)

export {
  attachedFile,
  attachedFilesMax,
  filesTooLarge,
  requireAttachable,
  type AttachedFile,
} from './file/attached-files.ts'
export { keepReceived, receivedRoom, writeReceived, type ReceivedFile } from './file/received-files.ts'
export { addresseeOf, requireAddressee, seesAddressee, type Addressee } from './addressee.ts'
export { AccountType, ChurnRisk } from './account/account.enumerations.ts'
export { ActivityDirection, ActivityOutcome, ActivitySentiment } from './activity/activity.enumerations.ts'
export { TaskPriority } from './task/task.enumerations.ts'
export { readTimeline } from './timeline/read-timeline.ts'
export { cursorOf as timelineCursor } from './timeline/timeline-cursor.ts'
export { TimelineKind } from './timeline/timeline.types.ts'
export { createTask } from './task/system-task.ts'

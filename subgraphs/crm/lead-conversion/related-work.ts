import { withoutRowLimit } from '../../kernel/database/row-bytes.ts'
import { changeAll } from '../../kernel/record/change-all.ts'
import { unrestricted, type RequestContext } from '../../kernel/request.ts'
import { account } from '../account/account.record.ts'
import { activity } from '../activity/activity.record.ts'
import { contact } from '../contact/contact.record.ts'
import type { Lead } from '../lead/lead.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'
import type { RelatedRecord } from '../related-record/related-record.ts'
import { task } from '../task/task.record.ts'

/** The ids of the tasks and activities that concern a lead, live ones only, and of the other records that they concern. */
export interface RelatedWork {
  readonly tasks: readonly string[]
  readonly activities: readonly string[]
  readonly accounts: readonly string[]
  readonly contacts: readonly string[]
  readonly opportunities: readonly string[]
}

type Found = Pick<RelatedRecord, 'id' | 'accountId' | 'contactId' | 'opportunityId'>

const idsOf = (found: readonly Found[], name: keyof Found): string[] => [
  ...new Set(found.flatMap(({ [name]: id }) => id ?? [])),
]

/**
 * Finds the tasks and activities of a lead and locks them. Whoever changes one of them locks the lead afterwards, for its activity dates,
 * so a conversion must lock them before the lead. One that is added meanwhile stays with the lead, as one that is added after the conversion.
 */
export async function lockRelatedWork({ db, caller }: RequestContext, leadId: string): Promise<RelatedWork> {
  const lock = (table: string): string =>
    `select id, account_id as "accountId", contact_id as "contactId", opportunity_id as "opportunityId" from ${table}
     where organization_id = $1 and lead_id = $2 and deleted_at is null order by id for update`
  // The tasks are locked first, as the order of the parts is that of their evaluation.
  const all = await db.query<Found & { readonly isTask: boolean }>(
    `with task as materialized (${lock(task.table)}), activity as materialized (${lock(activity.table)})
     select true as "isTask", t.* from task t union all select false, a.* from activity a`,
    [caller.organizationId, leadId],
  )
  const tasks = all.filter(({ isTask }) => isTask)
  const activities = all.filter(({ isTask }) => !isTask)
  return {
    tasks: idsOf(tasks, 'id'),
    activities: idsOf(activities, 'id'),
    accounts: idsOf(all, 'accountId'),
    contacts: idsOf(all, 'contactId'),
    opportunities: idsOf(all, 'opportunityId'),
  }
}

/** The existing records that a conversion uses. */
export interface UsedRecords {
  readonly accountId: string | null
  readonly contactId: string | null
  readonly opportunityId: string | null
}

/**
 * Locks the records whose activity dates change with the tasks and activities, and those that the conversion fills: after the lead, then
 * accounts, contacts and opportunities, each in the order of their ids, as the activity dates of every other transaction are refreshed.
 */
export async function lockDatedRecords(
  { db, caller }: RequestContext,
  work: RelatedWork,
  used: UsedRecords,
): Promise<void> {
  // Without related work, each of the used records is locked by its own change, in the same order.
  if (work.tasks.length + work.activities.length === 0) return
  const locked = [
    [account.table, work.accounts, used.accountId],
    [contact.table, work.contacts, used.contactId],
    [opportunity.table, work.opportunities, used.opportunityId],
  ] as const
  for (const [table, named, other] of locked) {
    const ids = [...named, ...(other === null ? [] : [other])]
    if (ids.length > 0)
      await db.query(
        `select 1 from ${table} where organization_id = $1 and id = any($2::uuid[]) order by id for no key update`,
        [caller.organizationId, ids],
      )
  }
}

/** Moves the tasks and activities of a converted lead to its contact, also those that the caller does not see. */
export async function moveRelatedWork(ctx: RequestContext, lead: Lead, work: RelatedWork): Promise<void> {
  const inner = { ...unrestricted(ctx), db: withoutRowLimit(ctx.db) }
  await changeAll(inner, task, work.tasks, (previous) => moved(previous, lead))
  await changeAll(inner, activity, work.activities, (previous) => moved(previous, lead))
}

/** What concerned the lead concerns the contact; other records that it names are kept. */
function moved(previous: RelatedRecord, lead: Lead): Partial<RelatedRecord> {
  const isOfLead = previous.relatedToType === 'LEAD'
  const contactId = isOfLead ? lead.convertedContactId : (previous.contactId ?? lead.convertedContactId)
  return {
    ...(isOfLead && { relatedToType: 'CONTACT', relatedToId: contactId }),
    contactId,
    leadId: null,
    accountId: previous.accountId ?? lead.convertedAccountId,
    opportunityId: previous.opportunityId ?? lead.convertedOpportunityId,
  }
}

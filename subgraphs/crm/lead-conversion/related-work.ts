import { change } from '../../kernel/record/records-of.ts'
import { unrestricted, type RequestContext } from '../../kernel/request.ts'
import { activity } from '../activity/activity.record.ts'
import type { Lead } from '../lead/lead.ts'
import type { RelatedRecord } from '../related-record/related-record.ts'
import { task } from '../task/task.record.ts'

/** The ids of the tasks and activities that concern a lead, live ones only. */
export interface RelatedWork {
  readonly tasks: readonly string[]
  readonly activities: readonly string[]
}

/**
 * Finds the tasks and activities of a lead and locks them. Whoever changes one of them locks the lead afterwards, for its activity dates,
 * so a conversion must lock them before the lead.
 */
export async function lockRelatedWork({ db, caller }: RequestContext, leadId: string): Promise<RelatedWork> {
  const idsIn = async (table: string): Promise<string[]> => {
    const rows = await db.query<{ id: string }>(
      `select id from ${table} where organization_id = $1 and lead_id = $2 and deleted_at is null order by id for update`,
      [caller.organizationId, leadId],
    )
    return rows.map(({ id }) => id)
  }
  return { tasks: await idsIn(task.table), activities: await idsIn(activity.table) }
}

/** Moves the tasks and activities of a converted lead to its contact, also those that the caller does not see. */
export async function moveRelatedWork(ctx: RequestContext, lead: Lead, work: RelatedWork): Promise<void> {
  const inner = unrestricted(ctx)
  for (const id of work.tasks)
    await change(inner, task, id, (previous) => ({ operation: 'UPDATE', values: {}, implied: moved(previous, lead) }))
  for (const id of work.activities)
    await change(inner, activity, id, (previous) => ({
      operation: 'UPDATE',
      values: {},
      implied: moved(previous, lead),
    }))
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

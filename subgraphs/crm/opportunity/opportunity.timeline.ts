import type { TimelineSource } from '../../kernel/record/timeline-source.ts'

/** The stages of an opportunity, in its own timeline and in that of its account. */
export const stageChanges: TimelineSource = {
  kind: 'STAGE_CHANGE',
  object: 'opportunity',
  type: 'Opportunity',
  at: [],
  columns: { title: 'name', type: null, status: null },
  actor: [],
  items: {
    table: 'crm.stage_entry',
    from: ['stageHistory'],
    id: 'opportunity_id',
    at: 'entered_at',
    key: ['opportunity_id', 'position'],
    links: { accountId: 'account_id', opportunityId: 'opportunity_id' },
    status: 'stage',
    actor: 'changed_by_id',
  },
}

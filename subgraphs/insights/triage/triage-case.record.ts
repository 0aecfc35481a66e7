import { registerUse } from '../../extensions/public.ts'
import { activeUsers } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { resolveMergedCases } from './resolve-merged.ts'
import { triageEvents } from './triage-case.events.ts'
import { triageStates } from './triage-case.states.ts'
import { TriageCase } from './triage-case.ts'

export const triageCase: RecordDefinition<TriageCase> = defineRecord(TriageCase, {
  object: 'triage_case',
  eventTypes: { CREATE: 'triage.opened' },
  table: 'insights.triage_case',
  visibleBy: [],
  visibleThrough: { by: 'accountId', to: recordType('account') },
  searchable: [],
  references: { ownerId: activeUsers },
  relations: {
    account: {
      to: recordType('account'),
      by: 'accountId',
      description: 'Conditions on the account. Needs READ_ACCOUNTS.',
    },
  },
  events: triageEvents,
  beforeMoved: (ctx, merged) => resolveMergedCases(ctx, triageCase, merged),
  states: triageStates,
})

registerUse({
  used: 'custom_action',
  user: 'triage_case',
  sql: `select c.id, a.name from insights.triage_case c
    join crm.account a on a.organization_id = c.organization_id and a.id = c.account_id
    where c.organization_id = $1 and c.deleted_at is null and c.status <> 'RESOLVED' and exists (
      select from jsonb_array_elements(c.stored_actions) s
      where s->>'type' = 'CUSTOM_ACTION' and s->>'status' = 'PLANNED' and s->'payload'->>'action' = $2::text
    ) order by c.created_at, c.id`,
})

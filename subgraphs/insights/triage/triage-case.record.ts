import { activeUsers } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
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
  states: triageStates,
})

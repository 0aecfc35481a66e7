import { auditRecord } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { quotaEvents } from './quota.events.ts'
import { Quota } from './quota.ts'

export const quota: RecordDefinition<Quota> = defineRecord(Quota, {
  object: 'quota',
  table: 'insights.quota',
  // A team has no owner, so its quota is seen with the visibility ALL only.
  visibleBy: ['userId'],
  searchable: ['period'],
  amounts: { columns: ['target'], currency: 'currency' },
  events: quotaEvents,
  audit: auditRecord('quota', (record) => record),
})

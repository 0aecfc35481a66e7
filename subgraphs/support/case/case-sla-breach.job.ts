import { dueRecords } from '../../identity/public.ts'
import { supportCase } from './case.record.ts'
import { isDone } from './case.status.ts'

/**
 * Emits `case.sla_breached` for open cases past their due time, once per due time. Cases in PENDING_CUSTOMER are skipped, because
 * this status stops the SLA clock.
 */
export const caseSlaBreach = dueRecords(supportCase, {
  name: 'case.slaBreach',
  cron: '* * * * *',
  by: 'slaDueAt',
  of: `sla_breached_at is null and status not in ('RESOLVED', 'CLOSED', 'PENDING_CUSTOMER')`,
  decide({ status, slaDueAt, slaBreachedAt }, now) {
    const isInTime = isDone(status) || status === 'PENDING_CUSTOMER' || slaDueAt === null || slaDueAt > now
    if (isInTime || slaBreachedAt !== null) return null
    return { values: { slaBreachedAt: now }, events: ['case.sla_breached'] }
  },
})

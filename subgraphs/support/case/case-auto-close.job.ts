import { dueRecords } from '../../identity/public.ts'
import { supportCase } from './case.record.ts'
import { hoursAfter, statusChange } from './case.status.ts'

const daysUntilClosed = 7

/** Closes cases that have been RESOLVED for seven days. */
export const caseAutoClose = dueRecords(supportCase, {
  name: 'case.autoClose',
  cron: '*/5 * * * *',
  by: 'resolvedAt',
  afterMs: daysUntilClosed * 86_400_000,
  of: `status = 'RESOLVED'`,
  decide(previous, now) {
    const { status, resolvedAt } = previous
    const isDue = status === 'RESOLVED' && resolvedAt !== null && resolvedAt <= hoursAfter(now, -24 * daysUntilClosed)
    return isDue ? statusChange(previous, 'CLOSED', now) : null
  },
})

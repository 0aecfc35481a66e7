import { eachInBatches } from '../../kernel/jobs/each-in-batches.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { change } from '../../kernel/record/records-of.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { type Case } from './case.ts'
import { supportCase } from './case.record.ts'
import { hoursAfter, statusChange } from './case.status.ts'

const daysUntilClosed = 7
const batchSize = 200

type DueCase = Pick<Case, 'id' | 'organizationId'> & { resolvedAt: string }

/** Closes cases that have been RESOLVED for seven days. */
export const caseAutoClose: Job = {
  name: 'case.autoClose',
  cron: '*/5 * * * *',
  async run(services) {
    const now = services.clock.now().toISOString()
    const resolvedBefore = hoursAfter(now, -24 * daysUntilClosed)
    await eachInBatches(
      (after: DueCase | null) => dueCases(services, resolvedBefore, after),
      ({ organizationId, id }) =>
        change(systemContext(services, organizationId), supportCase, id, (previous) => ({
          operation: 'UPDATE',
          // A user may have reopened the case after the query.
          ...(isDue(previous, resolvedBefore) ? statusChange(previous, 'CLOSED', now) : { values: {} }),
        })),
    )
  },
}

const isDue = ({ status, resolvedAt }: Case, resolvedBefore: string): boolean =>
  status === 'RESOLVED' && resolvedAt !== null && resolvedAt <= resolvedBefore

function dueCases({ database }: Services, resolvedBefore: string, after: DueCase | null): Promise<DueCase[]> {
  return database.query<DueCase>(
    `select organization_id as "organizationId", id, resolved_at as "resolvedAt" from support."case"
     where status = 'RESOLVED' and deleted_at is null and resolved_at <= $1
       and ($2::timestamptz is null or (resolved_at, id) > ($2, $3::uuid))
     order by resolved_at, id limit ${batchSize}`,
    [resolvedBefore, after?.resolvedAt ?? null, after?.id ?? null],
  )
}

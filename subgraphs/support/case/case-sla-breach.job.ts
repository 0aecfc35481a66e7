import { eachInBatches } from '../../kernel/jobs/each-in-batches.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Draft } from '../../kernel/record/definition.ts'
import { change } from '../../kernel/record/records-of.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { type Case } from './case.ts'
import { supportCase } from './case.record.ts'
import { isDone } from './case.status.ts'

const batchSize = 200

type DueCase = Pick<Case, 'id' | 'organizationId'> & { slaDueAt: string }

/**
 * Emits `case.sla_breached` for open cases past their due time, once per due time. Cases in PENDING_CUSTOMER are skipped, because
 * this status stops the SLA clock.
 */
export const caseSlaBreach: Job = {
  name: 'case.slaBreach',
  cron: '* * * * *',
  async run(services) {
    const now = services.clock.now().toISOString()
    await eachInBatches(
      (after: DueCase | null) => dueCases(services, now, after),
      ({ organizationId, id }) =>
        change(systemContext(services, organizationId), supportCase, id, (previous) => ({
          operation: 'UPDATE',
          ...breachOf(previous, now),
        })),
    )
  },
}

/** Changes nothing if the case was changed after the query and is no longer in breach. */
function breachOf({ status, slaDueAt, slaBreachedAt }: Case, now: string): Pick<Draft<Case>, 'values' | 'events'> {
  const isInTime = isDone(status) || status === 'PENDING_CUSTOMER' || slaDueAt === null || slaDueAt > now
  if (isInTime || slaBreachedAt !== null) return { values: {} }
  return { values: { slaBreachedAt: now }, events: ['case.sla_breached'] }
}

function dueCases({ database }: Services, now: string, after: DueCase | null): Promise<DueCase[]> {
  return database.query<DueCase>(
    `select organization_id as "organizationId", id, sla_due_at as "slaDueAt" from support."case"
     where sla_breached_at is null and deleted_at is null and sla_due_at <= $1
       and status not in ('RESOLVED', 'CLOSED', 'PENDING_CUSTOMER')
       and ($2::timestamptz is null or (sla_due_at, id) > ($2, $3::uuid))
     order by sla_due_at, id limit ${batchSize}`,
    [now, after?.slaDueAt ?? null, after?.id ?? null],
  )
}

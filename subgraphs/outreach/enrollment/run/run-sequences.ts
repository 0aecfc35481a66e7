import { setImmediate } from 'node:timers/promises'
import { failureReason } from '../../../kernel/database/failure-reason.ts'
import { changeAllWithEvents } from '../../../kernel/record/change-all.ts'
import { inTransaction, type Port, type RequestContext, type Services } from '../../../kernel/request.ts'
import { organizationContext } from '../../email/organization-context.ts'
import { sequenceEnrollment } from '../enrollment.record.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import { endOf } from './end-enrollment.ts'
import { executeLeased } from './execute.ts'
import { leaseDue, organizationsWithDue, release, type Leased } from './lease.ts'

/** Enrollments of one batch: what is rendered and written together. */
const batchSize = 50
/** Batches that one process works on at the same time: one renders while another one writes. */
const batchesAtOnce = 2
/** An enrollment that failed is tried again after 1, 4, 16 and 64 minutes, and then ends. */
const failuresMax = 5
const retryMs = (failures: number): number => 60_000 * 4 ** (Math.min(failures, failuresMax) - 1)
/** How long the enrollments of a batch that failed are executed one by one; those that are left are for the next batch. */
const oneByOneMs = 15_000

/**
 * Executes the steps that are due, in batches of one organization each. The organizations take turns, so that many enrollments of one do not
 * stop those of others. Any number of processes may do it at the same time. Ends when nothing is due, or after `msMax`.
 */
export async function runSequences(services: Services, msMax = 50_000): Promise<number> {
  const until = performance.now() + msMax
  const failed = new Set<string>()
  let executed = 0
  for (;;) {
    const turn = (await organizationsWithDue(services)).filter((id) => !failed.has(id))
    if (turn.length === 0 || performance.now() >= until) return executed
    let progress = 0
    while (turn.length > 0 && performance.now() < until) {
      const organizations = turn.splice(0, turn.length)
      const again: string[] = []
      const work = async (): Promise<void> => {
        for (
          let id = organizations.shift();
          id !== undefined && performance.now() < until;
          id = organizations.shift()
        ) {
          const batch = await runBatch(services, id).catch((error: unknown) => {
            if (failureReason(error) !== null) throw error
            services.log.error({ err: error, organizationId: id }, 'the sequences of an organization failed')
            failed.add(id)
            return 0
          })
          progress += batch
          if (batch === batchSize) again.push(id)
          await setImmediate()
        }
      }
      // An organization that is alone has a place in both, so that its mails are rendered while others are written.
      if (organizations.length === 1) organizations.push(organizations[0]!)
      await Promise.all(Array.from({ length: batchesAtOnce }, work))
      turn.push(...new Set(again))
    }
    executed += progress
    // What is left is leased by others.
    if (progress === 0) return executed
  }
}

/** Executes one batch. Returns the number of its enrollments. */
async function runBatch(services: Services, organizationId: string): Promise<number> {
  await services.shapes.load(organizationId)
  const ctx = organizationContext(services, organizationId)
  const leased = await inTransaction(ctx, (inner) => leaseDue(inner, batchSize))
  if (leased.enrollments.length === 0) return 0
  try {
    await executeLeased(ctx, leased.enrollments, leased.token)
  } catch (error) {
    if (failureReason(error) !== null) throw error
    await oneByOne(services, ctx, leased)
  }
  return leased.enrollments.length
}

/** After a batch that failed, its enrollments are executed one by one, so that one that fails does not stop the others. */
async function oneByOne(services: Services, ctx: RequestContext<Port>, { enrollments, token }: Leased): Promise<void> {
  const until = performance.now() + oneByOneMs
  for (const enrollment of enrollments) {
    if (performance.now() >= until) return inTransaction(ctx, (inner) => release(inner, token))
    try {
      await executeLeased(ctx, [enrollment], token)
    } catch (error) {
      if (failureReason(error) !== null) throw error
      services.log.error({ err: error, enrollmentId: enrollment.id }, 'a step of a sequence failed')
      await recordFailure(ctx, enrollment, token)
    }
  }
}

/** Puts the enrollment off. Its end is a second transaction, so that one that cannot end is put off all the same. */
async function recordFailure(ctx: RequestContext, { id, failures }: SequenceEnrollment, token: string): Promise<void> {
  const [putOff] = await inTransaction(ctx, (inner) =>
    inner.db.query(
      `update outreach.sequence_enrollment set lease_token = null, leased_until = null, failures = failures + 1,
         next_run_at = $4::timestamptz
       where organization_id = $1 and id = $2 and lease_token = $3 and status = 'ACTIVE' and deleted_at is null returning 1`,
      [
        inner.caller.organizationId,
        id,
        token,
        new Date(inner.clock.now().getTime() + retryMs(failures + 1)).toISOString(),
      ],
    ),
  )
  if (!putOff || failures + 1 < failuresMax) return
  const reason = 'The step failed repeatedly on our side.'
  await inTransaction(ctx, (inner) =>
    changeAllWithEvents(inner, sequenceEnrollment, [id], () => endOf('FAILED', reason, inner.clock.now())),
  )
}

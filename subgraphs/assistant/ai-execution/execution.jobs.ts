import type { Job } from '../../kernel/jobs/job.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import type { Services } from '../../kernel/request.ts'
import { executionQueue } from './execution.queue.ts'
import { endExecution } from './stored-execution.ts'

const keptDays = 30
const dayMs = 86_400_000
const batch = 5_000
const batchesMax = 100

/** Deletes executions of more than 30 days, also those of deleted triggers. */
export const forgetExecutions: Job = {
  name: 'assistant.forgetExecutions',
  cron: '25 * * * *',
  async run(services) {
    const before = new Date(services.clock.now().getTime() - keptDays * dayMs).toISOString()
    for (let round = 0; round < batchesMax; round++) {
      const deleted = await services.database.query(
        `delete from assistant.ai_execution e using (
           select organization_id, id from assistant.ai_execution where created_at < $1 order by created_at limit ${batch}) old
         where e.organization_id = old.organization_id and e.id = old.id returning 1`,
        [before],
        'WRITE',
      )
      if (deleted.length < batch) break
    }
    await deleteFinishedItems(executionQueue, services)
  },
}

interface Found extends Record<string, unknown> {
  readonly organizationId: string
  readonly id: string
}

const found = ({ database, clock }: Services, condition: string): Promise<Found[]> =>
  database.query<Found>(
    `select e.organization_id as "organizationId", e.id from assistant.ai_execution e where ${condition} order by e.created_at limit 500`,
    [clock.now().toISOString()],
  )

/** Ends executions that nobody approved in time, and those whose run has ended without a record of it. */
export const endLostExecutions: Job = {
  name: 'assistant.endLostExecutions',
  cron: '* * * * *',
  async run(services) {
    const { database, clock } = services
    const fail = (rows: readonly Found[], code: string, message: string) =>
      Promise.all(
        rows.map(({ organizationId, id }) =>
          endExecution(database, organizationId, id, { status: 'FAILED', failure: { code, message } }, clock.now()),
        ),
      )
    const expired = await found(services, `e.status = 'AWAITING_APPROVAL' and e.expires_at <= $1`)
    await fail(expired, 'APPROVAL_EXPIRED', 'Nobody approved or rejected the actions within 7 days.')
    const lost = await found(
      services,
      `e.status in ('PENDING', 'RUNNING') and e.created_at < $1::timestamptz - interval '1 minute' and not exists (
         select from assistant.ai_run r where r.organization_id = e.organization_id and r.execution_id = e.id and r.state = 'QUEUED')`,
    )
    await fail(lost, 'INTERRUPTED', 'The run has ended without a result.')
  },
}

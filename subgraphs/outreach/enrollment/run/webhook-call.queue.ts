import type { Job } from '../../../kernel/jobs/job.ts'
import { OutboundError } from '../../../kernel/outbound/outbound.ts'
import { deleteFinishedItems } from '../../../kernel/queue/delete-finished-items.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../../kernel/queue/queue.ts'
import type { RequestContext, Services } from '../../../kernel/request.ts'

interface WebhookCall extends QueuedItem {
  readonly url: string
  readonly body: string
}

const attemptsMax = 5

/** Sends the enrollment to the address of a WEBHOOK step, at least once; `id` of the body is the same in every attempt. */
export const sequenceCallQueue: Queue<WebhookCall> = {
  name: 'sequence_call',
  table: 'outreach.sequence_call',
  columns: 'url, body',
  leaseMs: 30_000,
  attemptMsMax: 20_000,
  lanes: { fresh: 8, retry: 4 },
  shares: { organization: 'organization_id', key: 'step_id', perKeyMax: 4 },
  attemptsMax: () => attemptsMax,
  // 1, 4, 16 and 64 minutes.
  retryAfterMs: ({ attempts }) => 60_000 * 4 ** (attempts - 1),
  clearedColumns: ['body'],
  retentionMs: 7 * 86_400_000,
  attempt: call,
}

export const forgetSequenceCalls: Job = {
  name: 'sequence.forgetCalls',
  cron: '50 * * * *',
  run: (services) => deleteFinishedItems(sequenceCallQueue, services),
}

async function call(services: Services, item: Leased<WebhookCall>): Promise<Outcome> {
  const problem = await sendCall(services, item)
  if (problem !== null && item.attempts < attemptsMax) return { retry: problem }
  await services.database.query(
    `update outreach.sequence_attempt set result = $3, detail = $4
     where organization_id = $1 and id = $2 and result = 'PENDING'`,
    [item.organization, item.id, problem === null ? 'CALLED' : 'FAILED', problem],
    'WRITE',
  )
  return problem === null ? { end: 'CALLED' } : { end: 'FAILED', error: problem }
}

/** Why the call failed; null if the receiver answered with a status from 200 to 299. */
async function sendCall({ outbound }: Services, { url, body }: WebhookCall): Promise<string | null> {
  try {
    const { status } = await outbound.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      body,
      timeoutMs: 10_000,
      answerBytesMax: 65_536,
      answerBytesKept: 0,
    })
    return status >= 200 && status < 300 ? null : `The receiver answered ${status}.`
  } catch (error) {
    if (error instanceof OutboundError) return error.message.slice(0, 400)
    throw error
  }
}

export interface QueuedCall {
  readonly attemptId: string
  readonly stepId: string
  readonly url: string
  readonly body: object
}

/** Queues calls in the transaction of `ctx`, by the ids of their attempts. */
export async function queueCalls({ db, caller }: RequestContext, calls: readonly QueuedCall[]): Promise<void> {
  if (calls.length === 0) return
  await db.query(
    `insert into outreach.sequence_call (organization_id, id, step_id, url, body)
     select $1, c.id, c.step_id, c.url, c.body from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[]) as c (id, step_id, url, body)`,
    [
      caller.organizationId,
      calls.map(({ attemptId }) => attemptId),
      calls.map(({ stepId }) => stepId),
      calls.map(({ url }) => url),
      calls.map(({ body }) => JSON.stringify(body)),
    ],
  )
}

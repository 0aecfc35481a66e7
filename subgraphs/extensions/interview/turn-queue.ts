import {
  portNames,
  portsOf,
  requestContext,
  type Port,
  type RequestContext,
  type Services,
} from '../../kernel/request.ts'
import { transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import type { Leased, Outcome, QueuedItem, Queue } from '../../kernel/queue/queue.ts'
import { withClearing } from '../../kernel/record/lookup/deleted-targets.ts'
import { newId } from '../../kernel/ids.ts'
import { systemContext } from '../../kernel/request.ts'
import { turnTable } from '../flow/flow.migrations.ts'
import { callerOf } from '../metadata/requested-by.ts'
import { advance } from './advance.ts'
import { lockedInterview, storeStep, type StoredInterview } from './interview-store.ts'
import { Turn } from './turn.ts'

interface TurnItem extends QueuedItem {
  readonly interviewId: string
}

const attemptMsMax = 120_000
const attemptsMax = 12
const dayMs = 86_400_000

const done: Outcome = { end: 'DONE' }

/** Interviews go on without their users: after a WAIT, and when a request has executed as many elements as it may. */
export const turnQueue: Queue<TurnItem> = {
  ...turnTable,
  columns: 'interview_id as "interviewId"',
  leaseMs: attemptMsMax + 20_000,
  attemptMsMax,
  lanes: { fresh: 4, retry: 2 },
  attemptsMax: () => attemptsMax,
  retryAfterMs: ({ attempts }) => Math.min(1_000 * 2 ** (attempts - 1), 60_000),
  retentionMs: dayMs,
  attempt,
}

/** Whether the turn is what the interview waits for: it may have been cancelled, and a turn that was committed may be attempted again. */
const isFor = ({ id }: TurnItem, interview: StoredInterview | null): interview is StoredInterview =>
  interview?.status === 'RUNNING' && interview.turnId === id

const waitOf = ({ clock }: Pick<Services, 'clock'>, { resumesAt }: StoredInterview): number =>
  resumesAt === null ? 0 : Date.parse(resumesAt) - clock.now().getTime()

async function fail(services: Services, item: Leased<TurnItem>, code: string, message: string): Promise<Outcome> {
  const ctx = systemContext(services, item.organization!)
  await services.database.transaction(async (db) => {
    const inner = { ...ctx, db }
    const interview = await lockedInterview(inner, item.interviewId)
    if (!isFor(item, interview)) return
    const { state, history, currentElement: element } = interview
    const error = { code, message, element }
    await storeStep(inner, interview, {
      status: 'FAILED',
      currentElement: element,
      screen: null,
      state: state!,
      history,
      outputs: null,
      error,
      resumesAt: null,
    })
  })
  return done
}

/** What its user may do at this moment, with the scopes of the credential of the last request. */
async function contextFor(services: Services, organizationId: string, interview: StoredInterview) {
  await services.extensions.load(organizationId)
  const caller = await callerOf(services.database, organizationId, interview.requestedBy)
  if (!caller) return null
  const operation = { caller, requestId: newId(), idempotency: null, operationId: `flow:${interview.id}` }
  const ports = portsOf(services, portNames)
  return requestContext(operation, services, { ports }) as RequestContext<Port>
}

async function attempt(services: Services, item: Leased<TurnItem>): Promise<Outcome> {
  const organizationId = item.organization!
  const found = await lockedInterview(systemContext(services, organizationId), item.interviewId)
  if (!isFor(item, found)) return done
  const waitMs = waitOf(services, found)
  if (waitMs > 0) return { retry: '', isWait: true, afterMs: waitMs }
  if (item.attempts >= attemptsMax)
    return fail(services, item, 'INTERRUPTED', 'The interview was interrupted repeatedly.')
  const ctx = await contextFor(services, organizationId, found)
  if (!ctx)
    return fail(
      services,
      item,
      'USER_INACTIVE',
      'The user of the interview is not active in the organization any more.',
    )
  const turn = new Turn()
  await transactionWithExternalCalls(withClearing(ctx), async (inner) => {
    const interview = await lockedInterview(inner, item.interviewId)
    if (!isFor(item, interview)) return
    const { frames, executed } = interview.state!
    const begin = { frames, executed, history: interview.history, turn, cause: item.id }
    await storeStep(inner, interview, await advance(inner, interview, begin))
  })
  return done
}

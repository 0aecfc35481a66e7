import { expect } from 'vitest'
import { automationConsumer } from '../../subgraphs/extensions/subscription/automation-consumer.ts'
import { runQueue } from '../../subgraphs/extensions/workflow/run-queue.ts'
import { startByTime } from '../../subgraphs/extensions/workflow/start-by-time.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { consumeNext } from '../../subgraphs/kernel/outbox/consume-events.ts'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import type { Member, Platform } from '../platform.ts'

export interface Step {
  readonly stepId: string
  readonly status: string
  readonly attempt: number
  readonly iteration: number | null
  readonly input: Readonly<Record<string, unknown>> | null
  readonly output: Readonly<Record<string, unknown>> | null
  readonly error: { readonly code: string; readonly message: string } | null
}

export interface Run {
  readonly id: string
  readonly status: string
  readonly workflowVersion: number
  readonly depth: number
  readonly executedSteps: number
  readonly trigger: { readonly type: string; readonly eventId: string | null; readonly recordId: string | null }
  readonly error: { readonly code: string; readonly message: string; readonly stepId: string | null } | null
  readonly steps: readonly Step[]
}

export interface Saved {
  readonly id: string
  readonly version: number
  readonly stepsVersion: number
  readonly status: string
  readonly hookUrl: string
  readonly secret: string
}

/** Workflows of one platform, as clients and workers use them. */
export function workflowsOf(platform: Platform) {
  const { services } = platform
  /** Reads all committed events as one worker does. */
  async function consume({ organizationId }: Member): Promise<void> {
    await services.database.query('select kernel.assign_event_positions(10000)')
    while (await consumeNext(services, automationConsumer, organizationId));
  }
  const work = (): Promise<unknown> => drain(runQueue, services)
  async function create(by: Member, values: object): Promise<Saved> {
    const body = { name: `Workflow ${newId()}`, triggerType: 'MANUAL', ...values }
    const answer = await by.rest.workflowCreate!({ body })
    expect([answer.status, answer.body.errors]).toEqual([201, undefined])
    return answer.body as Saved
  }
  async function activate(by: Member, values: object): Promise<Saved> {
    const saved = await create(by, values)
    const answer = await by.rest.workflowActivate!({ id: saved.id })
    expect([answer.status, answer.body.status]).toEqual([200, 'ACTIVE'])
    return { ...saved, version: answer.body.version as number }
  }
  async function start(by: Member, id: string, body: object = {}): Promise<string> {
    const answer = await by.rest.workflowRunStart!({ id, body })
    expect([answer.status, answer.body.status]).toEqual([202, 'QUEUED'])
    return answer.body.id as string
  }
  const read = async (by: Member, id: string): Promise<Run> => (await by.rest.workflowRun!({ id })).body as Run
  const runs = async (by: Member, workflowId: string): Promise<Run[]> => {
    const { body } = await by.rest.workflowRunList!({ query: { workflowId } })
    return Promise.all((body.data as Run[]).toReversed().map(({ id }) => read(by, id)))
  }
  return {
    consume,
    work,
    create,
    activate,
    start,
    read,
    runs,
    /** A run of these steps by hand, to its end or until it waits. */
    async ran(by: Member, steps: readonly object[], body: object = {}, values: object = {}): Promise<Run> {
      const { id } = await activate(by, { steps, ...values })
      const run = await start(by, id, body)
      await work()
      return read(by, run)
    },
    /** Starts by events, to their end. */
    async react(by: Member): Promise<void> {
      await consume(by)
      await work()
    },
    tick: () => startByTime.run(services),
    /** Lets time pass for the queue, as far as it is due by it. */
    pass: (ms: number) => ageQueueItems(services, runQueue.table, ms),
  }
}

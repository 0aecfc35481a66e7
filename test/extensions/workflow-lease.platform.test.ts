import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runQueue } from '../../subgraphs/extensions/workflow/run-queue.ts'
import { usePlatform, type Member } from '../platform.ts'
import { answerJson, Service } from './service.ts'
import { workflowsOf } from './workflows.fixture.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
let flows: ReturnType<typeof workflowsOf>
let service: Service
let owner: Member

beforeAll(async () => {
  flows = workflowsOf(platform)
  service = await Service.start()
})
afterAll(() => service.close())
beforeEach(async () => {
  owner = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
  service.take()
})

/** An answer that the service gives when the test lets it. */
interface HeldAnswer {
  readonly arrived: Promise<void>
  give(status: number, body: unknown): void
}

/** The answers to the next requests, in their order. */
function heldAnswers(count: number): readonly HeldAnswer[] {
  const held = Array.from({ length: count }, () => ({
    arrived: Promise.withResolvers<void>(),
    given: Promise.withResolvers<{ status: number; body: unknown }>(),
  }))
  let requests = 0
  service.respond = async (res) => {
    const { arrived, given } = held[requests++]!
    arrived.resolve()
    const { status, body } = await given.promise
    answerJson(res, status, body)
  }
  return held.map(({ arrived, given }) => ({
    arrived: arrived.promise,
    give: (status, body) => given.resolve({ status, body }),
  }))
}

/** The run and its steps, with every column. */
const stored = async (id: string): Promise<unknown> => [
  await platform.query(`select * from ${runQueue.table} where id = $1`, [id]),
  await platform.query('select * from extensions.workflow_run_step where run_id = $1 order by position, attempt', [id]),
]

const outcomes = [
  ['an output', 200],
  ['a failure', 500],
] as const

describe('a worker whose lease of a run another worker has taken over', () => {
  /** A run whose first worker waits for the answer to a GET, which the second one repeats. */
  async function takenOver() {
    const [early, late] = heldAnswers(2)
    const { id: workflowId } = await flows.activate(owner, {
      steps: [
        {
          id: 'get',
          type: 'HTTP_REQUEST',
          config: { method: 'GET', url: `${service.origin}/orders`, timeoutMs: 30_000 },
          next: 'wait',
        },
        { id: 'wait', type: 'DELAY', config: { minutes: 60 } },
      ],
    })
    const id = await flows.start(owner, workflowId)
    const first = flows.work()
    await early!.arrived
    await flows.pass(runQueue.leaseMs)
    const second = flows.work()
    await late!.arrived
    return { id, first: { done: first, answer: early! }, second: { done: second, answer: late! } }
  }

  it.each(outcomes)(
    'changes neither the run nor its steps by %s while the other executes the same step',
    async (_, status) => {
      const { id, first, second } = await takenOver()
      const before = await stored(id)
      first.answer.give(status, { of: 'first' })
      await first.done
      expect(await stored(id)).toEqual(before)

      second.answer.give(200, { of: 'second' })
      await second.done
      expect(await flows.read(owner, id)).toMatchObject({
        status: 'WAITING',
        error: null,
        steps: [
          { stepId: 'get', status: 'SUCCEEDED', output: { status: 200, body: { of: 'second' } } },
          { stepId: 'wait', status: 'WAITING' },
        ],
      })
    },
  )

  it.each(outcomes)(
    'changes neither the run nor its steps by %s when the other has gone on and given its lease back',
    async (_, status) => {
      const { id, first, second } = await takenOver()
      second.answer.give(200, { of: 'second' })
      await second.done
      const before = await stored(id)
      expect((await flows.read(owner, id)).status).toBe('WAITING')

      first.answer.give(status, { of: 'first' })
      await first.done
      expect(await stored(id)).toEqual(before)
      // The run goes on with the output that the other has recorded.
      expect((await flows.read(owner, id)).steps[0]).toMatchObject({
        status: 'SUCCEEDED',
        output: { body: { of: 'second' } },
      })
    },
  )
})

import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFailed, onTestFinished, vi } from 'vitest'
import type { Sql } from '../../subgraphs/kernel/database/sql.ts'
import { aProcess, type Process } from '../processes.ts'
import { patience, rounds, type Arrival, type CountingReceiver } from './webhook-faults.ts'
import type { Load } from './webhook-load.ts'

type Environment = Readonly<Record<string, string>>

/** A delivery that was under way when its process died is attempted again within this time. */
const againWithinMs = 60_000

async function aPart(command: readonly string[], environment: Environment, readyText?: string): Promise<Process> {
  const part = await aProcess(['bin/run', ...command], environment, readyText)
  onTestFinished(() => part.kill())
  onTestFailed(() => console.log(part.output()))
  return part
}

export const aMain = (environment: Environment): Promise<Process> => aPart(['main'], environment)
export const anApi = (environment: Environment): Promise<Process> => aPart(['main', 'gateway'], environment)
export const aWorker = (environment: Environment): Promise<Process> =>
  aPart(['worker'], { ...environment, LOG_LEVEL: 'info' }, 'the worker runs')

/** A random moment of requests and deliveries, which take some milliseconds. */
const randomMoment = (): Promise<void> => delay(Math.random() * 50)

/** Kills a process that answers requests, at random moments while the load writes, and starts it again. */
export async function killWhileWriting(api: Process, load: Load, kills: number): Promise<void> {
  for (let number = 0; number < kills; number++) {
    const enough = load.created.length + 10
    await vi.waitFor(() => expect(load.created.length).toBeGreaterThanOrEqual(enough), patience)
    await randomMoment()
    await api.kill()
    await api.start()
  }
}

/** Deliveries that were under way when their process was killed. */
interface Interrupted {
  readonly at: number
  readonly arrivals: readonly Arrival[]
}

async function killHeld(deliverer: Process, receiver: CountingReceiver): Promise<Interrupted> {
  receiver.hold()
  await vi.waitFor(() => expect(receiver.inFlight.size).toBeGreaterThanOrEqual(5), patience)
  const arrivals = [...receiver.inFlight.values()]
  await deliverer.kill()
  const at = Date.now()
  receiver.release()
  return { at, arrivals }
}

/**
 * Kills a process while it delivers, and starts it again, as often as `kills` says. Every second time, the receiver answers until the
 * moment of the kill. The other times it holds its answers, so that it is known which deliveries are interrupted.
 */
export async function killWhileDelivering(
  deliverer: Process,
  receiver: CountingReceiver,
  kills: number,
): Promise<Interrupted[]> {
  const interrupted: Interrupted[] = []
  for (let number = 0; number < kills; number++) {
    const enough = receiver.acknowledged.size + 60
    await vi.waitFor(() => {
      expect(receiver.acknowledged.size).toBeGreaterThanOrEqual(enough)
      expect(receiver.inFlight.size).toBeLessThan(5)
    }, patience)
    if (number % 2 === 0) interrupted.push(await killHeld(deliverer, receiver))
    else {
      await randomMoment()
      await deliverer.kill()
    }
    await deliverer.start()
  }
  return interrupted
}

/**
 * Each interrupted delivery came again in time, with the id of its event. An attempt that was also interrupted, before it arrived, has
 * the same time. Returns how long each attempt took to come.
 */
export function expectAgain(receiver: CountingReceiver, interrupted: readonly Interrupted[]): number[] {
  const arrivalsOf = Map.groupBy(receiver.arrivals, ({ eventId }) => eventId)
  const waits = interrupted.flatMap(({ at, arrivals }) =>
    arrivals.map(({ eventId, attempt }) => {
      const next = arrivalsOf.get(eventId)!.find((arrival) => arrival.at > at)
      return next ? Math.round((next.at - at) / (next.attempt - attempt)) : Infinity
    }),
  )
  expect(waits.filter((wait) => wait > againWithinMs)).toEqual([])
  return waits
}

const ids = async (sql: Sql, query: string): Promise<string[]> =>
  (await sql.query<{ id: string }>(query)).map(({ id }) => id)

/** What the queue and the log know of the events of these records, and their attempts that arrived, for the reader of a failure. */
const queuedOf = (sql: Sql, { eventsOf, arrivals }: CountingReceiver, recordIds: readonly string[]) =>
  Promise.all(
    recordIds.map(async (id) => ({
      arrived: arrivals.filter(({ eventId }) => eventsOf.get(id)?.has(eventId)),
      queued: await sql.query(
        `select q.attempts, q.is_due, q.lease_token is not null as leased, q.next_attempt_at, now(), q.last_error, q.created_at
         from events.delivery_queue q join kernel.event e on e.organization_id = q.organization_id and e.id = q.event_id where e.record_id = $1`,
        [id],
      ),
      logged: await sql.query(
        `select d.attempt, d.status, d.error, d.created_at, d.next_attempt_at from events.delivery d
         join kernel.event e on e.organization_id = d.organization_id and e.id = d.event_id where e.record_id = $1 order by d.attempt`,
        [id],
      ),
    })),
  )

/**
 * Everything that was committed is delivered, and nothing else; each event has one id; nothing is left over. The clients know what was
 * committed, also when their requests were not answered.
 */
export async function expectAllDelivered(sql: Sql, receiver: CountingReceiver, load: Load): Promise<void> {
  const committed = await ids(sql, 'select id from commerce.product')
  expect([...load.created, ...load.found].sort()).toEqual(committed.toSorted())
  const all = { ...patience, interval: 250 }
  const undelivered = (): string[] => committed.filter((id) => !receiver.acknowledged.has(id))
  await vi
    .waitFor(() => expect(undelivered()).toEqual([]), all)
    .catch(async (error: unknown) => {
      console.log('not delivered:', JSON.stringify(await queuedOf(sql, receiver, undelivered()), null, 1))
      throw error
    })
  await vi.waitFor(async () => expect(await ids(sql, 'select id from events.delivery_queue')).toEqual([]), all)
  expect([...receiver.eventsOf.keys()].sort()).toEqual(committed.toSorted())
  const events = await ids(sql, `select 'evt_' || id as id from kernel.event where type = 'product.created'`)
  expect([...receiver.eventsOf.values()].flatMap((found) => [...found]).sort()).toEqual(events.toSorted())
  expect(receiver.withoutSelection).toEqual([])
  const open = `select id from events.delivery where status in ('PENDING', 'RETRY_SCHEDULED')`
  expect(await ids(sql, open)).toEqual([])
}

/** What happened, for the reader of the long version. */
export function report(kills: string, { outcomes, created, found, lost }: Load, waits: readonly number[] = []): void {
  if (rounds === 1) return
  console.log(
    [
      kills,
      `${created.length} answered creations, ${found.length} committed without an answer, ${lost} neither`,
      `outcomes: ${[...outcomes].map(([outcome, times]) => `${outcome}: ${times}`).join(', ')}`,
      `${waits.length} interrupted deliveries came again within ${Math.max(...waits, 0)} ms`,
    ].join('\n'),
  )
}

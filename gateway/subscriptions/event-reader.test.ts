import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import { anonymous } from '../../subgraphs/kernel/context.ts'
import type { EventFeed, EventSelection, LoggedEvent } from '../../subgraphs/kernel/outbox/event-feed.ts'
import { busyFor, PiecesOfTurns } from '../../subgraphs/kernel/work/turn.fixture.ts'
import type { GraphResult } from '../graph/graph.ts'
import { EventChannels } from './event-channels.ts'
import { topics } from './event-match.ts'
import { EventReader } from './event-reader.ts'

const organizationId = 'org'
const object = 'machine'

/** An event log in memory. `reads` are the selections that were read. */
class MemoryLog implements EventFeed {
  readonly events: LoggedEvent[] = []
  readonly reads: EventSelection[] = []
  #wake: () => void = () => {}

  add(count: number, text = ''): void {
    for (let index = 0; index < count; index++) {
      const position = this.events.length + 1
      const ids = { id: `e${position}`, recordId: 'r1', actorId: null, operationId: null, origin: null, depth: 0 }
      const what = { type: 'machine.moved', version: 1, object, occurredAt: '2027-01-01T00:00:00.000Z' }
      this.events.push({ position, ...ids, ...what, data: { text } })
    }
    this.#wake()
  }

  latest = async () => this.events.length
  oldest = async () => 1
  read = async (_organizationId: string, selection: EventSelection) => {
    this.reads.push(selection)
    const { after, upTo = Infinity, limit } = selection
    return this.events.filter(({ position }) => position > after && position <= upTo).slice(0, limit)
  }
  watch = (_organizationId: string, wake: () => void) => {
    this.#wake = wake
    return () => {}
  }
}

type Work = (event: LoggedEvent) => void
const none: Work = () => {}

class Positions extends EventReader {
  resultWork = none
  protected override resultOf(event: LoggedEvent): GraphResult {
    const { position } = event
    this.resultWork(event)
    return { data: { position } }
  }
}

function following(
  log: MemoryLog,
  channels: EventChannels,
  after: number,
  behindMax = 10,
  work: { match?: Work; result?: Work } = {},
) {
  const cancellation = new Cancellation()
  let notify = (): void => {}
  const { channel, leave } = channels.join(organizationId, [topics.ofObject(object)], () => notify())
  const caller = anonymous({ ip: '', userAgent: '' })
  const reader = new Positions(
    { channel, after, behindMax, currentCaller: () => caller, cancellation },
    { matches: (event) => (work.match?.(event), true), selection: { object } },
  )
  reader.resultWork = work.result ?? none
  notify = reader.notify
  const results = reader.results()
  const next = async (): Promise<unknown> => (await results.next()).value?.data?.['position']
  const positions = async (count: number): Promise<unknown[]> => {
    const all = []
    for (let index = 0; index < count; index++) all.push(await next())
    return all
  }
  return { channel, leave, next, positions, cancel: () => cancellation.cancel() }
}

const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)
const quiet = pino({ level: 'silent' })

describe('a reader of events', () => {
  it('gets all events in order, older ones from the log, and new ones as they happen', async () => {
    const log = new MemoryLog()
    log.add(45)
    const reader = following(log, new EventChannels(log, quiet), 0)
    expect(await reader.positions(45)).toEqual(upTo(45))
    const waiting = reader.next()
    log.add(1)
    expect(await waiting).toBe(46)
  })

  it('may be far behind at first, and ends with its cursor when it falls behind after it was live', async () => {
    const log = new MemoryLog()
    log.add(100)
    const channels = new EventChannels(log, quiet)
    const reader = following(log, channels, 0)
    expect(await reader.positions(100)).toEqual(upTo(100))
    const waiting = reader.next()
    log.add(1)
    expect(await waiting).toBe(101)
    log.add(12)
    await expect.poll(() => reader.channel.eventsAfter(101)).toBe(12)
    await expect(reader.next()).rejects.toMatchObject({
      code: 'GRAPHQL_LIMIT_EXCEEDED',
      message: expect.stringContaining('after: "101"') as string,
      extensions: { limit: 10, cursor: '101' },
    })
  })

  it('shares one read of each event with all readers of the organization', async () => {
    const log = new MemoryLog()
    log.add(5)
    const channels = new EventChannels(log, quiet)
    const readers = Array.from({ length: 20 }, () => following(log, channels, 5, 1_000))
    const waiting = readers.map((reader) => reader.next())
    await expect.poll(() => readers[0]!.channel.eventsAfter(5)).toBe(0)
    log.add(300)
    expect(await Promise.all(waiting)).toEqual(readers.map(() => 6))
    for (const reader of readers) expect(await reader.positions(299)).toEqual(upTo(305, 7))
    const read = log.reads.filter(({ after }) => after >= 5)
    // No reader reads the log itself: each position is read once.
    expect(new Set(read.map(({ after }) => after)).size).toBe(read.length)
    expect(read.length).toBeLessThan(15)
  })

  it('holds a limited size in memory; a reader that needs older events reads them from the log', async () => {
    const log = new MemoryLog()
    const channels = new EventChannels(log, quiet, { units: 50_000 })
    const reader = following(log, channels, 0, 1_000)
    const first = reader.next()
    log.add(1)
    expect(await first).toBe(1)
    log.add(100, 'x'.repeat(10_000))
    await expect.poll(() => reader.channel.eventsAfter(1)).toBe(100)
    const before = log.reads.length
    expect(await reader.positions(100)).toEqual(upTo(101, 2))
    const own = log.reads.slice(before)
    expect(own.length).toBeGreaterThan(0)
    expect(own.every(({ object: selected, upTo: last }) => selected === object && last === 101)).toBe(true)
  })

  it('is forgotten with the last reader', async () => {
    const log = new MemoryLog()
    const channels = new EventChannels(log, quiet)
    const reader = following(log, channels, 0)
    const waiting = reader.next()
    reader.cancel()
    expect(await waiting).toBeUndefined()
    reader.leave()
    const again = following(log, channels, 0)
    expect(again.channel).not.toBe(reader.channel)
  })

  it.each(['match', 'result'] as const)(
    'works at most the time of a turn on each %s, together with all readers',
    async (part) => {
      const log = new MemoryLog()
      log.add(5)
      const channels = new EventChannels(log, quiet)
      const first = following(log, channels, 5, 1_000)
      const waiting = first.next()
      await expect.poll(() => first.channel.eventsAfter(5)).toBe(0)
      log.add(5)
      await waiting
      const pieces = new PiecesOfTurns()
      const work = (): void => {
        busyFor(6)
        pieces.count()
      }
      const readers = Array.from({ length: 5 }, () => following(log, channels, 0, 1_000, { [part]: work }))
      const read = await Promise.all(readers.map((reader) => reader.positions(10)))
      expect(read).toEqual(readers.map(() => upTo(10)))
      const { all, longestTurn } = pieces.end()
      expect(all).toBe(50)
      expect(longestTurn).toBeLessThanOrEqual(2)
    },
  )
})

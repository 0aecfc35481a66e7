import { pino } from 'pino'
import { expect, it } from 'vitest'
import { Cancellation } from '../../../subgraphs/kernel/cancellation.ts'
import { anonymous } from '../../../subgraphs/kernel/context.ts'
import { EventChannels } from '../event-channels.ts'
import type { SourceDependencies, SubscriptionRequest } from '../source.ts'
import type { SubscriptionCall } from '../subscription-call.ts'
import { openListen, type ListenPort } from './listen.ts'

const log = pino({ level: 'silent' })
const caller = anonymous({ ip: '', userAgent: '' })

const slotless = { held: false, triggered: false, lose: () => {} }

/**
 * Listens to an organization without events. `held` and `triggered` tell whether the slot of the stream is taken and whether it gets samples;
 * `lose` takes the slot away.
 */
async function listening(lastsMs: number, use?: () => never, slot = { ...slotless }) {
  const port: ListenPort = {
    requireListener: () => {},
    selectionOf: () => () => true,
    takeSlot: async (_organizationId, onLost) => {
      Object.assign(slot, { held: true, lose: onLost })
      return { release: () => void (slot.held = false) }
    },
    envelopeOf: () => null,
    onTriggered: async () => {
      slot.triggered = true
      return () => void (slot.triggered = false)
    },
  }
  const events = { latest: async () => 0, oldest: async () => null, read: async () => [], watch: () => () => {} }
  const projection = { resultOf: (frame: object) => ({ data: { ...frame } }) }
  const dependencies = {
    graph: { authorize: () => {} },
    events,
    channels: new EventChannels(events, log),
    projections: { use: use ?? (() => ({ projection, release: () => {} })) },
  } as unknown as SourceDependencies
  const request = { caller, currentCaller: () => caller, cancellation: new Cancellation(), variables: {} }
  const opened = await openListen(dependencies, port, log, { lastsMs })(
    { name: 'webhookListen', args: {} } as unknown as SubscriptionCall,
    request as unknown as SubscriptionRequest,
  )
  const frames = async (): Promise<unknown[]> => {
    const all = []
    for await (const { data } of opened.results) all.push(data)
    return all
  }
  return { ...opened, slot, frames }
}

const ended = (reason: string) => [{ frame: 'READY' }, { frame: 'END', data: { reason } }]

it('a stream ends by itself after its maximum duration', async () => {
  const stream = await listening(20)
  expect(await stream.frames()).toMatchObject(ended('TIME_LIMIT'))
  stream.leave()
  expect(stream.slot).toMatchObject({ held: false, triggered: false })
})

it('a stream ends when the server stops, and when its slot is lost', async () => {
  const stopping = await listening(60_000)
  stopping.stop!()
  expect(await stopping.frames()).toMatchObject(ended('SERVER_STOPPING'))
  stopping.leave()
  const losing = await listening(60_000)
  losing.slot.lose()
  expect(await losing.frames()).toMatchObject(ended('SLOT_LOST'))
  losing.leave()
})

it('a stream that cannot be opened keeps neither its slot nor its samples', async () => {
  const slot = { ...slotless }
  const failing = (): never => {
    expect(slot).toMatchObject({ held: true, triggered: true })
    throw new Error('The selection has no projection.')
  }
  await expect(listening(60_000, failing, slot)).rejects.toThrow('no projection')
  expect(slot).toMatchObject({ held: false, triggered: false })
})

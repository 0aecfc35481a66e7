import type { Caller } from '../../../subgraphs/kernel/context.ts'
import type { LoggedEvent } from '../../../subgraphs/kernel/outbox/event-feed.ts'
import { sharedJson } from '../../edge/shared-json.ts'
import type { Frame } from './frame-queue.ts'

/** The envelope of an event as this caller may see it; null if the caller may not see the event. */
export type EnvelopeOf = (event: LoggedEvent, caller: Caller) => object | null | Promise<object | null>

export interface EventFrame {
  readonly frame: Frame
  readonly bytes: number
}

/** The frames of events. The streams of a user with the same rights share them. Users do not, because some records are private to their owner. */
export class SharedEnvelopes {
  readonly #frames = new WeakMap<LoggedEvent, Map<string, Promise<EventFrame | null>>>()
  readonly #rights = new WeakMap<Caller, string>()

  constructor(private readonly envelopeOf: EnvelopeOf) {}

  frameOf(event: LoggedEvent, caller: Caller): Promise<EventFrame | null> {
    let byRights = this.#frames.get(event)
    if (!byRights) this.#frames.set(event, (byRights = new Map()))
    const rights = this.#rightsOf(caller)
    let frame = byRights.get(rights)
    if (!frame) {
      frame = this.#render(event, caller)
      byRights.set(rights, frame)
      // A failure is not shared with later readers.
      frame.catch(() => byRights.delete(rights))
    }
    return frame
  }

  async #render(event: LoggedEvent, caller: Caller): Promise<EventFrame | null> {
    const envelope = await this.envelopeOf(event, caller)
    return envelope && eventFrame(envelope)
  }

  #rightsOf(caller: Caller): string {
    let rights = this.#rights.get(caller)
    if (rights === undefined) {
      const { userId, role, ownerIds, fields, entitlements } = caller
      rights = JSON.stringify([userId, role, ownerIds, fields, entitlements])
      this.#rights.set(caller, rights)
    }
    return rights
  }
}

export function eventFrame(envelope: object): EventFrame {
  return { frame: { frame: 'EVENT', data: envelope }, bytes: Buffer.byteLength(sharedJson(envelope)) }
}

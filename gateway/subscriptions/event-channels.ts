import type { Logger } from 'pino'
import type { EventFeed } from '../../subgraphs/kernel/outbox/event-feed.ts'
import { EventChannel, type ChannelLimits } from './event-channel.ts'

const defaultLimits: ChannelLimits = { events: 4_000, units: 4_000_000, unitsOfAll: 48_000_000, window: 2_000 }

/**
 * The event logs of the organizations that have readers in this process. Each log is read once for all its readers, and each reader
 * keeps only its position.
 */
export class EventChannels {
  readonly #channels = new Map<string, EventChannel>()
  readonly #limits: ChannelLimits
  /** What all channels hold together. */
  readonly #held = { units: 0 }

  constructor(
    private readonly events: EventFeed,
    private readonly log: Pick<Logger, 'warn'>,
    limits: Partial<ChannelLimits> = {},
  ) {
    this.#limits = { ...defaultLimits, ...limits }
  }

  /**
   * Calls `notify` soon after each event of one of the topics, and sometimes without an event, until `leave` is called. The channel is
   * the same for all readers of an organization.
   */
  join(
    organizationId: string,
    topics: readonly string[],
    notify: () => void,
  ): { channel: EventChannel; leave: () => void } {
    const channel = this.#channels.get(organizationId) ?? this.#open(organizationId)
    const leaveTopics = channel.join(topics, notify)
    const leave = (): void => {
      leaveTopics()
      if (channel.hasReaders || this.#channels.get(organizationId) !== channel) return
      this.#channels.delete(organizationId)
      channel.close()
    }
    return { channel, leave }
  }

  #open(organizationId: string): EventChannel {
    const channel = new EventChannel(organizationId, this.events, this.#limits, this.#held, this.log)
    this.#channels.set(organizationId, channel)
    return channel
  }
}

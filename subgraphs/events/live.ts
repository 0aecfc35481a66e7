import type { Caller } from '../kernel/context.ts'
import type { Notices } from '../kernel/database/notices.ts'
import type { LoggedEvent } from '../kernel/outbox/event-feed.ts'
import type { OrganizationShapes } from '../kernel/record/shape-source.ts'
import { requireAdministrator } from '../kernel/require.ts'
import { systemContext, type Services } from '../kernel/request.ts'
import { customObjectName, recordTypeIn } from '../kernel/record/custom-object.ts'
import { eventTypeNamed } from './catalog/organization-catalog.ts'
import { customEventSelection } from './custom-event-stream/custom-event-selection.ts'
import type { CustomEvent } from './custom-event-stream/custom-event.ts'
import {
  customEventObject,
  envelopeOf,
  outOfSight,
  shownEventId,
  visibleEvent,
  type Envelope,
  type EnvelopeContext,
  type VisibleEvent,
} from './envelope/envelope.ts'
import { noParents, parentsOf, type Parents } from './envelope/visibility.ts'
import { selectionOf } from './listen/listen-selection.ts'
import { ListenSlots, type ListenSlot } from './listen/listen-slots.ts'
import { ListenTriggers, type Triggered } from './listen/listen-triggers.ts'
import { notificationNotices, notificationsOf } from './notification/live/notification-notices.ts'
import { changeFilterOf } from './record-change/change-filter.ts'

type Fields = Readonly<Record<string, unknown>>

export interface LiveEventsOptions extends Services {
  readonly databaseUrl: string
}

/** A sample for live streams. Its envelope is the same object for all streams of a process. */
export interface Sample {
  readonly type: string
  readonly envelope: Envelope
}

/** The rules of the live readers of events: who may read, what they select, and what they get. The gateway runs the readers. */
export class LiveEvents {
  /** `object` of custom events in the event log. */
  readonly customEventObject = customEventObject
  readonly #slots: ListenSlots
  readonly #triggers: ListenTriggers
  readonly #notices: Notices
  /** Shared by all readers, because the parents of an event do not depend on the reader. */
  readonly #parents = new WeakMap<LoggedEvent, Promise<Parents>>()
  readonly #samples = new WeakMap<Triggered, Promise<Sample | null>>()

  constructor(private readonly options: LiveEventsOptions) {
    this.#slots = new ListenSlots(options)
    this.#triggers = new ListenTriggers(options.databaseUrl, options.log)
    this.#notices = notificationNotices(options.databaseUrl, options.log)
  }

  readonly requireListener = (caller: Caller): void => requireAdministrator({ caller })

  selectionOf(events: readonly string[] | null): (type: string) => boolean {
    return selectionOf(events)
  }

  takeSlot(organizationId: string, onLost: () => void): Promise<ListenSlot> {
    return this.#slots.take(organizationId, onLost)
  }

  /** The envelope that a webhook of the caller would receive; null if the caller may not see the event. */
  async envelopeOf(event: LoggedEvent, caller: Caller): Promise<Envelope | null> {
    const visible = await this.#visibleTo(caller, event)
    return visible && envelopeOf(visible)
  }

  onTriggered(organizationId: string, send: (sample: Sample) => void): Promise<() => void> {
    const { log } = this.options
    return this.#triggers.receive(organizationId, (triggered) => {
      this.#sampleOf(triggered).then(
        (sample) => sample && send(sample),
        (err: unknown) => log.warn({ err }, 'a sample event could not be sent to a live stream'),
      )
    })
  }

  customEventSelection(args: Fields): (event: LoggedEvent) => boolean {
    return customEventSelection(args)
  }

  customEventOf({ position, id, ...event }: LoggedEvent): CustomEvent {
    return { ...event, id: shownEventId(id), cursor: String(position) }
  }

  /**
   * Whether an event is sent to a subscriber with this filter, by what the subscriber may see of it at this moment. An event of a state of the
   * record that the subscriber may not see, or of nothing but hidden fields, is not sent, except the one by which the record left the sight of
   * the subscriber, if what was seen before meets the filter.
   */
  async changeFilterOf(
    caller: Caller,
    object: string,
    args: Fields,
  ): Promise<(event: LoggedEvent, caller: Caller) => Promise<boolean>> {
    const { shapes, extensions } = this.options
    const { organizationId } = caller
    await shapes.load(organizationId)
    // Another process may have created a custom object a moment ago, or a field that the filter names.
    const isUnknown = !recordTypeIn({ shapes: shapes.shapesOf(organizationId) }, object)
    if (isUnknown || (args['filter'] && customObjectName(object) !== null)) await extensions.reload(organizationId)
    const meets = changeFilterOf(shapes, caller, object, args)
    return async (event, current) => {
      const context = await this.#contextOf(current, event)
      const seen = visibleEvent(current, event, context) ?? outOfSight(current, event, context)
      return seen !== null && meets(seen, current)
    }
  }

  onNotified(organizationId: string, userId: string, wake: () => void): Promise<() => void> {
    return this.#notices.watch(notificationsOf(organizationId, userId), wake)
  }

  async close(): Promise<void> {
    await this.#slots.close()
    await this.#triggers.close()
    await this.#notices.close()
  }

  async #visibleTo(caller: Caller, event: LoggedEvent): Promise<VisibleEvent | null> {
    return visibleEvent(caller, event, await this.#contextOf(caller, event))
  }

  async #contextOf({ organizationId }: Caller, event: LoggedEvent): Promise<EnvelopeContext> {
    await this.options.shapes.load(organizationId)
    const shapes = this.options.shapes.shapesOf(organizationId)
    return { shapes, parents: await this.#parentsOf(organizationId, event, shapes) }
  }

  #parentsOf(organizationId: string, event: LoggedEvent, shapes: OrganizationShapes | null): Promise<Parents> {
    if (event.object === customEventObject) return Promise.resolve(noParents)
    let parents = this.#parents.get(event)
    if (!parents) {
      parents = parentsOf(this.options.tenants.of(organizationId), organizationId, [event], shapes)
      this.#parents.set(event, parents)
      parents.catch(() => this.#parents.delete(event))
    }
    return parents
  }

  #sampleOf(triggered: Triggered): Promise<Sample | null> {
    let sample = this.#samples.get(triggered)
    if (!sample) this.#samples.set(triggered, (sample = this.#readSample(triggered)))
    return sample
  }

  async #readSample({ organizationId, type, eventId, occurredAt }: Triggered): Promise<Sample | null> {
    const found = await eventTypeNamed(systemContext(this.options, organizationId), type)
    if (!found) return null
    const { version, sample } = found
    const data = sample as Fields
    const isTest = true
    return { type, envelope: envelopeOf({ id: eventId, type, version, occurredAt, organizationId, data }, isTest) }
  }
}

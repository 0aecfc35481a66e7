import type { Caller } from '../../subgraphs/kernel/context.ts'
import type { LoggedEvent } from '../../subgraphs/kernel/outbox/event-feed.ts'
import type { GraphResult } from '../graph/graph.ts'
import { startAfter } from './cursor.ts'
import { topics } from './event-match.ts'
import { EventReader, type EventReaderOptions } from './event-reader.ts'
import type { Projection } from './projection.ts'
import type { OpenedSubscription, OpenSubscription, SourceDependencies } from './source.ts'

export interface CustomEventsPort {
  /** `object` of custom events in the event log. */
  readonly customEventObject: string
  /** What the arguments of `customEvents` select. Throws a `Refusal` if they are not valid. */
  customEventSelection(args: Readonly<Record<string, unknown>>): (event: LoggedEvent) => boolean
  /** The fields of the GraphQL type `CustomEvent`. */
  customEventOf(event: LoggedEvent): object
}

interface CustomEventsOptions extends EventReaderOptions {
  /** `object` of custom events. */
  readonly object: string
  readonly projection: Projection
  readonly payloadOf: (event: LoggedEvent) => object
  readonly selects: (event: LoggedEvent) => boolean
  readonly authorize: (caller: Caller) => void
}

/** `customEvents`: the events are in the log as they were published, so they are sent without a query. */
class CustomEvents extends EventReader {
  constructor(private readonly options: CustomEventsOptions) {
    super(options, {
      matches: (event) => event.object === options.object && options.selects(event),
      selection: { object: options.object },
    })
  }

  protected resultOf(event: LoggedEvent, caller: Caller): GraphResult {
    const { authorize, projection, payloadOf } = this.options
    authorize(caller)
    return projection.resultOf(payloadOf(event))
  }
}

/** One payload for each event, which all subscriptions share. */
function shared(payloadOf: (event: LoggedEvent) => object): (event: LoggedEvent) => object {
  const known = new WeakMap<LoggedEvent, object>()
  return (event) => {
    let payload = known.get(event)
    if (!payload) known.set(event, (payload = payloadOf(event)))
    return payload
  }
}

export function openCustomEvents(
  { graph, events, channels, projections, behindMax }: SourceDependencies,
  port: CustomEventsPort,
): OpenSubscription {
  const object = port.customEventObject
  const payloadOf = shared((event) => port.customEventOf(event))
  return async (call, request): Promise<OpenedSubscription> => {
    const { caller, currentCaller, cancellation, prepared, variables } = request
    const { organizationId } = caller
    const selects = port.customEventSelection(call.args)
    const after = await startAfter(events, organizationId, call.args['after'])
    const { projection, release } = projections.use(call, variables)
    let notify = (): void => {}
    const { channel, leave } = channels.join(organizationId, [topics.ofObject(object)], () => notify())
    const reading = { channel, after, behindMax, currentCaller, cancellation }
    const authorize = (current: Caller): void => graph.authorize(prepared, current)
    const reader = new CustomEvents({ ...reading, object, projection, payloadOf, selects, authorize })
    notify = reader.notify
    return {
      results: reader.results(),
      recheck: reader.recheck,
      leave: () => {
        leave()
        release()
      },
    }
  }
}

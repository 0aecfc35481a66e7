import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Admission } from '../gateway/edge/edge.ts'
import type { ServerSentEvent } from '../gateway/edge/event-streams.ts'
import { jsonOf } from '../gateway/edge/shared-json.ts'
import type { GraphResult } from '../gateway/graph/graph.ts'
import type { PreparedOperation } from '../gateway/graph/prepared-operation.ts'
import type { Cancellation } from '../subgraphs/kernel/cancellation.ts'
import { Refusal } from '../subgraphs/kernel/errors.ts'
import type { EdgePort, StreamsPort } from './ports.ts'
import type { RestOperation } from './rest-operation.ts'
import type { Values } from './translate.ts'

interface Ports extends StreamsPort {
  readonly edge: EdgePort
}

/** Refuses a stream where no client is connected that could read it. */
export function streamPortsOf({ edge, streams }: { edge: EdgePort; streams: StreamsPort | null }): Ports {
  if (streams) return { edge, ...streams }
  throw new Refusal('PERMISSION_DENIED', 'A stream needs the connection of a client; read a list instead.')
}

interface StreamCall {
  readonly admission: Admission
  /** Cancelled when the client disconnects or the server stops. */
  readonly cancellation: Cancellation
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

/** Runs the subscription of an operation and sends its results; each is one event, with its kind and its content. */
export async function sendSubscription(
  operation: RestOperation,
  ports: Ports,
  variables: Values,
  toRestError: (thrown: unknown) => unknown,
  call: StreamCall & { readonly prepared: PreparedOperation },
): Promise<void> {
  const { edge, subscriptions } = ports
  const { prepared, admission, cancellation, req } = call
  const { caller, requestId } = admission
  const { headers, socket, method, url } = req
  // The address is copied, because a closed socket no longer has it.
  const incoming = { headers, socket: { remoteAddress: socket.remoteAddress }, method, url }
  const currentCaller = () => edge.currentCaller(incoming)
  const request = { document: operation.document!, operationName: null, prepared, variables }
  const results = await subscriptions
    .open({ ...request, caller, requestId, currentCaller, cancellation })
    .catch((thrown: unknown) => {
      throw toRestError(thrown)
    })
  try {
    await sendEvents(operation, ports, eventsOf(results), call)
  } finally {
    cancellation.cancel()
  }
}

/** The request is counted as finished when the stream begins. If the stream fails, its last event is `error` with the problem. */
export async function sendEvents(
  { success }: RestOperation,
  { edge, eventStreams }: Ports,
  events: AsyncIterable<ServerSentEvent>,
  { admission, cancellation, req, res }: StreamCall,
): Promise<void> {
  async function* withErrorEvent(): AsyncGenerator<ServerSentEvent> {
    try {
      yield* events
    } catch (thrown) {
      if (!cancellation.isCancelled) yield { event: 'error', data: JSON.stringify(edge.problem(thrown, req, res)) }
    }
  }
  edge.finished(admission, success.status)
  await eventStreams.send(res, withErrorEvent(), cancellation, success.status)
}

/** The stream has its slot before its source begins anything, and whatever the source has begun ends with the stream. */
export async function sendHandledEvents(
  operation: RestOperation,
  ports: Ports,
  begin: () => Promise<AsyncIterable<ServerSentEvent>>,
  call: StreamCall,
): Promise<void> {
  const { organizationId, ip } = call.admission.caller
  const release = ports.streamSlots.take(organizationId || ip)
  try {
    const iterator = (await begin())[Symbol.asyncIterator]()
    // A client may leave before the first event is asked for.
    await sendEvents(operation, ports, { [Symbol.asyncIterator]: () => iterator }, call).finally(() =>
      iterator.return?.(),
    )
  } finally {
    release()
  }
}

/** The stored document of a stream aliases the kind of an event as `event` and its content as `data`. */
async function* eventsOf(results: AsyncGenerator<GraphResult>): AsyncGenerator<ServerSentEvent> {
  for await (const { data } of results) {
    const { event, data: content } = data!['result'] as { readonly event: string; readonly data: unknown }
    yield { event: event.toLowerCase(), data: jsonOf(content) }
  }
}

import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import type { EventStreams, ServerSentEvent } from '../edge/event-streams.ts'
import { setCode } from '../edge/exchange.ts'
import { requestIdOf } from '../edge/problem.ts'
import type { GraphResult } from '../graph/graph.ts'
import { executedAnswer, refusedAnswer, type GraphQLAnswer } from './answer.ts'

export interface GraphqlStreamOptions {
  readonly eventStreams: Pick<EventStreams, 'send' | 'sendAs'>
  readonly log: Pick<Logger, 'error'>
}

export async function* singleResult(result: GraphResult): AsyncGenerator<GraphResult> {
  yield result
}

interface StreamedAnswer {
  readonly answer: GraphQLAnswer
  /** The answer has only the errors that end the stream. */
  readonly hasFailed: boolean
}

/** The answers of a subscription. An error is the last one, and is logged if it is ours. */
export async function* answersOf(
  res: ServerResponse,
  results: AsyncIterable<GraphResult>,
  cancellation: Cancellation,
  log: GraphqlStreamOptions['log'],
): AsyncGenerator<StreamedAnswer> {
  const requestId = requestIdOf(res)
  try {
    for await (const result of results) yield { answer: executedAnswer(result, requestId), hasFailed: false }
  } catch (thrown) {
    if (cancellation.isCancelled) return
    const { code, errors } = refusedAnswer(thrown, requestId)
    setCode(res, code)
    if (code === 'INTERNAL') log.error({ err: thrown, requestId }, 'a subscription failed')
    yield { answer: { errors }, hasFailed: true }
  }
}

/**
 * Sends results as server-sent events in the "distinct connections mode" of the graphql-sse protocol: a `next` event for each, then
 * `complete`. An error is sent as a last `next`. A stream without `complete` was closed by the server, and the client must reconnect.
 */
export function writeStream(
  res: ServerResponse,
  results: AsyncIterable<GraphResult>,
  cancellation: Cancellation,
  { eventStreams, log }: GraphqlStreamOptions,
): Promise<void> {
  async function* events(): AsyncGenerator<ServerSentEvent> {
    for await (const { answer } of answersOf(res, results, cancellation, log))
      yield { event: 'next', data: JSON.stringify(answer) }
    if (!cancellation.isCancelled) yield { event: 'complete', data: '' }
  }
  return eventStreams.send(res, events(), cancellation)
}

/**
 * Whether an error is sent as an event with status 200. The protocol requires this for an invalid operation, because the EventSource
 * of a browser cannot read the body of another status.
 */
export const isSentAsEvent = (thrown: unknown, requestId: string): boolean =>
  refusedAnswer(thrown, requestId).status === 400

export async function* failedResult(thrown: unknown): AsyncGenerator<GraphResult> {
  yield* await Promise.reject<GraphResult[]>(thrown)
}

import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import type { EventStreams, ServerSentEvent } from '../edge/event-streams.ts'
import { requestIdOf } from '../edge/problem.ts'
import type { GraphResult } from '../graph/graph.ts'
import { executedAnswer, refusedAnswer, type GraphQLAnswer } from './answer.ts'

export interface GraphqlStreamOptions {
  readonly eventStreams: Pick<EventStreams, 'send'>
  readonly log: Pick<Logger, 'error'>
}

export async function* onlyResult(result: GraphResult): AsyncGenerator<GraphResult> {
  yield result
}

/**
 * Results as server-sent events, in the "distinct connections mode" of the graphql-sse protocol: one `next` each, then `complete`.
 * What ends them early is told as a last `next` with errors. A stream that just ends was cut by the server: its client connects again.
 */
export function writeStream(
  res: ServerResponse,
  results: AsyncIterable<GraphResult>,
  cancellation: Cancellation,
  { eventStreams, log }: GraphqlStreamOptions,
): Promise<void> {
  const requestId = requestIdOf(res)
  async function* events(): AsyncGenerator<ServerSentEvent> {
    try {
      for await (const result of results) yield next(executedAnswer(result, requestId))
    } catch (thrown) {
      if (cancellation.isCancelled) return
      const { code, errors } = refusedAnswer(thrown, requestId)
      if (code === 'INTERNAL') log.error({ err: thrown, requestId }, 'a subscription failed')
      yield next({ errors })
    }
    yield { event: 'complete', data: '' }
  }
  return eventStreams.send(res, events(), cancellation)
}

/**
 * What is wrong with the operation itself is told in the stream, as the protocol has it: a page in a browser cannot read the body of
 * another status.
 */
export const isToldInStream = (thrown: unknown, requestId: string): boolean =>
  refusedAnswer(thrown, requestId).status === 400

const next = (answer: GraphQLAnswer): ServerSentEvent => ({ event: 'next', data: JSON.stringify(answer) })

export async function* failing(thrown: unknown): AsyncGenerator<GraphResult> {
  yield* await Promise.reject<GraphResult[]>(thrown)
}

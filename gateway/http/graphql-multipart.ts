import type { ServerResponse } from 'node:http'
import type { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import type { StreamFormat } from '../edge/event-streams.ts'
import { setCode } from '../edge/exchange.ts'
import { requestIdOf } from '../edge/problem.ts'
import type { GraphResult } from '../graph/graph.ts'
import { executedAnswer, refusedAnswer, type GraphQLAnswer } from './answer.ts'
import type { GraphqlStreamOptions } from './graphql-stream.ts'

/** One part. `payload`: a result, or null with the errors that end the subscription. */
type Part = { readonly payload: GraphQLAnswer } | { readonly payload: null; readonly errors: GraphQLAnswer['errors'] }

const delimiter = '\r\n--graphql'

/** A client reads a part when the next delimiter arrives, so each part is sent with the delimiter after it. */
const partOf = (json: string): string => `\r\ncontent-type: application/json\r\n\r\n${json}${delimiter}`

const multipart: StreamFormat<Part> = {
  contentType: 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0',
  begin: delimiter,
  textOf: (part) => partOf(JSON.stringify(part)),
  heartbeat: partOf('{}'),
  end: '--\r\n',
}

/**
 * Sends results as `multipart/mixed;subscriptionSpec=1.0`, the protocol of Apollo's clients for subscriptions over HTTP. An error is sent
 * as a last part. A stream without the closing delimiter was closed by the server, and the client must subscribe again.
 */
export function writeMultipart(
  res: ServerResponse,
  results: AsyncIterable<GraphResult>,
  cancellation: Cancellation,
  { eventStreams, log }: GraphqlStreamOptions,
): Promise<void> {
  const requestId = requestIdOf(res)
  async function* parts(): AsyncGenerator<Part> {
    try {
      for await (const result of results) yield { payload: executedAnswer(result, requestId) }
    } catch (thrown) {
      if (cancellation.isCancelled) return
      const { code, errors } = refusedAnswer(thrown, requestId)
      setCode(res, code)
      if (code === 'INTERNAL') log.error({ err: thrown, requestId }, 'a subscription failed')
      yield { payload: null, errors }
    }
  }
  return eventStreams.sendAs(multipart, res, parts(), cancellation)
}

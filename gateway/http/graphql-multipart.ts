import type { ServerResponse } from 'node:http'
import type { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import type { StreamFormat } from '../edge/event-streams.ts'
import type { GraphResult } from '../graph/graph.ts'
import type { GraphQLAnswer } from './answer.ts'
import { answersOf, type GraphqlStreamOptions } from './graphql-stream.ts'

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
  async function* parts(): AsyncGenerator<Part> {
    for await (const { answer, hasFailed } of answersOf(res, results, cancellation, log))
      yield hasFailed ? { payload: null, errors: answer.errors } : { payload: answer }
  }
  return eventStreams.sendAs(multipart, res, parts(), cancellation)
}

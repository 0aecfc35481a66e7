import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OperationContext } from '../subgraphs/kernel/context.ts'
import type { Values } from './translate.ts'

export type PathValues = Readonly<Record<string, string | string[] | undefined>>

/**
 * The argument of a custom handler: the request and its validated inputs. The handler returns the body of the success response, or the
 * events if the success response is a stream. `context.cancellation` is cancelled when the client disconnects or the server stops.
 */
export interface CustomCall {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly context: OperationContext
  readonly path: PathValues
  readonly query: Values
  readonly body: unknown
}

/** Serves an operation that a stored GraphQL document cannot express. */
export type CustomHandler = (call: CustomCall) => unknown

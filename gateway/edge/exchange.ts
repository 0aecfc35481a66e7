import type { ServerResponse } from 'node:http'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { isErrorCode, type ErrorCode } from '../../subgraphs/kernel/errors.ts'

/** What is known of a request for its log line and the metrics. Each part of the gateway adds what it learns. */
export interface Exchange {
  /** From a bounded set: the operation of REST, the root field of GraphQL, or the kind of a path without operations. */
  operation: string
  /** The name that the client gave its GraphQL operation. */
  operationName: string | null
  /** The first error code of the answer. */
  code: ErrorCode | null
  caller: Caller | null
}

// A property is four times as fast as a WeakMap, and every request sets it.
const exchangeProperty = Symbol('exchange')
type KnownResponse = ServerResponse & { [exchangeProperty]?: Exchange }

/** Begins the exchange of a response. */
export function beginExchange(res: KnownResponse, operation: string): Exchange {
  return (res[exchangeProperty] = { operation, operationName: null, code: null, caller: null })
}

/** Undefined for responses that are not observed, such as health checks. */
export const exchangeOf = (res: ServerResponse): Exchange | undefined => (res as KnownResponse)[exchangeProperty]

/** Sets the first error code of the answer. Other values than our codes are ignored, so that their number is bounded. */
export function setCode(res: ServerResponse, code: unknown): void {
  const exchange = exchangeOf(res)
  if (exchange && isErrorCode(code)) exchange.code ??= code
}

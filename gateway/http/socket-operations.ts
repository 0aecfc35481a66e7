import type { IncomingMessage } from 'node:http'
import {
  GraphQLError,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLFormattedError,
} from 'graphql'
import { CloseCode, type Context, type ServerOptions, type SubscribePayload } from 'graphql-ws'
import type { Logger } from 'pino'
import { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { isJsonObject } from '../../subgraphs/kernel/json/exact-number.ts'
import type { IncomingRequest } from '../edge/address.ts'
import type { Admission } from '../edge/edge.ts'
import { endsCredential } from '../edge/ends-credential.ts'
import { newRequestId } from '../edge/problem.ts'
import { tooMuchUnsent } from '../edge/send-json.ts'
import { countedFrom, unsent } from '../edge/unsent.ts'
import type { GraphResult } from '../graph/graph.ts'
import type { Subscribe } from '../subscriptions/subscriptions.ts'
import { executedAnswer, refusedAnswer } from './answer.ts'
import { refuseUnreadable } from './parameters.ts'
import { permit } from './permit.ts'
import type { Ports } from './ports.ts'
import { incomingRequestOf } from './socket-credential.ts'

/** A connection, as the operations on it see it. */
export interface Connection {
  readonly request: IncomingMessage
  /** Operations that are not yet answered. */
  running: number
  /** Subscriptions that are live, or about to be. */
  subscriptions: number
  /** The operation with this id has become a live subscription: its message does not wait for an answer any more. */
  becameLive(id: string): void
  /** Whose share of unread answers its own count for. */
  sharer: string
  /** Null until a credential was accepted. */
  incoming: IncomingRequest | null
  close(code: number, reason: string): void
}

export interface OperationsOptions extends Ports {
  readonly log: Pick<Logger, 'error'>
  readonly operationsMax: number
  readonly subscriptionsMax: number
}

type Parameters = Record<string, unknown>
type ConnectionContext = Context<Parameters, Connection>
type Hooks = Required<
  Pick<
    ServerOptions<Parameters, Connection>,
    'onConnect' | 'onSubscribe' | 'execute' | 'subscribe' | 'onNext' | 'onError'
  >
>

/** What graphql-ws is told of a refused operation; the client gets the formatted errors. */
class Refused extends GraphQLError {
  constructor(readonly formatted: readonly GraphQLFormattedError[]) {
    super('refused')
  }
}

/** What graphql-ws is given of an operation that was let in. */
interface Executed {
  readonly document: DocumentNode
  /** Of the operation, or the results of a subscription. */
  readonly result: GraphResult | AsyncGenerator<GraphResult>
}

/**
 * A read is cancelled when its client completes it or leaves, and so is a subscription that is being opened: graphql-ws then ends
 * what stands under its id, which is meant for subscriptions.
 */
function cancellationOf({ subscriptions }: ConnectionContext, id: string): Cancellation {
  const cancellation = new Cancellation()
  const end = async (): Promise<IteratorReturnResult<void>> => {
    cancellation.cancel()
    return { done: true, value: undefined }
  }
  const ended = {
    next: end,
    return: end,
    throw: end,
    [Symbol.asyncIterator]: () => ended,
  } as unknown as AsyncGenerator<void>
  if (id in subscriptions) subscriptions[id] = ended
  else cancellation.cancel()
  return cancellation
}

/** What graphql-ws hands back with each result. */
interface Running {
  readonly result: Executed['result']
  readonly requestId: string
}

/** The operations of every connection: each is judged anew, as if it were a request, and then executed. */
export class SocketOperations {
  readonly #options: OperationsOptions

  constructor(options: OperationsOptions) {
    this.#options = options
  }

  readonly hooks: Hooks = {
    onConnect: (context) => this.#connect(context),
    onSubscribe: (context, id, payload) => this.#answer(context, id, payload),
    execute: ({ contextValue }) => (contextValue as Running).result as ExecutionResult,
    subscribe: ({ contextValue }) => (contextValue as Running).result as AsyncGenerator<ExecutionResult>,
    onNext: (_context, _id, _payload, { contextValue }, result) =>
      executedAnswer(result as GraphResult, (contextValue as Running).requestId) as FormattedExecutionResult,
    onError: (_context, _id, _payload, errors) => errors.flatMap((error) => this.#formatted(error)),
  }

  /** A connection without a credential is closed with 4401, one with a refused credential with 4403 and the code as reason. */
  async #connect({ extra, connectionParams }: ConnectionContext): Promise<void> {
    const incoming = incomingRequestOf(extra.request, connectionParams)
    if (!incoming) return extra.close(CloseCode.Unauthorized, 'UNAUTHENTICATED')
    try {
      const { caller } = await this.#options.edge.admit(incoming, null)
      // A cookie that is over is no credential.
      if (caller.kind === 'ANONYMOUS') return extra.close(CloseCode.Unauthorized, 'UNAUTHENTICATED')
      extra.incoming = incoming
    } catch (thrown) {
      if (thrown instanceof Refusal) return extra.close(CloseCode.Forbidden, thrown.code)
      throw thrown
    }
  }

  async #answer(
    context: ConnectionContext,
    id: string,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    let admission: Admission | null = null
    try {
      admission = await this.#admit(context.extra)
      const { document, result } = await this.#execute(admission, payload, context, id)
      this.#finished(admission, 200)
      const contextValue: Running = { result, requestId: admission.requestId }
      return { schema: this.#options.graph.apiSchema, document, contextValue }
    } catch (thrown) {
      if (admission) this.#finished(admission, thrown instanceof Refusal ? thrown.status : 500)
      return [this.#refused(thrown, admission?.requestId ?? newRequestId())]
    }
  }

  async #admit(connection: Connection): Promise<Admission> {
    const { edge, operationsMax } = this.#options
    const { incoming } = connection
    if (!incoming) throw new Refusal('UNAUTHENTICATED', 'The connection has no credential.')
    if (connection.running > operationsMax) {
      throw new Refusal('GRAPHQL_LIMIT_EXCEEDED', `At most ${operationsMax} operations run at once on one connection.`)
    }
    try {
      const admission = await edge.admit(incoming, null)
      connection.sharer = admission.caller.organizationId
      return admission
    } catch (thrown) {
      if (endsCredential(thrown)) connection.close(CloseCode.Forbidden, thrown.code)
      throw thrown
    }
  }

  async #execute(
    admission: Admission,
    { query, operationName, variables }: SubscribePayload,
    context: ConnectionContext,
    id: string,
  ): Promise<Executed> {
    const { graph } = this.#options
    const prepared = await permit(this.#options, admission, query, operationName || null, null)
    const given = isJsonObject(variables) ? variables : {}
    refuseUnreadable(given)
    const { caller, requestId } = admission
    if (!unsent.hasRoom(caller.organizationId, countedFrom)) throw tooMuchUnsent()
    const { document } = prepared.parts
    const cancellation = prepared.kind === 'mutation' ? undefined : cancellationOf(context, id)
    if (cancellation && prepared.kind === 'subscription') {
      const operation = { document: query, operationName: operationName || null, prepared, variables: given }
      const subscribe = { ...operation, caller, requestId, cancellation }
      return { document, result: await this.#subscribe(context.extra, id, subscribe) }
    }
    const result = await graph.execute(prepared, given, { caller, requestId, idempotency: null, cancellation })
    return { document, result }
  }

  async #subscribe(connection: Connection, id: string, subscribe: Omit<Subscribe, 'currentCaller' | 'ended'>) {
    const { edge, subscriptions, subscriptionsMax } = this.#options
    const { incoming } = connection
    if (connection.subscriptions >= subscriptionsMax) {
      const message = `At most ${subscriptionsMax} subscriptions are open at once on one connection.`
      throw new Refusal('GRAPHQL_LIMIT_EXCEEDED', message, { limit: subscriptionsMax })
    }
    connection.subscriptions++
    const currentCaller = () => edge.currentCaller(incoming!)
    const ended = () => void connection.subscriptions--
    try {
      const results = await subscriptions.open({ ...subscribe, currentCaller, ended })
      connection.becameLive(id)
      return results
    } catch (thrown) {
      connection.subscriptions--
      throw thrown
    }
  }

  #finished(admission: Admission, status: number): void {
    if (admission.usage) admission.usage.operation = 'graphql'
    this.#options.edge.finished(admission, status)
  }

  /** What a subscription ended with, or what an operation was refused with. */
  #formatted(error: GraphQLError): readonly GraphQLFormattedError[] {
    if (error instanceof Refused) return error.formatted
    return error.originalError ? this.#refused(error.originalError, newRequestId()).formatted : [error.toJSON()]
  }

  #refused(thrown: unknown, requestId: string): Refused {
    const { code, errors } = refusedAnswer(thrown, requestId)
    if (code === 'INTERNAL') this.#options.log.error({ err: thrown, requestId }, 'an operation on a websocket failed')
    return new Refused(errors)
  }
}

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
import { isErrorCode, Refusal, type ErrorCode } from '../../subgraphs/kernel/errors.ts'
import { asClientsSee } from '../../subgraphs/kernel/own-load.ts'
import { activeTracing, inSpan } from '../../subgraphs/kernel/tracing/tracing.ts'
import { isJsonObject } from '../../subgraphs/kernel/json/exact-number.ts'
import type { IncomingRequest } from '../edge/address.ts'
import type { Admission } from '../edge/edge.ts'
import { endsCredential } from '../edge/ends-credential.ts'
import { newRequestId } from '../edge/problem.ts'
import { tooManyUnread } from '../edge/send-json.ts'
import { countedBytesMin, unsent } from '../edge/unsent.ts'
import type { GraphResult } from '../graph/graph.ts'
import type { PreparedOperation } from '../graph/prepared-operation.ts'
import type { SocketOperation } from '../operate/request-metrics.ts'
import type { SubscriptionRequest } from '../subscriptions/source.ts'
import { executedAnswer, refusedAnswer, type RefusedAnswer } from './answer.ts'
import { refuseUnreadable } from './parameters.ts'
import { admitOperation } from './admit-operation.ts'
import type { Ports } from './ports.ts'
import { incomingRequestOf } from './socket-credential.ts'

/** The parts of a connection that its operations use. */
export interface Connection {
  readonly request: IncomingMessage
  /** The number of unanswered messages. */
  unanswered: number
  /** The number of subscriptions that are live or being opened. */
  subscriptions: number
  /** Counts the message of an operation as answered, because the operation has become a live subscription. */
  markLive(operationId: string): void
  /** The organization that the unread answers of this connection count for. */
  responseOwner: string
  /** Null until a credential was accepted. */
  incoming: IncomingRequest | null
  close(code: number, reason: string): void
}

export interface OperationsOptions extends Ports {
  readonly log: Pick<Logger, 'error'>
  /** Unanswered operations of one connection. */
  readonly operationsMax: number
  /** Open subscriptions of one connection. */
  readonly subscriptionsMax: number
  /** Called for each operation when it is answered, and for a subscription when it begins. */
  readonly onOperation?: ((operation: SocketOperation) => void) | undefined
}

type Parameters = Record<string, unknown>
type ConnectionContext = Context<Parameters, Connection>
type Hooks = Required<
  Pick<
    ServerOptions<Parameters, Connection>,
    'onConnect' | 'onSubscribe' | 'execute' | 'subscribe' | 'onNext' | 'onError'
  >
>

/** A refused operation, as graphql-ws receives it; the client gets the formatted errors. */
class RefusedOperation extends GraphQLError {
  readonly formatted: readonly GraphQLFormattedError[]
  readonly status: number
  readonly code: string

  constructor({ errors, status, code }: RefusedAnswer) {
    super('refused')
    this.formatted = errors
    this.status = status
    this.code = code
  }
}

interface ExecutedOperation {
  readonly document: DocumentNode
  /** One result, or the stream of results of a subscription. */
  readonly result: GraphResult | AsyncGenerator<GraphResult>
}

/**
 * Cancels a query, or a subscription that is being opened, when the client completes it or leaves. graphql-ws then calls `return` on
 * the entry of this id in `subscriptions`. It stores only the generators of live subscriptions there, so this puts in a generator that
 * does nothing but cancel.
 */
function cancellationOf({ subscriptions }: ConnectionContext, id: string): Cancellation {
  const cancellation = new Cancellation()
  const end = async (): Promise<IteratorReturnResult<void>> => {
    cancellation.cancel()
    return { done: true, value: undefined }
  }
  const cancelling = {
    next: end,
    return: end,
    throw: end,
    [Symbol.asyncIterator]: () => cancelling,
  } as unknown as AsyncGenerator<void>
  if (id in subscriptions) subscriptions[id] = cancelling
  else cancellation.cancel()
  return cancellation
}

/** The `contextValue` of an operation, which graphql-ws passes to the hooks. */
interface AnswerContext {
  readonly result: ExecutedOperation['result']
  readonly requestId: string
}

function firstCode({ errors }: GraphResult): ErrorCode | null {
  const code = asClientsSee(errors?.[0]?.extensions)?.['code']
  return isErrorCode(code) ? code : null
}

/** The hooks of graphql-ws: every operation is admitted, authorized and charged like an HTTP request, and then executed. */
export class SocketOperations {
  readonly #options: OperationsOptions

  constructor(options: OperationsOptions) {
    this.#options = options
  }

  readonly hooks: Hooks = {
    onConnect: (context) => this.#connect(context),
    onSubscribe: (context, id, payload) => {
      const tracing = activeTracing()
      const answer = () => this.#answer(context, id, payload)
      return tracing ? inSpan(tracing, 'WEBSOCKET', { kind: 'SERVER' }, answer) : answer()
    },
    execute: ({ contextValue }) => (contextValue as AnswerContext).result as ExecutionResult,
    subscribe: ({ contextValue }) => (contextValue as AnswerContext).result as AsyncGenerator<ExecutionResult>,
    onNext: (_context, _id, _payload, { contextValue }, result) =>
      executedAnswer(result as GraphResult, (contextValue as AnswerContext).requestId) as FormattedExecutionResult,
    onError: (_context, _id, _payload, errors) => errors.flatMap((error) => this.#formatted(error)),
  }

  /** A connection without a credential is closed with 4401, one with a refused credential with 4403 and the code as reason. */
  async #connect({ extra, connectionParams }: ConnectionContext): Promise<void> {
    const incoming = incomingRequestOf(extra.request, connectionParams)
    if (!incoming) return extra.close(CloseCode.Unauthorized, 'UNAUTHENTICATED')
    try {
      const { caller } = await this.#options.edge.admit(incoming, null)
      // The caller is anonymous if the session of its cookie has ended.
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
    const startedMs = performance.now()
    const answered = (prepared: PreparedOperation | null, status: number, code: string | null): void =>
      this.#report(admission, prepared, { status, code, durationMs: performance.now() - startedMs })
    let prepared: PreparedOperation | null = null
    try {
      admission = await this.#admit(context.extra)
      const { query, operationName } = payload
      prepared = await admitOperation(this.#options, admission, query, operationName || null, null)
      const { document, result } = await this.#execute(admission, prepared, payload, context, id)
      this.#finished(admission, 200)
      answered(prepared, 200, 'errors' in result ? firstCode(result) : null)
      const contextValue: AnswerContext = { result, requestId: admission.requestId }
      return { schema: this.#options.graph.apiSchema, document, contextValue }
    } catch (thrown) {
      const refused = this.#refused(thrown, admission?.requestId ?? newRequestId())
      if (admission) this.#finished(admission, refused.status)
      answered(prepared, refused.status, refused.code)
      return [refused]
    }
  }

  async #admit(connection: Connection): Promise<Admission> {
    const { edge, operationsMax } = this.#options
    const { incoming } = connection
    if (!incoming) throw new Refusal('UNAUTHENTICATED', 'Send the credential in the payload of connection_init.')
    if (connection.unanswered > operationsMax) {
      const message = `Limit of ${operationsMax} concurrent operations on one connection reached; wait for an answer, then retry.`
      throw new Refusal('GRAPHQL_LIMIT_EXCEEDED', message)
    }
    try {
      const admission = await edge.admit(incoming, null)
      connection.responseOwner = admission.caller.organizationId
      return admission
    } catch (thrown) {
      if (endsCredential(thrown)) connection.close(CloseCode.Forbidden, thrown.code)
      throw thrown
    }
  }

  async #execute(
    admission: Admission,
    prepared: PreparedOperation,
    { query, operationName, variables }: SubscribePayload,
    context: ConnectionContext,
    id: string,
  ): Promise<ExecutedOperation> {
    const { graph } = this.#options
    const given = isJsonObject(variables) ? variables : {}
    refuseUnreadable(given)
    const { caller, requestId } = admission
    if (!unsent.isWithinLimits(caller.organizationId, countedBytesMin))
      throw tooManyUnread(caller.organizationId, countedBytesMin)
    const { document } = prepared.parts
    const cancellation = prepared.kind === 'mutation' ? undefined : cancellationOf(context, id)
    if (cancellation && prepared.kind === 'subscription') {
      const operation = { document: query, operationName: operationName || null, prepared, variables: given }
      const request = { ...operation, caller, requestId, cancellation }
      return { document, result: await this.#subscribe(context.extra, id, request) }
    }
    const result = await graph.execute(prepared, given, { caller, requestId, idempotency: null, cancellation })
    return { document, result }
  }

  async #subscribe(connection: Connection, id: string, request: Omit<SubscriptionRequest, 'currentCaller' | 'onEnd'>) {
    const { edge, subscriptions, subscriptionsMax } = this.#options
    const { incoming } = connection
    if (connection.subscriptions >= subscriptionsMax) {
      const message = `Limit of ${subscriptionsMax} open subscriptions on one connection reached; complete one, then retry.`
      throw new Refusal('GRAPHQL_LIMIT_EXCEEDED', message, { limit: subscriptionsMax })
    }
    connection.subscriptions++
    // After this close code clients connect again, with a credential that is valid by then; an error would end the subscription for good.
    const currentCaller = async () => {
      try {
        return await edge.currentCaller(incoming!)
      } catch (thrown) {
        if (endsCredential(thrown)) connection.close(CloseCode.Forbidden, thrown.code)
        throw thrown
      }
    }
    const onEnd = () => void connection.subscriptions--
    try {
      const results = await subscriptions.open({ ...request, currentCaller, onEnd })
      connection.markLive(id)
      return results
    } catch (thrown) {
      connection.subscriptions--
      throw thrown
    }
  }

  #report(
    admission: Admission | null,
    prepared: PreparedOperation | null,
    outcome: Pick<SocketOperation, 'status' | 'code' | 'durationMs'>,
  ): void {
    this.#options.onOperation?.({
      ...outcome,
      id: admission?.requestId ?? '',
      operation: prepared?.rootField ?? 'graphql',
      operationName: prepared?.name ?? null,
      organizationId: admission?.caller.organizationId ?? '',
      credentialId: admission?.caller.credentialId ?? '',
    })
  }

  #finished(admission: Admission, status: number): void {
    if (admission.usage) admission.usage.operation = 'graphql'
    this.#options.edge.finished(admission, status)
  }

  /** The errors that the client gets for a refused operation or for a subscription that ended with an error. */
  #formatted(error: GraphQLError): readonly GraphQLFormattedError[] {
    if (error instanceof RefusedOperation) return error.formatted
    return error.originalError ? this.#refused(error.originalError, newRequestId()).formatted : [error.toJSON()]
  }

  #refused(thrown: unknown, requestId: string): RefusedOperation {
    const answer = refusedAnswer(thrown, requestId)
    if (answer.code === 'INTERNAL')
      this.#options.log.error({ err: thrown, requestId }, 'an operation on a websocket failed')
    return new RefusedOperation(answer)
  }
}

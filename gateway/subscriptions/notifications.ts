import { Kind, OperationTypeNode, parseType, print, stripIgnoredCharacters, type GraphQLSchema } from 'graphql'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import type { OperationParts } from '../graph/operation.ts'
import type { GraphResult } from '../graph/graph.ts'
import type { PreparedOperation } from '../graph/prepared-operation.ts'
import { unusedVariableName } from './change-query.ts'
import type { ConcurrencyLimiter } from './concurrency-limiter.ts'
import { convertRoot } from './convert-root.ts'
import { errorOf } from './record-changes.ts'
import type { OpenedSubscription, OpenSubscription, SourceDependencies, SubscriptionRequest } from './source.ts'
import { Wakeup } from './wakeup.ts'

export interface NotificationsPort {
  /** Calls `wake` after new notifications of the user, and sometimes without any, until the returned function is called. */
  onNotified(organizationId: string, userId: string, wake: () => void): Promise<() => void>
}

const cursorsDocument = 'query ($after: String) { notificationCursors(after: $after) }'

/** `notificationAdded(after)` becomes `notificationAt(cursor)`; its selection is unchanged. */
function queryOf(schema: GraphQLSchema, parts: OperationParts): { document: string; cursorVariable: string } {
  const cursorVariable = unusedVariableName(parts, 'cursor')
  const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const
  const variable = { kind: Kind.VARIABLE, name: nameNode(cursorVariable) } as const
  const document = convertRoot(schema, parts, {
    operation: OperationTypeNode.QUERY,
    variables: [{ kind: Kind.VARIABLE_DEFINITION, variable, type: parseType('String!') }],
    field: (node) => ({
      ...node,
      alias: node.alias ?? nameNode(node.name.value),
      name: nameNode('notificationAt'),
      arguments: [{ kind: Kind.ARGUMENT, name: nameNode('cursor'), value: variable }],
    }),
  })
  return { document: stripIgnoredCharacters(print(document)), cursorVariable }
}

interface AddedOptions extends SubscriptionRequest {
  readonly graph: SourceDependencies['graph']
  readonly limiter: ConcurrencyLimiter
  readonly cursors: PreparedOperation
  readonly query: PreparedOperation
  readonly cursorVariable: string
}

/** It keeps a cursor and no notification, so a slow client needs no memory. */
class AddedNotifications {
  readonly wakeup: Wakeup
  #after = '0'

  constructor(private readonly options: AddedOptions) {
    this.wakeup = new Wakeup(options)
  }

  /** Begins after the given cursor, or after the latest notification. Rejects if the caller may not read notifications. */
  async begin(after: unknown): Promise<void> {
    const { caller } = this.options
    const given = typeof after === 'string' ? after : null
    const cursors = await this.#cursors(caller, given)
    this.#after = given ?? cursors.at(-1) ?? '0'
  }

  async *results(): AsyncGenerator<GraphResult> {
    const { cancellation, currentCaller } = this.options
    while (!cancellation.isCancelled) {
      this.wakeup.requireCredential()
      const cursors = await this.#cursors(await currentCaller(), this.#after)
      for (const cursor of cursors) {
        const result = await this.#resultAt(cursor)
        if (cancellation.isCancelled) return
        this.#after = cursor
        if (result) yield result
        this.wakeup.requireCredential()
      }
      if (cursors.length === 0) await this.wakeup.wait()
    }
  }

  async #cursors(caller: Caller, after: string | null): Promise<readonly string[]> {
    const { data, errors } = await this.#execute(this.options.cursors, caller, { after })
    if (errors?.[0]) throw errorOf(errors[0])
    return (data as { notificationCursors: string[] }).notificationCursors
  }

  /** Null if the notification was deleted in the meantime. */
  async #resultAt(cursor: string): Promise<GraphResult | null> {
    const { query, variables, cursorVariable, currentCaller } = this.options
    const result = await this.#execute(query, await currentCaller(), { ...variables, [cursorVariable]: cursor })
    const [added] = Object.values(result.data ?? {})
    if (added) return result
    if (result.errors?.[0]) throw errorOf(result.errors[0])
    return null
  }

  #execute(prepared: PreparedOperation, caller: Caller, variables: object): Promise<GraphResult> {
    const { graph, limiter, requestId, cancellation } = this.options
    const context = { caller, requestId, idempotency: null, cancellation }
    return limiter.run(caller.organizationId, () => graph.execute(prepared, { ...variables }, context))
  }
}

/** Opens subscriptions to the notifications of the caller. */
export const openNotifications =
  ({ graph }: SourceDependencies, limiter: ConcurrencyLimiter, port: NotificationsPort): OpenSubscription =>
  async ({ args, parts }, request): Promise<OpenedSubscription> => {
    const { organizationId, userId } = request.caller
    const { document, cursorVariable } = queryOf(graph.apiSchema, parts)
    const query = await graph.prepareAsync(document, null, request.caller)
    const cursors = await graph.prepareAsync(cursorsDocument, null, request.caller)
    const added = new AddedNotifications({ ...request, graph, limiter, cursors, query, cursorVariable })
    // The watch begins before the latest cursor is read, so that no notification in between is missed.
    const leave = await port.onNotified(organizationId, userId, added.wakeup.notify)
    try {
      await added.begin(args['after'])
      return { results: added.results(), recheck: added.wakeup.recheck, leave }
    } catch (thrown) {
      leave()
      throw thrown
    }
  }

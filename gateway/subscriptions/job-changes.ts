import { Kind, OperationTypeNode, print, stripIgnoredCharacters, type GraphQLSchema } from 'graphql'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import type { GraphResult } from '../graph/graph.ts'
import type { OperationParts } from '../graph/operation.ts'
import type { PreparedOperation } from '../graph/prepared-operation.ts'
import type { ConcurrencyLimiter } from './concurrency-limiter.ts'
import { convertRoot } from './convert-root.ts'
import { errorOf } from './record-changes.ts'
import type { OpenedSubscription, OpenSubscription, SourceDependencies, SubscriptionRequest } from './source.ts'
import { Wakeup } from './wakeup.ts'

export interface JobsPort {
  /** Calls `wake` after changes of the job, and sometimes without any, until the returned function is called. */
  onJobChanged(organizationId: string, id: string, wake: () => void): Promise<() => void>
}

/** A kind of jobs whose progress can be subscribed to. */
export interface JobKind {
  /** The query of one job by its id. */
  readonly query: string
  /** The field with its state, and those states that are the last ones. */
  readonly state: string
  readonly finalStates: ReadonlySet<unknown>
}

export const bulkJobs: JobKind = {
  query: 'bulkJob',
  state: 'state',
  finalStates: new Set(['JOB_COMPLETE', 'FAILED', 'ABORTED']),
}

export const undoJobs: JobKind = {
  query: 'undoJob',
  state: 'status',
  finalStates: new Set(['SUCCEEDED', 'FAILED', 'ABORTED']),
}

const stateDocument = ({ query, state }: JobKind): string =>
  `query ($id: ID!) { job: ${query}(id: $id) { state: ${state} } }`

/** `bulkJobChanged(id)` becomes `bulkJob(id)`; its arguments and its selection are unchanged. */
function queryOf(schema: GraphQLSchema, parts: OperationParts, kind: JobKind): string {
  const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const
  const document = convertRoot(schema, parts, {
    operation: OperationTypeNode.QUERY,
    field: (node) => ({ ...node, alias: node.alias ?? nameNode(node.name.value), name: nameNode(kind.query) }),
  })
  return stripIgnoredCharacters(print(document))
}

interface ChangesOptions extends SubscriptionRequest {
  readonly graph: SourceDependencies['graph']
  readonly limiter: ConcurrencyLimiter
  readonly kind: JobKind
  readonly id: string
  readonly state: PreparedOperation
  readonly query: PreparedOperation
}

/** The job as it is, and then whenever it is another one for the subscriber. A slow client gets the latest state, so it needs no memory. */
class JobChanges {
  readonly wakeup: Wakeup
  #first: { readonly state: unknown; readonly result: GraphResult } | null = null

  constructor(private readonly options: ChangesOptions) {
    this.wakeup = new Wakeup(options)
  }

  /** Reads the job. Rejects if the caller cannot see it. */
  async begin(): Promise<void> {
    this.#first = await this.#read(this.options.caller)
  }

  async *results(): AsyncGenerator<GraphResult> {
    const { cancellation, currentCaller, kind } = this.options
    let sent = ''
    while (!cancellation.isCancelled) {
      this.wakeup.requireCredential()
      const { state, result } = this.#first ?? (await this.#read(await currentCaller()))
      this.#first = null
      if (cancellation.isCancelled) return
      const text = JSON.stringify(result)
      if (text !== sent) yield result
      sent = text
      if (kind.finalStates.has(state)) return
      await this.wakeup.wait()
    }
  }

  /** The state is read first, so that the job of a final state is the last one. */
  async #read(caller: Caller): Promise<{ readonly state: unknown; readonly result: GraphResult }> {
    const { id, state, query, variables } = this.options
    const stated = await this.#execute(state, caller, { id })
    if (stated.errors?.[0]) throw errorOf(stated.errors[0])
    const result = await this.#execute(query, caller, variables)
    const [job] = Object.values(result.data ?? {})
    if (!job && result.errors?.[0]) throw errorOf(result.errors[0])
    return { state: (stated.data as { job: { state: unknown } }).job.state, result }
  }

  #execute(prepared: PreparedOperation, caller: Caller, variables: object): Promise<GraphResult> {
    const { graph, limiter, requestId, cancellation } = this.options
    const context = { caller, requestId, idempotency: null, cancellation }
    return limiter.run(caller.organizationId, () => graph.execute(prepared, { ...variables }, context))
  }
}

/** Opens subscriptions to the progress of one job. */
export const openJobChanges =
  (
    { graph }: SourceDependencies,
    { kind, limiter, port }: { kind: JobKind; limiter: ConcurrencyLimiter; port: JobsPort },
  ): OpenSubscription =>
  async ({ args, parts }, request): Promise<OpenedSubscription> => {
    const { caller } = request
    const id = String(args['id']).toLowerCase()
    const query = await graph.prepareAsync(queryOf(graph.apiSchema, parts, kind), null, caller)
    const state = await graph.prepareAsync(stateDocument(kind), null, caller)
    const changes = new JobChanges({ ...request, graph, limiter, kind, id, query, state })
    // The watch begins before the job is read, so that no change in between is missed.
    const leave = await port.onJobChanged(caller.organizationId, id, changes.wakeup.notify)
    try {
      await changes.begin()
      return { results: changes.results(), recheck: changes.wakeup.recheck, leave }
    } catch (thrown) {
      leave()
      throw thrown
    }
  }

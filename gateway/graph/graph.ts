import type { GraphQLFormattedError, GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import { refusalOfSize, refusalOfSizeWhenDone } from '../../subgraphs/kernel/json/answer-size.ts'
import type { Caller, OperationContext } from '../../subgraphs/kernel/context.ts'
import type { DryRunMode, DryRunReport } from '../../subgraphs/kernel/dry-run.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { isJsonLarge } from '../../subgraphs/kernel/json/json-size.ts'
import type { SubgraphEndpoint, SubgraphResult } from '../../subgraphs/kernel/subgraph/endpoint.ts'
import { ownEventLoopTurn } from '../../subgraphs/kernel/work/turn.ts'
import { requireScopes } from '../../subgraphs/kernel/unmet-scopes.ts'
import { activeTracing, inSpan } from '../../subgraphs/kernel/tracing/tracing.ts'
import { clientError, refusedOperation, unavailable } from './failures.ts'
import { defaultLimits, type GraphLimits } from './limits.ts'
import type { Execution, PrepareDependencies } from './execution.ts'
import { prepare, type PreparedOperation } from './prepared-operation.ts'
import { runPlan, type PlanRun } from './run-plan.ts'
import type { Data } from './shape.ts'
import { LoadedSupergraph } from './supergraph.ts'
import { withClientNames } from './conflicting-aliases.ts'
import type { Variables } from './variable-values.ts'

export interface GraphOptions {
  /** The text of the supergraph; or loaded, if several graphs share it. */
  readonly supergraph: string | LoadedSupergraph
  readonly endpoints: readonly SubgraphEndpoint[]
  readonly limits?: Partial<GraphLimits>
  /** Allows introspection without a credential. */
  readonly openIntrospection?: boolean
  /** Receives every error that is a defect or an unavailable subgraph; the client gets only a code. */
  readonly onDefect?: (thrown: unknown, context: OperationContext) => void
  /** False only in comparison tests: every operation then runs through the executor. */
  readonly singleFetch?: boolean
}

export interface GraphResult {
  readonly data: Data | null
  readonly errors?: readonly GraphQLFormattedError[]
  readonly extensions?: {
    /** Nulls at non-null positions for which no subgraph gave an error. */
    readonly valueCompletion?: readonly GraphQLFormattedError[]
    /** Of a dry run: what it would have done. */
    readonly dryRun?: DryRunReport
  }
  /** How a mutation was tried. */
  readonly tried?: DryRunMode
  /** True if a mutation was answered from its idempotency record and nothing ran. */
  readonly replayed?: boolean
}

const extensionsOf = (extensions: NonNullable<GraphResult['extensions']>): Pick<GraphResult, 'extensions'> =>
  Object.keys(extensions).length > 0 ? { extensions } : {}

const operationKeyOf = (document: string, operationName: string | null): string =>
  operationName === null ? document : `${operationName}\n${document}`

/** The limit of the cache of operations, and also of the cache of the outcomes of their conditions. */
const cacheBytesMax = 64_000_000

const subscriptionTransports =
  'Send a subscription over a websocket, or by POST as an event stream with Accept: text/event-stream.'

/** The only way to the subgraphs: it checks limits and scopes before it executes an operation. */
export class Graph {
  /** The schema that clients see. */
  readonly apiSchema: GraphQLSchema
  private readonly dependencies: PrepareDependencies
  private readonly openIntrospection: boolean
  private readonly onDefect: (thrown: unknown, context: OperationContext) => void
  private readonly known = new LRUCache<string, PreparedOperation>({ maxSize: cacheBytesMax })

  private constructor(options: GraphOptions) {
    const { supergraph: given } = options
    const supergraph = typeof given === 'string' ? new LoadedSupergraph(given) : given
    const endpoints = new Map(options.endpoints.map((endpoint) => [endpoint.name, endpoint]))
    const missing = supergraph.subgraphNames.filter((name) => !endpoints.has(name))
    if (missing.length > 0)
      throw new Error(`The supergraph names subgraphs without an endpoint: ${missing.join(', ')}.`)
    const limits = { ...defaultLimits, ...options.limits }
    const outcomes = new LRUCache<string, Execution>({ maxSize: cacheBytesMax })
    this.dependencies = { supergraph, endpoints, limits, singleFetch: options.singleFetch ?? true, outcomes }
    this.apiSchema = supergraph.apiSchema
    this.openIntrospection = options.openIntrospection ?? false
    this.onDefect = options.onDefect ?? (() => {})
  }

  static create(options: GraphOptions): Graph {
    return new Graph(options)
  }

  /**
   * Parses and checks a document and caches the result; throws a `Refusal` whose code names the kind of error. Its message suggests
   * names of the schema if the caller may introspect.
   */
  prepare(document: string, operationName: string | null = null, caller: Caller | null = null): PreparedOperation {
    const key = operationKeyOf(document, operationName)
    const known = this.known.get(key)
    if (known) return known
    const prepared = prepare(this.dependencies, document, operationName, caller !== null && this.mayIntrospect(caller))
    this.known.set(key, prepared, { size: prepared.bytes })
    return prepared
  }

  /** Like `prepare`, for documents of clients: a document that is not cached blocks the event loop for a while, so it waits for its turn. */
  async prepareAsync(
    document: string,
    operationName: string | null,
    caller: Caller | null = null,
  ): Promise<PreparedOperation> {
    if (!this.known.has(operationKeyOf(document, operationName))) await ownEventLoopTurn(caller?.organizationId)
    return this.prepare(document, operationName, caller)
  }

  /** Whether the caller may read the schema. */
  mayIntrospect({ kind }: Caller): boolean {
    return kind !== 'ANONYMOUS' || this.openIntrospection
  }

  /** Estimated bytes of the caches of operations, of outcomes of their conditions, and of introspection answers. */
  get cacheBytes(): { readonly operations: number; readonly outcomes: number; readonly introspection: number } {
    const { outcomes, supergraph } = this.dependencies
    return {
      operations: this.known.calculatedSize,
      outcomes: outcomes.calculatedSize,
      introspection: supergraph.introspection.bytes,
    }
  }

  /** Throws the `Refusal` that this caller would get from `execute`. */
  authorize(prepared: PreparedOperation, caller: Caller): void {
    if (prepared.parts.introspects && !this.mayIntrospect(caller)) {
      throw new Refusal('INTROSPECTION_DISABLED', 'Introspection needs a credential: send Authorization or X-API-Key.')
    }
    requireScopes(caller, prepared.requirements)
  }

  /**
   * Rejects with a `Refusal` before execution if the caller lacks a scope, a variable is invalid or the operation costs too much;
   * after execution only if the answer is too large. Errors during execution are in the errors of the result.
   */
  async execute(prepared: PreparedOperation, given: Variables, context: OperationContext): Promise<GraphResult> {
    const tracing = activeTracing()
    const result = await (tracing
      ? inSpan(tracing, `graph ${prepared.rootField}`, {}, () => this.run(prepared, given, context))
      : this.run(prepared, given, context))
    // A small result is far below the size limit, so it needs no exact measurement.
    if (!isJsonLarge(result)) return result
    await ownEventLoopTurn(context.caller.organizationId)
    const bytesMax = prepared.limits?.answerBytes
    const refusal =
      prepared.kind === 'mutation' ? refusalOfSizeWhenDone(result, bytesMax) : refusalOfSize(result, bytesMax)
    if (refusal) throw refusal
    return result
  }

  private async run(prepared: PreparedOperation, given: Variables, request: OperationContext): Promise<GraphResult> {
    const { limits, isAtomic } = prepared
    const dryRun = prepared.kind === 'mutation' ? (prepared.dryRun ?? request.dryRun) : undefined
    const context: OperationContext = {
      ...request,
      queryName: prepared.queryName,
      ...(limits && { limits }),
      ...(isAtomic && { isAtomic }),
      ...(prepared.allowsDuplicates && { allowsDuplicates: true }),
      ...(dryRun && { dryRun, idempotency: null }),
    }
    this.authorize(prepared, context.caller)
    if (prepared.kind === 'subscription') {
      throw new Refusal('OPERATION_RESOLUTION_FAILURE', subscriptionTransports)
    }
    const variables = prepared.coerced(given, this.mayIntrospect(context.caller))
    requireScopes(context.caller, prepared.requirementsIn(variables))
    if (dryRun) prepared.refuseUntriable()
    prepared.refuseCostly(variables)

    const execution = prepared.executionFor(variables)
    const { route } = execution
    if (route.kind === 'single') {
      let result: SubgraphResult
      try {
        result = await route.endpoint.execute({ document: route.document, variables, context })
      } catch (thrown) {
        if (!context.cancellation?.isCancelled) this.onDefect(thrown, context)
        const refusal = refusedOperation(thrown)
        if (refusal) throw refusal
        return { data: execution.answers.of({}, variables).data, errors: unavailable(thrown, [], route.rootKeys) }
      }
      if (result.data && !result.errors && !result.replayed && !result.dryRun) return { data: result.data }
      return { ...this.answer(execution, variables, result), ...(result.dryRun && dryRun && { tried: dryRun }) }
    }

    const run: PlanRun = {
      schema: this.dependencies.supergraph.schema,
      variables,
      context,
      onDefect: this.onDefect,
      errors: [],
      data: {},
      replayed: false,
      dryRun: null,
    }
    if (route.step) await runPlan(run, route.step)
    const { data, errors } = execution.answers.of(run.data, variables)
    return {
      data,
      ...(run.errors.length > 0 && { errors: withClientNames(run.errors, execution.clientNames) }),
      ...extensionsOf({
        ...(run.errors.length === 0 && errors.length > 0 && { valueCompletion: errors }),
        ...(run.dryRun && { dryRun: run.dryRun }),
      }),
      ...(run.dryRun && dryRun && { tried: dryRun }),
      ...(run.replayed && { replayed: true }),
    }
  }

  /** The answer of a single subgraph, which already has the client's shape. Without data, completion decides how far the null propagates. */
  private answer(execution: Execution, variables: Variables, result: SubgraphResult): GraphResult {
    const errors = result.errors?.map((error) => clientError(error, error.path))
    return {
      data: result.data ?? execution.answers.of({}, variables).data,
      ...(errors?.length && { errors }),
      ...(result.dryRun && { extensions: { dryRun: result.dryRun } }),
      ...(result.replayed && { replayed: true }),
    }
  }
}

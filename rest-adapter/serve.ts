import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PreparedOperation } from '../gateway/graph/prepared-operation.ts'
import { readBody } from '../gateway/edge/body.ts'
import { cancellationOf } from '../gateway/edge/cancellation-of.ts'
import type { Admission } from '../gateway/edge/edge.ts'
import type { ServerSentEvent } from '../gateway/edge/event-streams.ts'
import { exchangeOf } from '../gateway/edge/exchange.ts'
import { claimOf } from '../gateway/edge/idempotency.ts'
import { requireScopes } from '../subgraphs/kernel/unmet-scopes.ts'
import { cancellationOnDisconnect } from '../subgraphs/kernel/cancellation.ts'
import type { Clock } from '../subgraphs/kernel/time/clock.ts'
import type { Caller, IdempotencyClaim, OperationContext } from '../subgraphs/kernel/context.ts'
import type { DryRunEvent } from '../subgraphs/kernel/dry-run.ts'
import { memberScope, type ScopeRequirement } from '../subgraphs/kernel/scopes.ts'
import { sendHandledEvents, sendSubscription, streamPortsOf } from './event-response.ts'
import type { CustomHandler, PathValues } from './custom-handler.ts'
import { triedAnswer } from './dry-run.ts'
import { preferencesOfCall } from './preferences.ts'
import { writeResponse } from './response.ts'
import { hiddenFrom, removeHiddenFields } from './hidden-fields.ts'
import { readJson, refusalOf, refuseFields } from './body.ts'
import { ReadOnlyComparison, versionInBody, withoutUnchanged } from './read-only-comparison.ts'
import { withoutReadOnly, type SentReadOnly } from './read-only.ts'
import { headNotAllowed, keyRequired, noSuchRecord } from './refusals.ts'
import type { RestOperation } from './rest-operation.ts'
import { setSunsetHeaders, recordDeprecatedCall, refuseEnded } from './deprecation.ts'
import type { DeprecatedCalls, EdgePort, GraphPort, StreamsPort } from './ports.ts'
import { queryPairs } from './query.ts'
import type { ShapeSource } from '../subgraphs/kernel/record/shape-source.ts'
import { gatherRelated, ShapedReads } from './shape/shaped-reads.ts'
import { shapeIn, type Shape } from './shape/shaping.ts'
import { takeKeyFromQuery } from './query-key.ts'
import { withCookies, writeSessionCookies } from './session-cookies.ts'
import { Translation, type Values } from './translate.ts'
import { refuseUnknownParameters } from './unknown-parameters.ts'
import { bodyRequired, type Validator } from './validate.ts'
import { ErrorTranslation } from './error-translation.ts'

export interface Dependencies {
  readonly version: string
  readonly edge: EdgePort
  readonly graph: GraphPort
  readonly shapes: Pick<ShapeSource, 'shapesOf'>
  readonly validator: Validator
  readonly clock: Clock
  readonly deprecatedCalls: DeprecatedCalls
  readonly customHandlers: ReadonlyMap<string, CustomHandler>
  /** Null where no client is connected: then streams are refused. */
  readonly streams: StreamsPort | null
}

type ServedRequest = IncomingMessage & { readonly params: PathValues }

/** The compiled form of an operation. It is created at the first request and then reused. */
interface CompiledOperation {
  readonly translation: Translation
  readonly prepared: PreparedOperation | null
  /** Null if callers choose nothing of the answer. */
  readonly shapes: ShapedReads | null
  readonly requirements: readonly ScopeRequirement[]
}

interface Inputs {
  readonly query: Values
  readonly body: unknown
  readonly claim: IdempotencyClaim | null
  /** What the caller chose of the answer; null: all of it. */
  readonly shape: Shape | null
  /** The read-only values in the body that was sent; they are not in `body`. */
  readonly readOnly: SentReadOnly | null
}

/** One REST operation behind its route: from the admitted request to the written answer. */
export class Endpoint {
  private readonly readsBody: boolean
  private compiled: CompiledOperation | null = null
  private errorTranslation: ErrorTranslation | null = null
  private readonly comparison: ReadOnlyComparison | null

  constructor(
    private readonly operation: RestOperation,
    private readonly dependencies: Dependencies,
    /** The operation that reads what this one changes; null if the body has no read-only properties. */
    reading: RestOperation | null = null,
  ) {
    this.readsBody = operation.method !== 'get' && !operation.takesFile
    this.comparison = reading && new ReadOnlyComparison(reading, dependencies)
  }

  readonly serve = async (req: ServedRequest, res: ServerResponse): Promise<void> => {
    const { edge, clock, deprecatedCalls } = this.dependencies
    const { sunset } = this.operation
    const exchange = exchangeOf(res)
    if (exchange) exchange.operation = this.operation.documentId
    try {
      if (sunset) setSunsetHeaders(sunset, req.params, res)
      if (this.operation.keyParameter !== null) takeKeyFromQuery(req, this.operation.keyParameter)
      const admission = await edge.admit(req, res, (caller) => this.authorize(caller, req))
      const { caller, requestId, usage } = admission
      if (usage) usage.operation = this.operation.documentId
      if (sunset) recordDeprecatedCall(this.operation, sunset, usage?.counted ?? null, clock.now(), deprecatedCalls)
      await edge.spend(admission, res)

      const compiled = (this.compiled ??= this.compile())
      const invalidParameter = compiled.translation.invalidPathParameter(req.params)
      if (invalidParameter !== null) throw noSuchRecord(invalidParameter)
      const preferred = preferencesOfCall(this.operation, compiled.prepared, req, res)
      const given = await this.inputs(compiled, caller, req, res, preferred.dryRun !== undefined)
      const reading = { caller, requestId, idempotency: null, cancellation: cancellationOf('query', res) }
      const inputs = given.readOnly ? await this.compared(compiled, given, reading, req) : given
      const cancellation = this.operation.success.isStream
        ? cancellationOnDisconnect(res)
        : cancellationOf(compiled.prepared?.kind, res)
      const context: OperationContext = { caller, requestId, idempotency: inputs.claim, cancellation, ...preferred }
      const { prepared } = compiled
      if (prepared?.kind === 'subscription') {
        const call = { prepared, admission, cancellation: cancellation!, req, res }
        const variables = compiled.translation.variables(req.params, inputs.query, req.headers, inputs.body)
        const toRestError = (thrown: unknown): unknown => this.toRestError(thrown, variables, inputs.query)
        await sendSubscription(this.operation, streamPortsOf(this.dependencies), variables, toRestError, call)
      } else if (prepared) await this.execute(compiled, inputs, context, req, res)
      else await this.runCustomHandler(inputs, admission, context, req, res)
    } catch (thrown) {
      edge.refuse(thrown, req, res)
    }
  }

  private compile(): CompiledOperation {
    const { operation } = this
    const translation = new Translation(operation)
    if (operation.document === null) {
      const { isPublic, isForEveryCredential, scopes } = operation
      const needed = scopes.length > 0 ? scopes : [isForEveryCredential ? memberScope : 'SESSION']
      // A public operation accepts every credential, too.
      const requirements = [isPublic ? [['PUBLIC'], [memberScope]] : [needed]]
      return { translation, prepared: null, shapes: null, requirements }
    }
    try {
      const { graph } = this.dependencies
      const shapes = operation.shaping && new ShapedReads(operation, graph)
      return { translation, prepared: graph.prepare(operation.document), shapes, requirements: [] }
    } catch (cause) {
      // A refusal would blame the request, but the defect is ours: the stored document does not fit the graph.
      throw new Error(`The stored document ${operation.documentId} is not valid in the graph.`, { cause })
    }
  }

  private authorize(caller: Caller, req: ServedRequest): void {
    const { sunset, success } = this.operation
    if (success.isStream) streamPortsOf(this.dependencies)
    if (sunset) refuseEnded(sunset, this.dependencies.clock.now())
    const { keyParameter } = this.operation
    if (keyParameter !== null && caller.kind === 'ANONYMOUS') throw keyRequired(keyParameter)
    const { prepared, requirements } = (this.compiled ??= this.compile())
    if (req.method === 'HEAD' && prepared?.kind === 'mutation') throw headNotAllowed()
    if (prepared) this.dependencies.graph.authorize(prepared, caller)
    else requireScopes(caller, requirements)
  }

  private async inputs(
    { translation }: CompiledOperation,
    caller: Caller,
    req: ServedRequest,
    res: ServerResponse,
    isDryRun: boolean,
  ): Promise<Inputs> {
    const { operation } = this
    const raw = this.readsBody ? await readBody(req, caller.organizationId, operation.limits.bodyBytes) : null
    const claim = raw && operation.acceptsIdempotencyKey && !isDryRun ? claimOf(caller, req, raw) : null

    const { values: query, unknown } = translation.readQuery(queryPairs(req.url!))
    const refused = operation.ignoresUnknownParameters ? [] : unknown
    refuseUnknownParameters(refused, translation.parameterNames, req, res)
    const shape = operation.shaping && shapeIn(operation.shaping, query)
    let body: unknown
    let readOnly: SentReadOnly | null = null
    if (raw && !operation.body && raw.length > 0) refuseFields(raw, req.headers)
    if (raw && operation.body) {
      if (raw.length > 0) body = readJson(raw, req.headers)
      else if (operation.body.required) throw bodyRequired()
      if (this.comparison && operation.readOnly) ({ body, readOnly } = withoutReadOnly(operation.readOnly, body))
    }
    if (operation.body || translation.hasInputs(query, req.headers)) {
      this.dependencies.validator.check(operation, { url: req.url!, query, headers: req.headers, body })
    }
    return { query, body, claim, shape, readOnly }
  }

  /**
   * Refuses read-only values that differ from those that are read; with an `Idempotency-Key`, the stored answer comes first. Who sends
   * back what was read changes only what differs from it, so a PATCH without the rest works in every state of the record.
   */
  private async compared(
    { translation }: CompiledOperation,
    inputs: Inputs,
    context: OperationContext,
    req: ServedRequest,
  ): Promise<Inputs> {
    const { readOnly, claim, body } = inputs
    if (!readOnly) return inputs
    const inHeader = translation.variables(req.params, {}, req.headers, undefined)['expectedVersion']
    const expected =
      versionInBody(readOnly, this.operation, req.headers)?.version ??
      (typeof inHeader === 'number' ? inHeader : undefined)
    const { problems, unchanged } = await this.comparison!.compare(readOnly, context, req.params, expected)
    if (problems.length > 0 && !claim) throw refusalOf(problems)
    return {
      ...inputs,
      ...(this.operation.method === 'patch' && { body: withoutUnchanged(this.operation, body as Values, unchanged) }),
      claim: claim && problems.length > 0 ? { ...claim, problems } : claim,
    }
  }

  private async execute(
    { prepared: whole, translation, shapes }: CompiledOperation,
    { query, body, shape, readOnly }: Inputs,
    context: OperationContext,
    req: ServedRequest,
    res: ServerResponse,
  ): Promise<void> {
    const { sessionCookies } = this.operation
    const shaped = shape && (await shapes!.readFor(shape, context.caller))
    const prepared = shaped?.prepared ?? whole!
    const given = sessionCookies === 'set' ? withCookies(req, this.operation, body) : body
    const variables = translation.variables(req.params, query, req.headers, given)
    const expected = readOnly && versionInBody(readOnly, this.operation, req.headers)
    if (expected) variables[expected.variable] = expected.version
    const { data, errors, replayed, extensions } = await this.dependencies.graph
      .execute(prepared, variables, context)
      .catch((thrown) => {
        throw this.toRestError(thrown, variables, query)
      })
    if (errors?.[0]) {
      if (replayed) res.setHeader('Idempotent-Replayed', 'true')
      return this.dependencies.edge.refuse(this.toRestError(errors[0], variables, query), req, res)
    }
    const { graph, shapes: defined } = this.dependencies
    removeHiddenFields(graph.apiSchema, prepared, data, hiddenFrom(context.caller, defined, variables))
    const result = data?.['result']
    if (shaped) gatherRelated(result, shaped)
    if (sessionCookies) writeSessionCookies(sessionCookies, result, req, res)
    const keys = defined.shapesOf(context.caller.organizationId)?.unversionedKeys
    const dryRun = triedAnswer(context, extensions)
    const answered = { isReplayed: replayed ?? false, url: req.url!, shaped, keys, dryRun }
    writeResponse(this.operation, result, answered, res)
  }

  private toRestError(refused: unknown, variables: Values, query: Values): unknown {
    this.errorTranslation ??= new ErrorTranslation(this.operation)
    return this.errorTranslation.toRest(refused, variables, query)
  }

  private async runCustomHandler(
    inputs: Inputs,
    admission: Admission,
    context: OperationContext,
    req: ServedRequest,
    res: ServerResponse,
  ): Promise<void> {
    const handler = this.dependencies.customHandlers.get(this.operation.documentId)
    if (!handler) throw new Error(`${this.operation.id} has neither a stored document nor a custom handler.`)
    const triedEvents: DryRunEvent[] = []
    const call = { ...inputs, req, res, context: { ...context, triedEvents }, path: req.params }
    if (this.operation.success.isStream) {
      const cancellation = context.cancellation ?? cancellationOnDisconnect(res)
      const begin = async () => (await handler(call)) as AsyncIterable<ServerSentEvent>
      return sendHandledEvents(this.operation, streamPortsOf(this.dependencies), begin, {
        admission,
        cancellation,
        req,
        res,
      })
    }
    const result = await handler(call)
    if (res.headersSent) return
    const dryRun = triedAnswer(context, { dryRun: { events: triedEvents, notExecuted: [] } })
    writeResponse(this.operation, result, { isReplayed: false, url: req.url!, shaped: null, dryRun }, res)
  }
}

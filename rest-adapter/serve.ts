import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Prepared } from '../gateway/graph/prepared.ts'
import { readBody } from '../gateway/edge/body.ts'
import { cancellationOf } from '../gateway/edge/cancellation-of.ts'
import type { Admission } from '../gateway/edge/edge.ts'
import type { ServerSentEvent } from '../gateway/edge/event-streams.ts'
import { claimOf } from '../gateway/edge/idempotency.ts'
import { refuseUnmet } from '../subgraphs/kernel/unmet-scopes.ts'
import { cancellationBy } from '../subgraphs/kernel/cancellation.ts'
import type { Clock } from '../subgraphs/kernel/time/clock.ts'
import type { Caller, IdempotencyClaim, OperationContext } from '../subgraphs/kernel/context.ts'
import { notFound, Refusal } from '../subgraphs/kernel/errors.ts'
import type { ScopeRequirement } from '../subgraphs/kernel/scopes.ts'
import { writeAnswer } from './answer.ts'
import { leaveOutHidden } from './leave-out.ts'
import { readJson, refusalOf, refuseFields } from './body.ts'
import type { RestOperation } from './rest-operation.ts'
import { announce, noteDeprecated, refuseEnded } from './deprecation.ts'
import type { DeprecatedCalls, EdgePort, GraphPort, StreamsPort } from './ports.ts'
import { queryPairs } from './query.ts'
import { withCookies, writeSessionCookies } from './session-cookies.ts'
import { Translation, type Values } from './translate.ts'
import { bodyRequired, type Validator } from './validate.ts'
import { Wording } from './wording.ts'

/**
 * What an exception gets: the checked inputs of its operation. It returns the body of the success answer, or the events of an
 * operation whose success answer is a stream; `context.cancellation` tells those when the client has left or the server stops.
 */
export interface ExceptionCall {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly context: OperationContext
  readonly path: PathValues
  readonly query: Values
  readonly body: unknown
}

/** Code behind an operation that no stored document can say. */
export type Exception = (call: ExceptionCall) => unknown

export interface Dependencies extends StreamsPort {
  readonly version: string
  readonly edge: EdgePort
  readonly graph: GraphPort
  readonly validator: Validator
  readonly clock: Clock
  readonly deprecatedCalls: DeprecatedCalls
  readonly exceptions: ReadonlyMap<string, Exception>
}

type PathValues = Readonly<Record<string, string | string[] | undefined>>
type ServedRequest = IncomingMessage & { readonly params: PathValues }

/** What is worked out once per operation, when it is first called. */
interface Plan {
  readonly translation: Translation
  readonly prepared: Prepared | null
  readonly requirements: readonly ScopeRequirement[]
}

interface Inputs {
  readonly query: Values
  readonly body: unknown
  readonly claim: IdempotencyClaim | null
}

/** One REST operation behind its route: from the admitted request to the written answer. */
export class Endpoint {
  private readonly readsBody: boolean
  private planned: Plan | null = null
  private wording: Wording | null = null

  constructor(
    private readonly operation: RestOperation,
    private readonly dependencies: Dependencies,
  ) {
    this.readsBody = operation.method !== 'get'
  }

  readonly serve = async (req: ServedRequest, res: ServerResponse): Promise<void> => {
    const { edge, clock, deprecatedCalls } = this.dependencies
    const { sunset } = this.operation
    try {
      if (sunset) announce(sunset, req.params, res)
      const admission = await edge.admit(req, res, (caller) => this.authorize(caller, req))
      const { caller, requestId, usage } = admission
      if (usage) usage.operation = this.operation.documentId
      if (sunset) noteDeprecated(this.operation, sunset, usage?.counted ?? null, clock.now(), deprecatedCalls)
      await edge.spend(admission, res)

      const plan = (this.planned ??= this.plan())
      const nothing = plan.translation.namesNothing(req.params)
      if (nothing !== null) throw namesNothing(nothing)
      const inputs = await this.inputs(plan, caller, req, res)
      const cancellation = this.operation.success.isStream
        ? cancellationBy(res)
        : cancellationOf(plan.prepared?.kind, res)
      const context: OperationContext = { caller, requestId, idempotency: inputs.claim, cancellation }
      if (plan.prepared) await this.execute(plan.prepared, plan.translation, inputs, context, req, res)
      else await this.except(inputs, admission, context, req, res)
    } catch (thrown) {
      edge.refuse(thrown, req, res)
    }
  }

  private plan(): Plan {
    const { operation } = this
    const translation = new Translation(operation)
    if (operation.document === null) {
      const word = operation.isPublic ? 'PUBLIC' : 'SESSION'
      const scopes = operation.scopes.length > 0 ? operation.scopes : [word]
      return { translation, prepared: null, requirements: [[scopes]] }
    }
    try {
      return { translation, prepared: this.dependencies.graph.prepare(operation.document), requirements: [] }
    } catch (cause) {
      // To the caller this is no refusal of what was sent: our own document does not fit our own graph.
      throw new Error(`The stored document ${operation.documentId} is not valid in the graph.`, { cause })
    }
  }

  private authorize(caller: Caller, req: ServedRequest): void {
    const { sunset } = this.operation
    if (sunset) refuseEnded(sunset, this.dependencies.clock.now())
    const { prepared, requirements } = (this.planned ??= this.plan())
    if (req.method === 'HEAD' && prepared?.kind === 'mutation') throw notByHead()
    if (prepared) this.dependencies.graph.authorize(prepared, caller)
    else refuseUnmet(caller, requirements)
  }

  private async inputs(
    { translation }: Plan,
    caller: Caller,
    req: ServedRequest,
    res: ServerResponse,
  ): Promise<Inputs> {
    const { operation } = this
    const raw = this.readsBody ? await readBody(req) : null
    const claim = raw && operation.acceptsIdempotencyKey ? claimOf(caller, req, raw) : null

    const { values: query, unknown } = translation.readQuery(queryPairs(req.url!))
    if (isStrict(req)) {
      res.setHeader('Preference-Applied', 'handling=strict')
      if (unknown.length > 0) throw unknownParameters(unknown)
    }
    let body: unknown
    if (raw && !operation.body && raw.length > 0) refuseFields(raw, req.headers)
    if (raw && operation.body) {
      if (raw.length > 0) body = readJson(raw, req.headers)
      else if (operation.body.required) throw bodyRequired()
    }
    if (operation.body || translation.hasInputs(query, req.headers)) {
      this.dependencies.validator.check(operation, { url: req.url!, query, headers: req.headers, body })
    }
    return { query, body, claim }
  }

  private async execute(
    prepared: Prepared,
    translation: Translation,
    { query, body }: Inputs,
    context: OperationContext,
    req: ServedRequest,
    res: ServerResponse,
  ): Promise<void> {
    const { sessionCookies } = this.operation
    const given = sessionCookies === 'set' ? withCookies(req, this.operation, body) : body
    const variables = translation.variables(req.params, query, req.headers, given)
    const { data, errors, replayed } = await this.dependencies.graph
      .execute(prepared, variables, context)
      .catch((thrown) => {
        throw this.inRestWords(thrown, variables)
      })
    if (errors?.[0]) {
      if (replayed) res.setHeader('Idempotent-Replayed', 'true')
      return this.dependencies.edge.refuse(this.inRestWords(errors[0], variables), req, res)
    }
    const { fields } = context.caller
    if (fields) leaveOutHidden(this.dependencies.graph.apiSchema, prepared, data, fields)
    const result = data?.['result']
    if (sessionCookies) writeSessionCookies(sessionCookies, result, req, res)
    writeAnswer(this.operation, result, replayed ?? false, req.url!, res)
  }

  private inRestWords(refused: unknown, variables: Values): unknown {
    this.wording ??= new Wording(this.operation)
    return this.wording.of(refused, variables)
  }

  private async except(
    inputs: Inputs,
    admission: Admission,
    context: OperationContext,
    req: ServedRequest,
    res: ServerResponse,
  ): Promise<void> {
    const exception = this.dependencies.exceptions.get(this.operation.documentId)
    if (!exception) throw new Error(`${this.operation.id} has neither a stored document nor an exception.`)
    const { query, body } = inputs
    const result = await exception({ req, res, context, path: req.params, query, body })
    if (isEvents(result)) return this.stream(result, admission, context, req, res)
    if (!res.headersSent) writeAnswer(this.operation, result, false, req.url!, res)
  }

  /** The request counts as answered when the stream begins. What the stream fails with is its last event, called `error`. */
  private async stream(
    events: AsyncIterable<ServerSentEvent>,
    admission: Admission,
    context: OperationContext,
    req: ServedRequest,
    res: ServerResponse,
  ): Promise<void> {
    const { edge, eventStreams, streamSlots } = this.dependencies
    const { status } = this.operation.success
    const cancellation = context.cancellation ?? cancellationBy(res)
    const leave = streamSlots.take(admission.caller.organizationId || admission.caller.ip)
    async function* toTheirEnd(): AsyncGenerator<ServerSentEvent> {
      try {
        yield* events
      } catch (thrown) {
        if (!cancellation.isCancelled) yield { event: 'error', data: JSON.stringify(edge.problem(thrown, req, res)) }
      }
    }
    try {
      edge.finished(admission, status)
      await eventStreams.send(res, toTheirEnd(), cancellation, status)
    } finally {
      leave()
    }
  }
}

const isEvents = (result: unknown): result is AsyncIterable<ServerSentEvent> =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result

const isStrict = ({ headers }: IncomingMessage): boolean =>
  headers['prefer'] !== undefined && /(?:^|[,;\s])handling\s*=\s*"?strict\b/i.test(String(headers['prefer']))

/** Programs look at links before people follow them, and must not use up what is good once. */
const notByHead = (): Refusal =>
  new Refusal('METHOD_NOT_ALLOWED', 'This path answers GET, which changes something.', { allow: ['GET'] })

const unknownParameters = (names: readonly string[]): Refusal =>
  refusalOf(
    Array.from(new Set(names), (path) => ({
      path,
      code: 'UNKNOWN_FIELD',
      message: `${path} is not a parameter of this operation.`,
    })),
  )

function namesNothing(path: string): Refusal {
  const { code, message } = notFound('The record')
  return new Refusal(code, message, {
    errors: [{ path, code: 'NOT_FOUND', message: `No record can have this ${path}.` }],
  })
}

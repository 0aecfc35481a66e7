import type { Origin } from '../../kernel/context.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { Mapping } from '../../kernel/template/mapping.ts'
import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'
import type { ActionContext } from '../function/function.context.ts'
import {
  executedMax,
  flowDepthMax,
  outputCharactersMax,
  stateCharactersMax,
  turnEffectsMax,
  turnElementsMax,
} from '../flow/bounds.ts'
import { elementTypeOf } from '../flow/elements/all.ts'
import { ElementFailure, type Config, type ElementOutcome, type Values } from '../flow/elements/element-type.ts'
import { initialValues } from '../flow/elements/values.ts'
import type { FlowElement } from '../flow/flow-parts.ts'
import { effectKey } from './effect-key.ts'
import { activeVersion, readVersion, type FlowVersion } from './flow-versions.ts'
import { failureOf, type Failure } from './failure.ts'
import { isLargerThan, newFrame, outputsOf, scopeOf } from './frames.ts'
import type { Frame, Snapshot, Step, StoredInterview } from './interview-store.ts'
import type { Turn } from './turn.ts'

/** Where an interview goes on. */
interface Begin {
  readonly frames: readonly Frame[]
  readonly executed: number
  readonly history: readonly Snapshot[]
  readonly turn: Turn
  /** What makes it go on: the input of a request, or a turn of the queue. */
  readonly cause: unknown
}

/** The execution of elements in one transaction. */
class Advance {
  readonly #frames: Frame[]
  readonly #versions = new Map<string, FlowVersion>()
  readonly #origin: Origin
  #executed: number
  #effects = 0
  #scopes: readonly string[] | null

  constructor(
    private readonly ctx: ActionContext,
    private readonly interview: StoredInterview,
    private readonly begin: Begin,
  ) {
    this.#frames = begin.frames.map((frame) => ({ ...frame }))
    this.#executed = begin.executed
    this.#scopes = interview.actedScopes
    const quiet = ctx.caller.origin?.quiet
    this.#origin = { kind: 'FLOW', id: interview.flowId, runId: interview.id, ...(quiet && { quiet }) }
  }

  /** Executes elements until the interview asks its user, waits or ends, or the turn is over. */
  async run(): Promise<Step> {
    for (let count = 0; ; count++) {
      if (isTurnOver()) await nextTurn(this.ctx.caller.organizationId)
      const frame = this.#frames.at(-1)!
      const version = await this.#versionOf(frame)
      if (frame.element === null) {
        const outputs = outputsOf(version, frame)
        if (this.#frames.length === 1) return this.#checked({ status: 'COMPLETED', outputs })
        await this.#leave(outputs)
        continue
      }
      const element = version.elements.find(({ name }) => name === frame.element)!
      if (this.#isOverAt(count, element)) return this.#checked({ status: 'RUNNING' })
      if (this.#executed >= executedMax) {
        const message = `An interview executes at most ${executedMax} elements.`
        return this.#failed({ code: 'STEP_LIMIT_REACHED', message }, element.name)
      }
      this.#executed++
      if (elementTypeOf(element.type).hasEffect) this.#effects++
      const step = await this.#execute(frame, version, element)
      if (step || this.#isTooLarge()) return this.#checked(step ?? { status: 'RUNNING' })
    }
  }

  /** Whether the turn has done its part. An action may take most of the time of a request, and what was written before it is committed when it is called. */
  #isOverAt(count: number, { type }: FlowElement): boolean {
    return (
      count >= turnElementsMax ||
      (elementTypeOf(type).hasEffect === true && this.#effects >= turnEffectsMax) ||
      (type === 'ACTION' && this.#effects > 0) ||
      this.begin.turn.isOverAt(count)
    )
  }

  async #versionOf({ flowId, flowVersion }: Frame): Promise<FlowVersion> {
    const key = `${flowId} ${flowVersion}`
    let version = this.#versions.get(key)
    if (!version) this.#versions.set(key, (version = await readVersion(this.ctx, flowId, flowVersion)))
    return version
  }

  /** Goes back from a subflow to the element that runs it. */
  async #leave(outputs: Values): Promise<void> {
    this.#frames.pop()
    const frame = this.#frames.at(-1)!
    const { elements } = await this.#versionOf(frame)
    this.#go(
      frame,
      elements.find(({ name }) => name === frame.element)!,
      outputs,
    )
  }

  /** Stores what an element has returned, and goes on with the next one. */
  #go(frame: Frame, { name, connectors }: FlowElement, output: unknown, connector = 'next'): void {
    if (output !== null) frame.outputs = { ...frame.outputs, [name]: output }
    frame.element = connectors && Object.hasOwn(connectors, connector) ? (connectors[connector] ?? null) : null
  }

  async #execute(frame: Frame, version: FlowVersion, element: FlowElement): Promise<Partial<Step> | null> {
    if (this.#isNextItem(frame, element)) return null
    try {
      const outcome = await this.#outcomeOf(frame, version, element)
      return await this.#apply(frame, element, outcome)
    } catch (error) {
      return this.#fail(element, failureOf(error))
    }
  }

  /** A loop that has begun goes on with its next item, or ends. */
  #isNextItem(frame: Frame, element: FlowElement): boolean {
    if (element.type !== 'LOOP' || !Object.hasOwn(frame.loops, element.name)) return false
    const { [element.name]: begun, ...others } = frame.loops
    const loop = begun!
    const index = loop.index + 1
    if (index < loop.items.length) {
      frame.loops = { ...others, [element.name]: { ...loop, index } }
      frame.element = element.connectors!['body']!
    } else {
      frame.loops = others
      this.#go(frame, element, { count: loop.items.length })
    }
    return true
  }

  async #outcomeOf(frame: Frame, version: FlowVersion, element: FlowElement): Promise<ElementOutcome> {
    const type = elementTypeOf(element.type)
    const config = element.config as Config
    const scope = scopeOf(this.interview, frame)
    const mapping = new Mapping(scope)
    const { raw = [] } = type
    const input = Object.fromEntries(
      Object.entries(config).map(([name, value]) => [name, raw.includes(name) ? value : mapping.filled(value)]),
    )
    this.#addScopes(type.scopes(config))
    return type.run({
      ctx: this.ctx,
      origin: this.#origin,
      element,
      config,
      input,
      variables: frame.variables,
      declared: version.variables,
      scope,
      key: () => effectKey(this.interview, this.#executed, element, this.begin.cause),
    })
  }

  /** What an element finds is shown with its scopes only. One whose scopes the caller lacks finds nothing. */
  #addScopes(scopes: readonly string[]): void {
    if (this.#scopes === null || !scopes.every((scope) => holdsScope(this.ctx.caller, scope))) return
    this.#scopes = [...new Set([...this.#scopes, ...scopes])]
  }

  async #apply(frame: Frame, element: FlowElement, outcome: ElementOutcome): Promise<Partial<Step> | null> {
    if ('screen' in outcome) {
      const version = await this.#versionOf(this.#frames[0]!)
      if (version.type === 'AUTOLAUNCHED')
        throw new ElementFailure('SCREEN_NOT_ALLOWED', 'A flow of the type AUTOLAUNCHED has no user whom it can ask.')
      return { status: 'WAITING_FOR_INPUT', screen: outcome.screen, currentElement: element.name }
    }
    if ('subflow' in outcome) {
      await this.#enter(outcome.subflow, outcome.inputs)
      return null
    }
    if ('items' in outcome) {
      const { items } = outcome
      if (items.length === 0) this.#go(frame, element, { count: 0 })
      else {
        frame.loops = { ...frame.loops, [element.name]: { items, index: 0 } }
        frame.element = element.connectors!['body']!
      }
      return null
    }
    if ('waitUntil' in outcome) {
      const { waitUntil } = outcome
      this.#go(frame, element, { until: waitUntil.toISOString() })
      if (waitUntil <= this.ctx.clock.now()) return null
      return { status: 'RUNNING', resumesAt: waitUntil, currentElement: element.name }
    }
    const { output, connector, variables } = outcome
    if (isLargerThan(output, outputCharactersMax))
      throw new ElementFailure(
        'OUTPUT_TOO_LARGE',
        `An element returns at most ${outputCharactersMax} characters as JSON.`,
      )
    if (variables) frame.variables = { ...frame.variables, ...variables }
    this.#go(frame, element, output, connector)
    return null
  }

  async #enter(apiName: string, inputs: Values): Promise<void> {
    if (this.#frames.length >= flowDepthMax)
      throw new ElementFailure('TOO_DEEP', `At most ${flowDepthMax} flows run inside one another.`)
    const version = await activeVersion(this.ctx, apiName)
    if (!version) throw new ElementFailure('NOT_FOUND', `There is no active flow ${apiName}.`)
    if (this.#frames.some(({ flowId }) => flowId === version.flowId))
      throw new ElementFailure('FLOW_RECURSION', `The flow ${apiName} runs already.`)
    const initial = initialValues(version.variables, inputs, 'inputs')
    if ('problems' in initial)
      throw new ElementFailure('VALIDATION_FAILED', initial.problems.map(({ message }) => message).join(' '))
    this.#frames.push(newFrame(version, initial.values))
  }

  /** Goes on with the connector for failures of the element, or of the one that runs its flow; without one the interview fails. */
  async #fail(element: FlowElement, failure: Failure): Promise<Partial<Step> | null> {
    const reached = [...this.#frames]
    let failing = element
    for (;;) {
      const frame = this.#frames.at(-1)!
      if (typeof failing.connectors?.['fault'] === 'string') {
        this.#go(frame, failing, { error: failure }, 'fault')
        return null
      }
      if (this.#frames.length === 1) break
      this.#frames.pop()
      const above = this.#frames.at(-1)!
      const { elements } = await this.#versionOf(above)
      failing = elements.find(({ name }) => name === above.element)!
    }
    this.#frames.splice(0, this.#frames.length, ...reached)
    return this.#failed(failure, element.name)
  }

  #failed(failure: Failure, element: string | null): Step {
    return this.#step({ status: 'FAILED', error: { ...failure, element }, currentElement: element })
  }

  #step(step: Partial<Step> & Pick<Step, 'status'>): Step {
    const { history } = this.begin
    const isOver = step.status === 'COMPLETED'
    return {
      currentElement: isOver ? null : this.#frames.at(-1)!.element,
      screen: null,
      state: { frames: this.#frames, executed: this.#executed },
      history,
      outputs: null,
      error: null,
      resumesAt: null,
      actedScopes: this.#scopes,
      ...step,
    }
  }

  #isTooLarge(screen: unknown = null): boolean {
    return isLargerThan([this.#frames, screen], stateCharactersMax)
  }

  /** An interview that remembers too much fails, so that each of its steps stays small. */
  #checked(step: Partial<Step>): Step {
    const { screen = null, error = null } = step
    if (error !== null || !this.#isTooLarge(screen)) return this.#step(step as Partial<Step> & Pick<Step, 'status'>)
    const [root] = this.#frames
    this.#frames.splice(0, this.#frames.length, { ...root!, variables: {}, outputs: {}, loops: {} })
    const message = `An interview remembers at most ${stateCharactersMax} characters as JSON.`
    return this.#failed({ code: 'STATE_TOO_LARGE', message }, null)
  }
}

/** Executes the elements of an interview from where it is. */
export const advance = (ctx: ActionContext, interview: StoredInterview, begin: Begin): Promise<Step> =>
  new Advance(ctx, interview, begin).run()

import type { Caller } from '../../kernel/context.ts'
import { Mapping } from '../../kernel/template/mapping.ts'
import { TemplateProblem } from '../../kernel/template/template-problem.ts'
import type { Services } from '../../kernel/request.ts'
import { executedStepsMax, retryDelaysMs, stepDataMax, turnMs, waitsMax } from './bounds.ts'
import { afterEnds, movedTo, type Cursor } from './cursor.ts'
import { objectNamed } from './objects.ts'
import { scopeOf, type RunScope } from './run-scope.ts'
import { readSteps, type StoredStep } from './run-store.ts'
import { writeBegin, writeSettled, type Settled, type Turn } from './run-write.ts'
import { stepTypeOf } from './steps/all.ts'
import {
  failed,
  type Config,
  type StepFailure,
  type StepInput,
  type StepOutcome,
  type StepRun,
} from './steps/step-type.ts'
import type { WorkflowStep } from './workflow-step.ts'

const tooLarge = (what: string): StepOutcome =>
  failed('STEP_DATA_TOO_LARGE', `The ${what} of the step has more than ${stepDataMax} characters as JSON.`)

const sizeOf = (value: unknown): number => (value === undefined ? 0 : JSON.stringify(value).length)

/** The execution of steps in one turn. */
class Execution {
  #cursor: Cursor
  readonly #steps: ReadonlyMap<string, WorkflowStep>
  /** The items of the loops around the next step, by the execution of the LOOP. */
  readonly #items = new Map<number, readonly unknown[]>()

  constructor(
    private readonly services: Services,
    private readonly turn: Turn,
    private readonly caller: Caller,
    private readonly scope: RunScope,
    private readonly done: readonly StoredStep[],
  ) {
    this.#cursor = turn.run.cursor
    this.#steps = new Map(turn.run.steps.map((step) => [step.id, step]))
    for (const { position, input } of done) {
      const { items } = (input ?? {}) as { readonly items?: unknown }
      if (Array.isArray(items)) this.#items.set(position, items)
    }
  }

  /** Executes steps until the run ends or waits, which is true, or its turn is over. */
  async untilOver(): Promise<boolean> {
    const endsAt = performance.now() + turnMs
    while (performance.now() < endsAt) if (await this.#next()) return true
    return false
  }

  async #next(): Promise<boolean> {
    this.#cursor = afterEnds(this.#cursor, (id) => this.#steps.get(id)?.next ?? null)
    const cursor = this.#cursor
    if (cursor.next === null) {
      await this.#settle({ step: null, cursor, status: 'SUCCEEDED' })
      return true
    }
    const step = this.#steps.get(cursor.next)!
    const stored = this.done.find(({ position, attempt }) => position === cursor.position && attempt === cursor.attempt)
    if (cursor.isOpen && stored?.status === 'WAITING') return this.#resume(step, stored)
    if (cursor.isOpen && !stepTypeOf(step.type).isRepeatable(step.config as Config))
      return this.#fail(step, {
        code: 'INTERRUPTED',
        message: 'The process that executed the step has ended, and repeating it might do it twice.',
      })
    if (cursor.position > executedStepsMax) {
      const message = `A run executes at most ${executedStepsMax} steps.`
      await this.#settle({
        step: null,
        cursor,
        status: 'FAILED',
        failure: { code: 'STEP_LIMIT_REACHED', message, stepId: step.id },
      })
      return true
    }
    return this.#execute(step)
  }

  async #execute(step: WorkflowStep): Promise<boolean> {
    const { run } = this.turn
    const { position, attempt } = this.#cursor
    const type = stepTypeOf(step.type)
    const object = objectNamed(run.recordType)
    const prepared: Omit<StepRun, 'input'> = {
      services: this.services,
      step,
      config: step.config as Config,
      caller: this.caller,
      managedBy: run.managedBy,
      key: `${run.id}:${step.id}:${position}:${attempt}`,
      attempt,
      depth: run.depth,
      record: object && run.recordId !== null ? { object, id: run.recordId } : null,
      scope: { ...this.scope, ...this.#loopScope() },
    }
    let input: StepInput | null = null
    let refused: StepOutcome | null = null
    try {
      const mapping = new Mapping(prepared.scope)
      input = type.input?.(prepared.config, mapping, prepared) ?? (mapping.filled(prepared.config) as StepInput)
      if (sizeOf(input) > stepDataMax) refused = tooLarge('input')
    } catch (error) {
      if (!(error instanceof TemplateProblem)) throw error
      refused = failed(error.code, `A template of the step ${error.message}`)
    }
    const begun = await writeBegin(this.turn, this.#cursor, {
      stepId: step.id,
      type: step.type,
      input: refused ? null : input,
    })
    this.#cursor = { ...this.#cursor, isOpen: true }
    if (refused) return this.#apply(step, refused)
    const stored = begun as StepInput
    const outcome = await type.run({ ...prepared, input: stored })
    if ('body' in outcome) this.#items.set(position, stored['items'] as unknown[])
    const isTooLarge = 'output' in outcome && sizeOf(outcome.output) > stepDataMax
    return this.#apply(step, isTooLarge ? tooLarge('output') : outcome)
  }

  #loopScope(): { readonly item?: unknown; readonly index?: number } {
    const frame = this.#cursor.frames.at(-1)
    return frame ? { item: this.#items.get(frame.position)?.[frame.index] ?? null, index: frame.index } : {}
  }

  /** Stores what became of a step. True if the run has ended or waits. */
  async #apply(step: WorkflowStep, outcome: StepOutcome): Promise<boolean> {
    const cursor = this.#cursor
    const { position, attempt } = cursor
    const execution = { position, attempt, stepId: step.id }
    if ('failure' in outcome) return this.#fail(step, outcome.failure)
    if ('notBegun' in outcome) {
      if (cursor.waits >= waitsMax) return this.#fail(step, { code: 'UNAVAILABLE', message: outcome.notBegun })
      await this.#settle({
        step: { ...execution, status: 'RUNNING' },
        cursor: { ...cursor, isOpen: false, waits: cursor.waits + 1 },
        status: 'RUNNING',
        dueInMs: outcome.afterMs,
      })
      return true
    }
    if ('waitUntil' in outcome) {
      await this.#settle({
        step: { ...execution, status: 'WAITING' },
        cursor,
        status: 'WAITING',
        dueInMs: this.#until(outcome.waitUntil),
        resumeAt: outcome.waitUntil,
        announcement: outcome.announcement,
      })
      return true
    }
    if ('body' in outcome) {
      const { body, count } = outcome
      const frames = [...cursor.frames, { stepId: step.id, position, body, index: 0, count }]
      const moved = count > 0 ? movedTo(cursor, body, frames) : movedTo(cursor, step.next)
      return this.#succeed(step, { count }, moved)
    }
    return this.#succeed(
      step,
      outcome.output,
      movedTo(cursor, outcome.next === undefined ? step.next : outcome.next),
      outcome.announcement,
    )
  }

  async #succeed(
    step: WorkflowStep,
    output: unknown,
    cursor: Cursor,
    announcement?: Settled['announcement'],
  ): Promise<boolean> {
    const { position, attempt } = this.#cursor
    await this.#settle({
      step: { position, attempt, stepId: step.id, status: 'SUCCEEDED', output },
      cursor,
      status: 'RUNNING',
      announcement,
    })
    this.scope.steps[step.id] = { status: 'SUCCEEDED', output }
    return false
  }

  async #fail(step: WorkflowStep, failure: StepFailure): Promise<boolean> {
    const cursor = this.#cursor
    const { position, attempt } = cursor
    const execution = { position, attempt, stepId: step.id, status: 'FAILED', failure } as const
    if (step.onError === 'CONTINUE') {
      await this.#settle({ step: execution, cursor: movedTo(cursor, step.next), status: 'RUNNING' })
      this.scope.steps[step.id] = { status: 'FAILED', output: null }
      return false
    }
    const delay = step.onError === 'RETRY' ? retryDelaysMs[attempt - 1] : undefined
    if (delay !== undefined) {
      const again = { ...cursor, attempt: attempt + 1, isOpen: false, waits: 0 }
      await this.#settle({ step: execution, cursor: again, status: 'RUNNING', dueInMs: delay })
      return true
    }
    // The run stays at the step, from which it can be retried.
    const failedAt = movedTo(cursor, step.id)
    await this.#settle({
      step: execution,
      cursor: failedAt,
      status: 'FAILED',
      failure: { ...failure, stepId: step.id },
    })
    return true
  }

  /** Goes on after a delay or an approval; false starts are possible, as when a workflow is deleted. */
  async #resume(step: WorkflowStep, stored: StoredStep): Promise<boolean> {
    const { run } = this.turn
    const { decision, decidedById, comment } = stored
    const isOver = run.resumeAt === null || Date.parse(run.resumeAt) <= this.services.clock.now().getTime()
    if (step.type === 'DELAY') {
      if (!isOver) return this.#waitOn(step)
      return this.#succeed(step, { until: run.resumeAt }, movedTo(this.#cursor, step.next))
    }
    if (decision === null)
      return isOver
        ? this.#fail(step, { code: 'APPROVAL_EXPIRED', message: 'Nobody approved or rejected in time.' })
        : this.#waitOn(step)
    const output = { decision, decidedById, comment }
    if (decision === 'APPROVED') return this.#succeed(step, output, movedTo(this.#cursor, step.next))
    const { onRejected } = step.config as { readonly onRejected?: string }
    if (onRejected !== undefined) return this.#succeed(step, output, movedTo(this.#cursor, onRejected))
    return this.#fail(step, { code: 'REJECTED', message: comment ?? 'The approval was refused.' })
  }

  async #waitOn(step: WorkflowStep): Promise<boolean> {
    const { position, attempt } = this.#cursor
    const until = new Date(this.turn.run.resumeAt!)
    await this.#settle({
      step: { position, attempt, stepId: step.id, status: 'WAITING' },
      cursor: this.#cursor,
      status: 'WAITING',
      dueInMs: this.#until(until),
      resumeAt: until,
    })
    return true
  }

  #until(time: Date): number {
    return time.getTime() - this.services.clock.now().getTime()
  }

  async #settle(settled: Settled): Promise<void> {
    await writeSettled(this.turn, settled)
    this.#cursor = settled.cursor
  }
}

/** Executes the next steps of a run. True if it has ended or waits, false if it gets another turn. */
export async function executeSteps(services: Services, turn: Turn, caller: Caller): Promise<boolean> {
  const done = await readSteps(services.database, turn.run)
  const scope = await scopeOf(services, caller, turn.run, done)
  return new Execution(services, turn, caller, scope, done).untilOver()
}

import type { Caller } from '../../../kernel/context.ts'
import type { FieldProblem } from '../../../kernel/errors.ts'
import type { Mapping } from '../../../kernel/template/mapping.ts'
import type { RequestContext, Services } from '../../../kernel/request.ts'
import type { WorkflowObject } from '../objects.ts'
import type { WorkflowStep } from '../workflow-step.ts'
import type { WorkflowStepType } from '../workflow.enumerations.ts'

export type Config = Readonly<Record<string, unknown>>
/** What a step is executed with: its settings with all outputs filled in. It is stored before the step, so that a repetition is the same. */
export type StepInput = Readonly<Record<string, unknown>>

export interface StepFailure {
  readonly code: string
  readonly message: string
}

/** The event that a step writes, in the transaction that stores its outcome. */
export interface Announcement {
  readonly type: 'workflow.notified' | 'workflow.awaiting_approval'
  readonly recipientIds: readonly string[]
  readonly message: string
}

export type StepOutcome =
  /** `next`: the id of the step that follows, where it is not that of the settings; null: this branch of the run ends. Without it, the settings decide. */
  | { readonly output: unknown; readonly next?: string | null; readonly announcement?: Announcement }
  /** The step has failed; its `onError` decides whether the run goes on, tries it again or fails. */
  | { readonly failure: StepFailure }
  /** The run waits until this time, or until somebody decides. */
  | { readonly waitUntil: Date; readonly announcement?: Announcement }
  /** Nothing was done yet, because a limit is reached or a part of the platform is not reachable. The same attempt is made again later, and fails after many waits. */
  | { readonly notBegun: string; readonly afterMs: number }
  /** The steps from `body` on are executed for each of so many items. */
  | { readonly body: string; readonly count: number }

/** One execution of a step. */
export interface StepRun {
  readonly services: Services
  readonly step: WorkflowStep
  readonly config: Config
  readonly input: StepInput
  readonly caller: Caller
  /** The slug of the app that brought the workflow; null for one of the organization. */
  readonly managedBy: string | null
  /** Identifies the effects of this attempt: `run:step:iteration:attempt`. */
  readonly key: string
  readonly attempt: number
  readonly depth: number
  /** The record of the run; null without one. */
  readonly record: { readonly object: WorkflowObject; readonly id: string } | null
  /** What conditions compare. */
  readonly scope: Readonly<Record<string, unknown>>
}

/** What a check of settings may look at. */
export interface StepCheck {
  readonly ctx: RequestContext<'outbound'>
  readonly step: WorkflowStep
  readonly config: Config
  /** The path of the settings. */
  readonly path: string
  readonly triggerObject: WorkflowObject | null
}

/** One type of steps. */
export interface StepType {
  readonly type: WorkflowStepType
  /** JSON Schema of its settings. */
  readonly schema: object
  /** The scopes of what it does, which whoever writes the workflow needs. The settings are not checked yet. */
  scopes(config: Config, triggerObject: WorkflowObject | null): readonly string[]
  /** Whether an execution that a crash has interrupted is repeated: its effects have an idempotency key, or it has none outside. If not, the step fails as interrupted. */
  isRepeatable(config: Config): boolean
  /** What the schema does not say about its settings. */
  problems?(check: StepCheck): FieldProblem[] | Promise<FieldProblem[]>
  /** Its settings with what they name filled in. Default: all texts are filled in. */
  input?(config: Config, mapping: Mapping, run: Omit<StepRun, 'input'>): StepInput
  run(run: StepRun): Promise<StepOutcome> | StepOutcome
}

/** A text in which outputs are filled in. */
export const text = (max: number) => ({ type: 'string', minLength: 1, maxLength: max })
/** A value, or a text with an output that becomes one. */
export const orOutput = (schema: object) => ({
  anyOf: [schema, { type: 'string', pattern: '^\\s*\\{\\{.*\\}\\}\\s*$', maxLength: 2_000 }],
})
export const settings = (properties: Readonly<Record<string, object>>, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
})

export const problemAt = (path: string, code: string, rule: string): FieldProblem => ({
  path,
  code,
  message: `${path} ${rule}.`,
})

export const failed = (code: string, message: string): StepOutcome => ({ failure: { code, message } })

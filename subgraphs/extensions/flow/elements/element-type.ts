import type { Origin } from '../../../kernel/context.ts'
import type { FieldProblem } from '../../../kernel/errors.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import type { ActionContext } from '../../function/function.context.ts'
import { orOutput, problemAt, settings, text, type Config } from '../../workflow/steps/step-type.ts'
import type { FlowElement, FlowVariable } from '../flow-parts.ts'
import type { FlowElementType } from '../flow.enumerations.ts'

export { orOutput, problemAt, settings, text, type Config }

export type Values = Readonly<Record<string, unknown>>

/** What is shown of a field, and how its value is checked. */
export interface ScreenField {
  readonly name: string
  readonly label: string
  readonly type: string
  readonly required: boolean
  readonly helpText: string | null
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly minimum: unknown
  readonly maximum: unknown
  readonly maxLength: number | null
  readonly object: string | null
  readonly value: unknown
  readonly error: string | null
}

export interface Screen {
  readonly title: string
  readonly help: string | null
  readonly allowBack: boolean
  readonly allowPause: boolean
  readonly fields: readonly ScreenField[]
}

/** What an element does next. */
export type ElementOutcome =
  /** `connector`: where it goes on, `next` if absent. `variables`: their new values. */
  | { readonly output: unknown; readonly connector?: string; readonly variables?: Values }
  | { readonly screen: Screen }
  | { readonly waitUntil: Date }
  | { readonly subflow: string; readonly inputs: Values }
  /** The elements of the body are executed for each of them. */
  | { readonly items: readonly unknown[] }

/** One execution of an element. */
export interface ElementRun {
  readonly ctx: ActionContext
  /** Of what record elements and actions do. */
  readonly origin: Origin
  readonly element: FlowElement
  /** The settings with all outputs filled in. */
  readonly input: Config
  readonly config: Config
  readonly variables: Values
  readonly declared: readonly FlowVariable[]
  /** What conditions compare. */
  readonly scope: Values
  /** Identifies the effects of this execution. */
  key(): string
}

/** What a check of settings may look at. */
export interface ElementCheck {
  readonly ctx: RequestContext
  readonly config: Config
  /** The path of the settings. */
  readonly path: string
  readonly flow: { readonly apiName: string; readonly variables: readonly FlowVariable[] }
}

/** One type of elements. */
export interface ElementType {
  readonly type: FlowElementType
  /** JSON Schema of its settings. */
  readonly schema: object
  /** Whether it writes records or calls something, so that a turn executes few of them. */
  readonly hasEffect?: true
  /** Connectors that it may have besides `next`. */
  connectors(config: Config): readonly string[]
  /** Connectors that it must have. */
  required?(config: Config): readonly string[]
  /** The scopes of what it does. The settings are not checked yet. */
  scopes(config: Config): readonly string[]
  /** What the schema does not say about its settings. */
  problems?(check: ElementCheck): FieldProblem[] | Promise<FieldProblem[]>
  /** Settings in which outputs are filled in by `run`, or never. */
  readonly raw?: readonly string[]
  run(run: ElementRun): Promise<ElementOutcome> | ElementOutcome
}

/** Why an element has failed, besides refusals. */
export class ElementFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

export const noConnectors = (): readonly string[] => []
export const faultConnector = (): readonly string[] => ['fault']

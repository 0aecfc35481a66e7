import type { ModelUsage, ModelUser } from '../../kernel/language-model/language-model.ts'
import type { ExecutionInput } from './fitting-input.ts'

type Json = Readonly<Record<string, unknown>>

export interface Asked {
  readonly prompt: string
  readonly outputSchema: Json
  readonly input: ExecutionInput
}

/** For whom the model is asked: its limits and budgets. */
export interface Asking extends ModelUser {
  readonly signal?: AbortSignal
}

export interface Use extends Pick<ModelUsage, 'inputTokens' | 'outputTokens'> {
  readonly model: string
}

/** What the model has answered; `error` if that cannot be used, with its text as `output`. */
export interface Answered {
  readonly output: unknown
  readonly usage: Use | null
  readonly error: { readonly code: string; readonly message: string } | null
}

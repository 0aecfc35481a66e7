import type { SandboxCall, SandboxError, SandboxLog, SandboxStatus } from './sandbox.ts'

/** What a child gets for one invocation. */
export interface RunMessage {
  readonly type: 'run'
  readonly code: string
  /** JSON of the input and of the context. */
  readonly input: string
  readonly context: string
  readonly timeoutMs: number
  readonly memoryMb: number
  /** Only loads the module, to find what is wrong with it. It may call nothing. */
  readonly loadOnly: boolean
}

/** The answer to a call: JSON of the value, or of `{ message, code }`. */
export interface AnswerMessage {
  readonly type: 'answer'
  readonly call: number
  readonly isError: boolean
  readonly json: string
}

export type ToChild = RunMessage | AnswerMessage

export interface CallMessage {
  readonly type: 'call'
  readonly call: number
  readonly kind: SandboxCall['kind']
  /** JSON of the arguments. */
  readonly json: string
}

export interface LogMessage {
  readonly type: 'log'
  readonly logs: readonly SandboxLog[]
}

export interface ResultMessage {
  readonly type: 'result'
  readonly status: Exclude<SandboxStatus, 'THROTTLED' | 'CRASHED'>
  /** JSON of the output. */
  readonly output: string | null
  readonly error: SandboxError | null
  readonly droppedLogs: number
  readonly durationMs: number
  readonly cpuMs: number
  readonly memoryMb: number
  /** The child ends itself, or must be replaced because it ran at low priority. */
  readonly isLast: boolean
}

/** `ready`: the next isolate is prepared. */
export type FromChild =
  | { readonly type: 'ready'; readonly rssMb: number }
  | { readonly type: 'started' }
  | CallMessage
  | LogMessage
  | ResultMessage

export type SandboxStatus = 'SUCCEEDED' | 'FAILED' | 'TIMEOUT' | 'MEMORY_LIMIT' | 'THROTTLED' | 'CRASHED'

/** What is stored with a version: the ES module that runs, and its source map (null when there is none, or when it exceeds 1 MB). */
export interface CompiledSource {
  readonly code: string
  readonly sourceMap: string | null
}

export interface SandboxLog {
  readonly at: string
  readonly level: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'
  readonly text: string
}

/**
 * A call that the program makes to the outside. Arguments by kind: `fetch` url, init; `graphql` query, variables; `rest` method, path, body;
 * `credential` apiName, path, init. `init` is `{ method, headers, body }` with a text as body. Arguments that were not given are null.
 */
export interface SandboxCall {
  readonly kind: 'fetch' | 'graphql' | 'rest' | 'credential'
  readonly arguments: readonly unknown[]
}

/** The answer to a call of the kind `fetch` or `credential`. Names of headers are in lower case. */
export interface FetchAnswer {
  readonly url: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface SandboxRun {
  readonly organizationId: string
  readonly program: CompiledSource
  /** JSON, at most 256 KB. */
  readonly input: unknown
  readonly env: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
  readonly invocation: {
    readonly id: string
    readonly trigger: string
    readonly depth: number
    readonly attempt: number
  }
  /**
   * Of programs that wait for one another, each has a higher level than those that wait for it, so that they do not wait for their children.
   * Absent or 0: nobody waits who has a child.
   */
  readonly level?: number
  /** From the start of the program; waiting for a child does not count. */
  readonly timeoutMs: number
  /** By `performance.now()`, when nobody waits for it any more: the program does not begin later, and is ended then. */
  readonly endsAt?: number
  readonly memoryMb: number
  /**
   * Makes a call for the program, in this process. A refusal becomes an Error in the program with its message and code. The signal aborts
   * when the program has ended.
   */
  readonly call: (call: SandboxCall, signal: AbortSignal) => Promise<unknown>
}

export interface SandboxError {
  readonly name: string
  readonly message: string
  /** With the lines of the source as the user wrote it. */
  readonly stack: string | null
}

export interface SandboxResult {
  readonly status: SandboxStatus
  /** Null unless SUCCEEDED. */
  readonly output: unknown
  readonly error: SandboxError | null
  readonly logs: readonly SandboxLog[]
  readonly droppedLogs: number
  readonly durationMs: number
  readonly cpuMs: number
  readonly memoryMb: number
}

/** Runs programs that organizations wrote. They reach nothing of this process but the calls that `SandboxRun.call` makes for them. */
export interface Sandbox {
  /** Refuses with COMPILE_ERROR (400, line and column), and with UNAVAILABLE if it has not begun when `endsAt` has come, by `performance.now()`. */
  compile(
    organizationId: string,
    source: string,
    language: 'typescript' | 'javascript',
    endsAt?: number,
  ): Promise<CompiledSource>
  /** Never rejects for what the program does: the status tells it. Secrets are masked in the result. */
  run(run: SandboxRun): Promise<SandboxResult>
  close(): Promise<void>
}

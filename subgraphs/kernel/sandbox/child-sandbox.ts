import type { Logger } from 'pino'
import { Refusal } from '../errors.ts'
import type { CompiledSource, Sandbox, SandboxResult } from './sandbox.ts'

export interface ChildSandboxOptions {
  readonly childrenMax: number
}

/** Runs each program in a fresh V8 isolate of a child process. The first program starts the first child. */
export class ChildSandbox implements Sandbox {
  constructor(
    readonly log: Logger,
    readonly options: ChildSandboxOptions,
  ) {}

  async compile(): Promise<CompiledSource> {
    throw new Refusal('UNAVAILABLE', 'Programs cannot be compiled yet.')
  }

  async run(): Promise<SandboxResult> {
    throw new Refusal('UNAVAILABLE', 'Programs cannot be run yet.')
  }

  async close(): Promise<void> {}
}

import { pino } from 'pino'
import { ChildSandbox } from './child-sandbox.ts'
import type { PoolBounds } from './child-pool.ts'
import type { SandboxResult, SandboxRun } from './sandbox.ts'

export const openSandbox = (bounds: Partial<PoolBounds> = {}): ChildSandbox =>
  new ChildSandbox(pino({ level: 'silent' }), { childrenMax: 2, ...bounds })

/** Runs an uncompiled JavaScript module; its calls are refused unless the test answers them. */
export const runSource = (sandbox: ChildSandbox, code: string, run: Partial<SandboxRun> = {}): Promise<SandboxResult> =>
  sandbox.run({
    organizationId: 'one',
    program: { code, sourceMap: null },
    input: null,
    env: {},
    secrets: {},
    invocation: { id: 'i-1', trigger: 'TEST', depth: 0, attempt: 1 },
    timeoutMs: 2_000,
    memoryMb: 128,
    call: () => Promise.reject(new Error('no call is expected')),
    ...run,
  })

/** Runs the body of an async handler `(input, context)`. */
export const runBody = (sandbox: ChildSandbox, body: string, run: Partial<SandboxRun> = {}): Promise<SandboxResult> =>
  runSource(sandbox, `export default async (input, context) => { ${body} }`, run)

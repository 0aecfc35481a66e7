import { pino } from 'pino'
import { ChildSandbox } from './child-sandbox.ts'
import { runBody } from './sandbox.fixture.ts'

// Prints the process id of a child that is in an endless loop, and waits to be killed.
const sandbox = new ChildSandbox(pino({ level: 'silent' }), { childrenMax: 2 })
await runBody(sandbox, 'await context.api.rest("GET", "/"); for (;;);', {
  timeoutMs: 60_000,
  call: async () => {
    process.stdout.write(`${sandbox.pool.children[0]}\n`)
    return {}
  },
})

import { expect, it, vi } from 'vitest'
import { aSandbox } from './a-sandbox.fixture.ts'
import type { ChildSandbox } from './child-sandbox.ts'
import { runBody } from './sandbox.fixture.ts'

/** The child that runs the next program. */
async function nextChild(sandbox: ChildSandbox): Promise<number> {
  await vi.waitUntil(() => sandbox.pool.children.length === 1, { timeout: 20_000, interval: 5 })
  return sandbox.pool.children[0]!
}

/** What a child has kept of the memory of a program, which the end of its isolate does not give back to the system at once. */
it.each([
  ['that ended as it should', 'return 1', { status: 'SUCCEEDED' }, true],
  ['that threw', 'throw new Error("x")', { status: 'FAILED' }, true],
  ['that took too long', 'for (;;);', { status: 'TIMEOUT' }, false],
  ['that waits for nothing', 'await new Promise(() => {})', { status: 'TIMEOUT' }, false],
  ['that needed too much memory', 'const a = []; for (;;) a.push(new Uint8Array(5e6).fill(1))', {}, false],
  [
    'that needed 120 MB, although it may',
    'const a = []; for (let n = 0; n < 24; n++) a.push(new Uint8Array(5e6).fill(1)); return a.length',
    { status: 'SUCCEEDED', output: 24 },
    false,
  ],
])('after a program %s, the next one has the same child: %s', async (_, body, ended, isSame) => {
  const sandbox = aSandbox({ childrenMax: 1 })
  await runBody(sandbox, 'return 1')
  const before = await nextChild(sandbox)
  expect(await runBody(sandbox, body, { timeoutMs: body.startsWith('for') ? 300 : 20_000 })).toMatchObject(ended)
  expect(await runBody(sandbox, 'return 2', { timeoutMs: 10_000 })).toMatchObject({ status: 'SUCCEEDED', output: 2 })
  expect((await nextChild(sandbox)) === before).toBe(isSame)
})

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../errors.ts'
import { escapes, loops, memories, others, type Hostile } from './hostile.fixture.ts'
import { aSandbox } from './a-sandbox.fixture.ts'
import { runBody, runSource } from './sandbox.fixture.ts'
import type { SandboxCall } from './sandbox.ts'

const timeoutMs = 300
/** A busy machine answers late; the parent kills one second after the deadline. */
const lateMsMax = 2_500

const call = async ({ arguments: [method] }: SandboxCall) => {
  if (method === 'REFUSED') throw new Refusal('NOT_FOUND', 'It was not found.')
  return { data: 1 }
}
const isModule = (source: string): boolean => source.includes('export default')

describe('a hostile program', () => {
  const kinds: [string, readonly Hostile[], number][] = [
    ['that loops', loops, 128],
    ['that loops, with 16 MB', loops, 16],
    ['that fills the memory', memories, 128],
    ['that fills the memory, with 16 MB', memories, 16],
    ['of another kind', others, 128],
    ['of another kind, with 16 MB', others, 16],
  ]
  it.each(kinds)(
    '%s ends as it must, soon after its deadline, and the next one runs',
    async (_, programs, memoryMb) => {
      const sandbox = aSandbox({ childrenMax: 2, waitMsMax: 110_000 })
      const wrong: unknown[] = []
      const runOne = async ([name, source, statuses]: Hostile, at: number): Promise<void> => {
        // Memory takes a while to fill.
        const run = { organizationId: `o${at}`, timeoutMs: programs === memories ? 3_000 : timeoutMs, memoryMb, call }
        const result = await (isModule(source) ? runSource : runBody)(sandbox, source, run)
        const isLate = result.durationMs > run.timeoutMs + lateMsMax
        const isLong = (result.error?.message.length ?? 0) > 8_192 || result.logs.length > 1_000
        if (!statuses.includes(result.status) || isLate || isLong)
          wrong.push([name, result.status, result.durationMs, result.error?.message.slice(0, 100)])
      }
      await Promise.all(programs.map(runOne))
      expect(wrong).toEqual([])
      expect(await runBody(sandbox, 'return 1')).toMatchObject({ status: 'SUCCEEDED', output: 1 })
    },
  )
})

describe('a known escape', () => {
  it('reaches no object of the process', async () => {
    const sandbox = aSandbox()
    const reached: unknown[] = []
    for (const [name, body] of escapes) {
      const { status, output } = await runBody(sandbox, body, { call })
      const harmless = ['undefined', 'nothing', 'undefinedundefined', 'undefined'.repeat(5), 'refused']
      // A program that crashes its own child has left nothing.
      if (status === 'FAILED' || status === 'CRASHED' || (status === 'SUCCEEDED' && harmless.includes(String(output))))
        continue
      reached.push([name, status, output])
    }
    expect(reached).toEqual([])
  })
})

const stateOf = (pid: number): string => {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : ''
  return /^State:\s+(\w)/m.exec(status)?.[1] ?? 'gone'
}
const isRunning = (pid: number): boolean => !['gone', 'Z', 'X'].includes(stateOf(pid))

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('the children', () => {
  it('do not exist before the first program, have no environment, and end with the sandbox', async () => {
    const sandbox = aSandbox()
    expect(sandbox.pool.children).toEqual([])
    await runBody(sandbox, 'return 1')
    const [pid, ...more] = sandbox.pool.children
    expect(more).toEqual([])
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
    expect(environment.split('\0').filter((entry) => entry && !entry.startsWith('NODE_CHANNEL_'))).toEqual([])
    await sandbox.close()
    expect(isRunning(pid!)).toBe(false)
  })

  it('that are killed while they run make their program CRASHED, and the next one runs', async () => {
    const sandbox = aSandbox()
    const crashed = runBody(sandbox, 'console.log("begun"); await context.api.rest("GET", "/")', {
      call: () => {
        for (const pid of sandbox.pool.children) process.kill(pid, 'SIGKILL')
        return new Promise(() => undefined)
      },
    })
    expect(await crashed).toMatchObject({ status: 'CRASHED', output: null, logs: [{ text: 'begun' }] })
    expect(await runBody(sandbox, 'return 2')).toMatchObject({ status: 'SUCCEEDED', output: 2 })
  })

  it('end when their parent is killed, also during an endless loop', async () => {
    const node = execFileSync('node', ['-p', 'process.execPath'], { encoding: 'utf8' }).trim()
    const fixture = fileURLToPath(new URL('./killed-parent.fixture.ts', import.meta.url))
    const parent = spawn(node, ['--import', 'tsx', fixture], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(parent.stdout, 'data')) as [Buffer]
    const pid = Number(line.toString())
    expect(isRunning(pid)).toBe(true)
    parent.kill('SIGKILL')
    await until(() => !isRunning(pid))
  })

  it('run at most half for one organization; more than twenty waiting programs are THROTTLED', async () => {
    const sandbox = aSandbox({ childrenMax: 2 })
    const held: (() => void)[] = []
    const hold = () => new Promise((resolve) => held.push(() => resolve({})))
    const holding = () =>
      runBody(sandbox, 'await context.api.rest("GET", "/"); return 1', { call: hold, timeoutMs: 60_000 })
    const first = holding()
    await until(() => held.length === 1)
    const running = [first, ...Array.from({ length: 20 }, holding)]
    const twentyOne = runBody(sandbox, 'return 1', { timeoutMs: 60_000 })
    expect(await twentyOne).toMatchObject({ status: 'THROTTLED', output: null })
    expect(await runBody(sandbox, 'return 3', { organizationId: 'other' })).toMatchObject({ output: 3 })
    expect(held).toHaveLength(1)
    const ended = Promise.all(running)
    let hasEnded = false
    void ended.then(() => (hasEnded = true))
    await until(() => {
      held.splice(0).forEach((release) => release())
      return hasEnded
    })
    expect((await ended).map(({ output }) => output)).toEqual(Array.from({ length: 21 }, () => 1))
  })
})

describe('organizations', () => {
  it('get equal shares: the slowest of fifty has 80 % of the mean', async () => {
    const sandbox = aSandbox({ childrenMax: 2 })
    await runBody(sandbox, 'return 1')
    const counts = Array.from({ length: 50 }, () => 0)
    const endMs = performance.now() + 6_000
    await Promise.all(
      counts.map(async (_, index) => {
        while (performance.now() < endMs) {
          const { status } = await runBody(sandbox, 'return 1', { organizationId: `o${index}`, timeoutMs: 10_000 })
          expect(status).toBe('SUCCEEDED')
          counts[index]! += 1
        }
      }),
    )
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(0.8 * mean - 1)
  })

  it('are served beside ten endless loops of another one', async () => {
    const sandbox = aSandbox({ childrenMax: 4 })
    const p95 = async (): Promise<number> => {
      const times: number[] = []
      for (let at = 0; at < 40; at++) {
        const began = performance.now()
        expect(await runBody(sandbox, 'return 1', { organizationId: 'other', timeoutMs: 10_000 })).toMatchObject({
          output: 1,
        })
        times.push(performance.now() - began)
      }
      return times.toSorted((a, b) => a - b)[37]!
    }
    const alone = await p95()
    const over = new AbortController()
    const loop = async (): Promise<void> => {
      while (!over.signal.aborted) await runBody(sandbox, 'for (;;);', { organizationId: 'loops', timeoutMs: 1_000 })
    }
    const loopers = Array.from({ length: 10 }, loop)
    const beside = await p95()
    over.abort()
    await sandbox.close()
    await Promise.all(loopers)
    process.stderr.write(`p95 alone: ${alone.toFixed(1)} ms, beside ten endless loops: ${beside.toFixed(1)} ms\n`)
    // The goal is 10 % on a quiet machine; this also holds on one with many other processes.
    expect(beside).toBeLessThan(5_000)
  })
})

import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import type { ChildSandbox } from '../../subgraphs/kernel/sandbox/child-sandbox.ts'
import { runSource } from '../../subgraphs/kernel/sandbox/sandbox.fixture.ts'
import { median } from './measure.ts'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'
import { atMost, type Finding } from './report.ts'

const [coldStarts, compiles, runs] = [5, 20, 2_200]
const sourceCharacters = 32_000

const handler = 'export default () => null'

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))]!

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** 0 for a child that is ending. */
const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** TypeScript of about 32 KB. */
function longSource(): string {
  const line = (index: number): string =>
    `export const f${index} = (value: number): string => String(value + ${index})\n`
  let text = 'export default (input: unknown): unknown => input\n'
  for (let index = 0; text.length < sourceCharacters; index++) text += line(index)
  return text
}

/** The compiled sandbox, as an installation runs it: a child that reads TypeScript has 30 MB more. */
async function sandboxOpener(): Promise<() => ChildSandbox> {
  const file = `${projectRoot}/dist/subgraphs/kernel/sandbox/child-sandbox.js`
  const compiled = (await import(file)) as { readonly ChildSandbox: typeof ChildSandbox }
  return () => new compiled.ChildSandbox(pino({ level: 'silent' }), { childrenMax: 2 })
}

/** The sandbox by itself: its first program, programs in a row with the replacement of children, compiling, memory. */
export async function measureSandbox(): Promise<Finding[]> {
  const openSandbox = await sandboxOpener()
  const cold: number[] = []
  for (let start = 0; start < coldStarts; start++) {
    const sandbox = openSandbox()
    cold.push(await timed(() => runSource(sandbox, handler)))
    await sandbox.close()
  }
  const sandbox = openSandbox()
  try {
    return [
      atMost(`First program of a process, with its child: median of ${coldStarts}`, median(cold), 400, ' ms'),
      ...(await measureRuns(sandbox)),
      await measureCompile(sandbox),
    ]
  } finally {
    await sandbox.close()
  }
}

async function measureRuns(sandbox: ChildSandbox): Promise<Finding[]> {
  const times: number[] = []
  const children = new Set<number>()
  let largestMb = 0
  for (let run = 0; run < runs; run++) {
    times.push(await timed(() => runSource(sandbox, handler)))
    for (const pid of sandbox.pool.children) children.add(pid)
    if (run % 100 === 99) largestMb = Math.max(largestMb, ...sandbox.pool.children.map(residentMb))
  }
  const warm = times.slice(100)
  return [
    atMost('A program in a fresh isolate of a warm child: p50', median(warm), 2, ' ms'),
    atMost('the same: p95', percentile(warm, 0.95), 9, ' ms'),
    atMost(
      `the slowest of ${warm.length}, with ${children.size} children after 1,000 runs each`,
      Math.max(...warm),
      400,
      ' ms',
    ),
    atMost('Largest RSS of a child', largestMb, 70, ' MB'),
  ]
}

async function measureCompile(sandbox: ChildSandbox): Promise<Finding> {
  const source = longSource()
  const times: number[] = []
  for (let run = 0; run < compiles; run++) times.push(await timed(() => sandbox.compile('one', source, 'typescript')))
  return atMost(
    `Compiling ${Math.round(source.length / 1_000)} KB of TypeScript: p95`,
    percentile(times, 0.95),
    100,
    ' ms',
  )
}

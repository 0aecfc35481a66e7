import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Refusal } from '../errors.ts'
import { RoundRobinQueue } from '../work/round-robin-queue.ts'
import { limits } from './limits.ts'
import type { CompiledSource } from './sandbox.ts'

const atOnceMax = 2
const msMax = 5_000
const rssBytesMax = 200 * 1_048_576
const watchEveryMs = 10
const outputMax = 8 * 1_048_576
const pageBytes = 4_096

/** The program itself, without the script that esbuild may have in its place. */
function esbuildFile(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('esbuild/package.json'))
  const folder = dirname(require.resolve(`@esbuild/${process.platform}-${process.arch}/package.json`))
  return join(folder, process.platform === 'win32' ? 'esbuild.exe' : 'bin/esbuild')
}

const flags = [
  '--loader=ts',
  '--format=esm',
  '--target=es2024',
  '--tsconfig-raw={}',
  '--sourcemap=inline',
  '--sources-content=false',
  '--sourcefile=function.ts',
  '--log-level=error',
  '--log-limit=1',
  '--color=false',
]

export const compileError = (message: string, line: number, column: number): Refusal =>
  new Refusal('COMPILE_ERROR', message.endsWith('.') ? message : `${message}.`, { line, column })

const tooLarge = (): Refusal => compileError('The source needs too much memory or time to compile.', 1, 1)

interface Waiting {
  readonly organizationId: string
  readonly begin: () => void
}

const tooMany = (): Refusal =>
  new Refusal('UNAVAILABLE', 'Too many sources are waiting to be compiled; retry in 1 s.', { retryAfter: 1 })

const queue = new RoundRobinQueue<Waiting>({ waitingMax: 200, waitingPerOrganizationMax: 20 })
let running = 0

async function begun(organizationId: string, endsAt: number): Promise<void> {
  const leftMs = endsAt - performance.now()
  if (leftMs <= 0) throw tooMany()
  if (running < atOnceMax) {
    running += 1
    return
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const waiting = { organizationId, begin: resolve }
  if (!queue.add(waiting)) throw tooMany()
  if (leftMs === Infinity) return promise
  const refuse = (): void => {
    queue.remove(waiting)
    reject(tooMany())
  }
  const timer = setTimeout(refuse, Math.ceil(leftMs) + 1)
  return promise.finally(() => clearTimeout(timer))
}

/** Turns TypeScript into JavaScript, in a process of its own: a hostile source may end it, but nothing else. Two at a time. What has not begun at `endsAt` is refused. */
export async function compileTypeScript(
  organizationId: string,
  source: string,
  endsAt = Infinity,
): Promise<CompiledSource> {
  await begun(organizationId, endsAt)
  try {
    return await transform(source, endsAt)
  } finally {
    const next = queue.take(() => true)
    if (next) next.begin()
    else running -= 1
  }
}

async function transform(source: string, endsAt: number): Promise<CompiledSource> {
  // An empty folder: nothing of the server is near it.
  const cwd = await mkdtemp(join(tmpdir(), 'crm-compile-'))
  try {
    const { code, output, errors } = await esbuild(source, cwd, endsAt)
    if (code === 0) return withoutInlineMap(output)
    if (performance.now() >= endsAt) throw tooMany()
    const found = /\[ERROR\] ([\s\S]*?)\n\n\s+function\.ts:(\d+):(\d+):/.exec(errors)
    if (!found) throw tooLarge()
    throw compileError(found[1]!, Number(found[2]), Number(found[3]) + 1)
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

interface Ended {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

function esbuild(source: string, cwd: string, endsAt: number): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(esbuildFile(), flags, { cwd, env: {}, stdio: ['pipe', 'pipe', 'pipe'] })
    const texts = { output: '', errors: '' }
    const kill = (): void => void child.kill('SIGKILL')
    const take = (name: 'output' | 'errors') => (text: string) => {
      texts[name] += text
      if (texts[name].length > outputMax) kill()
    }
    child.stdout.setEncoding('utf8').on('data', take('output'))
    child.stderr.setEncoding('utf8').on('data', take('errors'))
    // It may end before it has read everything.
    child.stdin.on('error', () => undefined)
    child.stdin.end(source)
    const deadline = setTimeout(kill, Math.min(msMax, Math.ceil(endsAt - performance.now()) + 1))
    const watch = setInterval(() => void rssOf(child.pid).then((bytes) => bytes > rssBytesMax && kill()), watchEveryMs)
    const end = (): void => {
      clearTimeout(deadline)
      clearInterval(watch)
    }
    child.on('error', (error) => {
      end()
      reject(error)
    })
    child.on('close', (code) => {
      end()
      resolve({ code, ...texts })
    })
  })
}

async function rssOf(pid: number | undefined): Promise<number> {
  try {
    const [, pages] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')
    return Number(pages) * pageBytes
  } catch {
    return 0
  }
}

const mark = '//# sourceMappingURL=data:application/json;base64,'

/** The source map is stored beside the code; without one, errors show the lines of the compiled code. */
export function withoutInlineMap(output: string): CompiledSource {
  const at = output.lastIndexOf(mark)
  if (at < 0) return { code: output, sourceMap: null }
  const sourceMap = Buffer.from(output.slice(at + mark.length).trim(), 'base64').toString()
  return { code: output.slice(0, at), sourceMap: sourceMap.length <= limits.sourceMapMax ? sourceMap : null }
}

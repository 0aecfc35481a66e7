import { syncBuiltinESMExports } from 'node:module'
import { Readable, Writable } from 'node:stream'
import timers from 'node:timers/promises'

// A process that carries out one command of the built command line after another, so that only the first one loads its modules. A command gets the
// folder, the environment, the arguments and the standard streams of a process of its own.

export interface Command {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly args: readonly string[]
  readonly input: string
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const main = new URL('../../dist/cli/main.js', import.meta.url).href
const agent = Symbol.for('undici.globalDispatcher.1')
const shared = globalThis as unknown as Record<symbol, { destroy(): Promise<void> } | undefined>
let commands = 0

// The program waits up to 15 s in all before it gives a server up. Here, a pause takes at most half a second.
const pauseMsMax = 500
const { setTimeout: wait } = timers
timers.setTimeout = (ms, ...options) => wait(Math.min(ms ?? 0, pauseMsMax), ...options)
syncBuiltinESMExports()

class Text extends Writable {
  text = ''

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

const replace = (name: 'stdin' | 'stdout' | 'stderr', value: object): unknown =>
  Object.defineProperty(process, name, { value, configurable: true })

/** No connection of an earlier command is used again. */
function closeConnections(): void {
  const former = shared[agent]
  if (!former) return
  shared[agent] = new (former.constructor as new () => typeof former)()
  void former.destroy()
}

/** The exit code that the process would have; it is as before after it. */
function takeExitCode(): number {
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  return code
}

async function carryOut({ folder, environment, args, input }: Command): Promise<Ended> {
  const [stdout, stderr] = [new Text(), new Text()]
  process.chdir(folder)
  // Assigned one by one, because the system reads them too.
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, environment)
  process.argv = [process.execPath, main, ...args]
  takeExitCode()
  replace('stdin', Readable.from([Buffer.from(input)]))
  replace('stdout', stdout)
  replace('stderr', stderr)
  // The module runs the command when it is evaluated; those that it imports are kept.
  commands += 1
  await import(`${main}?${commands}`)
  const code = takeExitCode()
  closeConnections()
  return { code, stdout: stdout.text, stderr: stderr.text }
}

let last: Promise<unknown> = Promise.resolve()

process.on('message', ({ id, command }: { readonly id: number; readonly command: Command }) => {
  const next = last.then(() => carryOut(command))
  last = next.then(
    (ended) => process.send!({ id, ended }),
    (error: Error) => process.send!({ id, ended: { code: 1, stdout: '', stderr: error.stack } }),
  )
})
process.on('disconnect', () => process.exit())

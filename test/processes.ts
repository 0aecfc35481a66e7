import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'
import { projectRoot } from '../subgraphs/kernel/config/paths.ts'
import type { Platform } from './platform.ts'
import { freePort } from './redis-server.ts'

type Environment = Readonly<Record<string, string>>

/** A process of the platform, started as an operator starts it. */
export interface Process {
  readonly url: string
  /** Resolves when the process says that it is ready. */
  start(): Promise<void>
  /** Starts the process without waiting. */
  launch(): void
  /** Resolves with the exit code when the process has ended; null if a signal ended it. */
  ended(): Promise<number | null>
  /** Sends SIGKILL, like a power failure. */
  kill(): Promise<void>
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>
  /** Everything that the process has printed. */
  output(): string
}

const pollMs = 50
const readyWithinMs = 50_000

/**
 * `command` runs in the project folder. It is ready when it has printed `readyText`, or without that, when `/health/ready`
 * answers 200.
 */
export async function aProcess(
  command: readonly string[],
  environment: Environment,
  readyText?: string,
): Promise<Process> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const printed: string[] = []
  /** How many texts former processes printed. */
  let printedBefore = 0
  let child: ChildProcess | undefined
  let exited = Promise.withResolvers<number | null>()

  const isReady = async (): Promise<boolean> =>
    readyText === undefined
      ? fetch(`${url}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        )
      : printed.slice(printedBefore).join('').includes(readyText)

  async function untilReady(started: ChildProcess): Promise<void> {
    const ended = once(started, 'close').then(() => {
      const reason = started.signalCode ?? `code ${started.exitCode}`
      throw new Error(`${command.join(' ')} ended (${reason}):\n${printed.join('')}`)
    })
    const ready = vi.waitFor(async () => expect(await isReady()).toBe(true), {
      timeout: readyWithinMs,
      interval: pollMs,
    })
    await Promise.race([ready, ended])
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const ended = once(child, 'exit') as Promise<[number | null]>
    child.kill(signal)
    return (await ended)[0]
  }

  function launch(): ChildProcess {
    // Only PATH is passed on, so that the environment of the test does not configure the process.
    const env = { PATH: process.env['PATH'], PORT: String(port), ...environment }
    const [file, ...args] = command
    printedBefore = printed.length
    exited = Promise.withResolvers()
    const started = spawn(file!, args, {
      cwd: projectRoot,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    started.once('exit', (code) => exited.resolve(code))
    started.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()))
    started.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()))
    return started
  }

  return {
    url,
    start: () => untilReady(launch()),
    launch: () => void launch(),
    ended: () => exited.promise,
    async kill() {
      await end('SIGKILL')
    },
    stop: () => end('SIGTERM'),
    output: () => printed.join(''),
  }
}

/** A process of the platform that uses the database and the keys of the platform in this process. */
export const aSecondProcess = ({ services, dataDir }: Platform, environment: Environment = {}): Promise<Process> =>
  aProcess(['bin/run', 'main'], {
    DATABASE_URL: services.databaseUrl,
    DATA_DIR: dataDir,
    DEMO: 'off',
    IP_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    ...environment,
  })

/** Runs an operator command with `environment` and returns its output. */
export async function operate(args: readonly string[], environment: Environment): Promise<string> {
  const env = { PATH: process.env['PATH'], LOG_LEVEL: 'warn', ...environment }
  const { stdout } = await promisify(execFile)('bin/run', ['operate', ...args], { cwd: projectRoot, env })
  return stdout.trim()
}

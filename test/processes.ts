import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'
import { projectRoot } from '../subgraphs/kernel/paths.ts'
import type { Platform } from './platform.ts'
import { freePort } from './redis-server.ts'

type Environment = Readonly<Record<string, string>>

/** One process of the platform, as an operator would start it. */
export interface Process {
  readonly url: string
  /** Resolves when the process says that it is ready. */
  start(): Promise<void>
  /** Begins a start and waits for nothing. */
  launch(): void
  /** The exit code, when the process has ended; null when a signal ended it. */
  ended(): Promise<number | null>
  /** As a machine that loses power. */
  kill(): Promise<void>
  /** SIGTERM; gives the exit code. */
  stop(): Promise<number | null>
  /** Everything it has printed. */
  said(): string
}

const pollMs = 50
const readyWithinMs = 50_000

/** `command` runs in the project's folder. With `readyText` it is ready when it has said that; otherwise when its health says so. */
export async function aProcess(
  command: readonly string[],
  environment: Environment,
  readyText?: string,
): Promise<Process> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const said: string[] = []
  let child: ChildProcess | undefined
  let exited = Promise.withResolvers<number | null>()

  const isReady = async (): Promise<boolean> =>
    readyText === undefined
      ? fetch(`${url}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        )
      : said.join('').includes(readyText)

  async function untilReady(started: ChildProcess): Promise<void> {
    const ended = once(started, 'exit').then(() => {
      throw new Error(`${command.join(' ')} ended:\n${said.join('')}`)
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
    // PATH alone: nothing of the test's own environment configures the process.
    const env = { PATH: process.env['PATH'], PORT: String(port), ...environment }
    const [file, ...args] = command
    exited = Promise.withResolvers()
    const started = spawn(file!, args, {
      cwd: projectRoot,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    started.once('exit', (code) => exited.resolve(code))
    started.stdout.on('data', (chunk: Buffer) => said.push(chunk.toString()))
    started.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()))
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
    said: () => said.join(''),
  }
}

/** A process of the platform on the database and with the keys of one in this process. */
export const aProcessBeside = ({ services, dataDir }: Platform): Promise<Process> =>
  aProcess(['bin/run', 'main'], {
    DATABASE_URL: services.databaseUrl,
    DATA_DIR: dataDir,
    DEMO: 'off',
    IP_LIMITS: 'off',
    LOG_LEVEL: 'warn',
  })

/** A command of the operator, on what `environment` names; gives what it prints. */
export async function operate(args: readonly string[], environment: Environment): Promise<string> {
  const env = { PATH: process.env['PATH'], LOG_LEVEL: 'warn', ...environment }
  const { stdout } = await promisify(execFile)('bin/run', ['operate', ...args], { cwd: projectRoot, env })
  return stdout.trim()
}

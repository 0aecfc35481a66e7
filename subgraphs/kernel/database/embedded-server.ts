import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { open, readFile, readlink, realpath, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { run, serverEnvironment, type Account } from './embedded-account.ts'

export interface ServerCommand {
  readonly postgres: string
  readonly data: string
  readonly account: Account
  readonly settings: Readonly<Record<string, string>>
  readonly log: Logger
}

const fastShutdown = 'SIGINT'
const immediateShutdown = 'SIGQUIT'
const shutdownTimeoutMs = 10_000
const pollMs = 20
const linesOfReport = 8

/** Null when the process has ended, is a zombie, or may not be inspected. */
async function workingFolderOf(pid: number): Promise<string | null> {
  try {
    if (process.platform === 'linux') return await readlink(`/proc/${pid}/cwd`)
    return /^n(.+)$/m.exec(await run({}, 'lsof', ['-a', '-p', String(pid), '-d', 'cwd', '-Fn']))?.[1] ?? null
  } catch {
    return null
  }
}

async function pidIn(path: string): Promise<number | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return text === null ? null : Math.abs(parseInt(text, 10)) || 0
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Stops a server that a killed process left running on this folder, and neutralizes a stale pid file. The caller holds the lock
 * of the data folder, so no process uses a server that still runs in it.
 */
export async function retireFormerServer(data: string, log: Logger): Promise<void> {
  const path = join(data, 'postmaster.pid')
  const pid = await pidIn(path)
  if (pid === null) return
  const folder = await realpath(data)
  const isRunning = async () => pid > 0 && (await workingFolderOf(pid)) === folder
  for (const signal of [fastShutdown, immediateShutdown] as const) {
    if (!(await isRunning())) break
    log.warn(`An earlier process left the embedded PostgreSQL running (pid ${pid}): stopping it (${signal}).`)
    if (isAlive(pid)) process.kill(pid, signal)
    const deadline = Date.now() + shutdownTimeoutMs
    while ((await isRunning()) && Date.now() < deadline) await delay(pollMs)
  }
  if (await isRunning()) throw new Error(`The PostgreSQL server with pid ${pid} on ${data} does not stop.`)

  const left = await pidIn(path)
  if (left === 0) await rm(path)
  // The pid belongs to another process. PostgreSQL treats its parent's pid as stale, but still checks with the rest of the
  // file that no former backend is alive; without the file it would not check.
  else if (left !== null && isAlive(left)) await replacePid(path, process.pid)
}

async function replacePid(path: string, pid: number): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW)
  try {
    const lines = (await file.readFile('utf8')).split('\n')
    await file.truncate(0)
    await file.write([pid, ...lines.slice(1)].join('\n'), 0)
  } finally {
    await file.close()
  }
}

/** Messages to clients while the server stops, was killed, or is not ready. They are not errors of the server. */
const clientNotices =
  /^FATAL: {2}(?:terminating connection due to (?:administrator command|unexpected postmaster exit)|the database system is )/

function logLine(log: Logger, line: string): void {
  if (clientNotices.test(line)) log.debug(line)
  else if (/^(FATAL|PANIC):/.test(line) || line.endsWith('No space left on device')) log.error(line)
  else if (line.startsWith('WARNING:')) log.warn(line)
  else log.debug(line)
}

/** Starts a watcher that stops the server when this process ends without stopping it: however it ends, its end of the pipe closes. */
function startWatcher(pid: number, account: Account): { dismiss(): void } {
  const watcher = spawn('sh', ['-c', `read -r line || kill -${fastShutdown.slice(3)} "$0"`, String(pid)], {
    ...account,
    cwd: '/',
    env: serverEnvironment,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watcher.on('error', () => {})
  watcher.stdin.on('error', () => {})
  watcher.unref()
  ;(watcher.stdin as unknown as Socket).unref()
  return { dismiss: () => watcher.stdin.end('dismissed\n') }
}

function spawnServer({ postgres, data, account, settings }: ServerCommand) {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return spawn(postgres, ['-D', data, ...options], {
    ...account,
    cwd: '/',
    env: serverEnvironment,
    // In its own session, so that Ctrl-C reaches only this process, which stops the server last.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.ref()
  const gone = once(child, 'exit')
  child.kill(fastShutdown)
  const escalation = setTimeout(() => child.kill(immediateShutdown), shutdownTimeoutMs)
  await gone
  clearTimeout(escalation)
}

export interface RunningServer {
  /** Resolves with the exit code or signal when the server has ended for any reason. */
  readonly ended: Promise<string>
  stop(): Promise<void>
}

/** Resolves when the server accepts connections. The child process keeps this process alive only while it starts or stops. */
export async function startServer(command: ServerCommand): Promise<RunningServer> {
  const child = spawnServer(command)
  const watcher = child.pid === undefined ? null : startWatcher(child.pid, command.account)
  const report: string[] = []
  let isStopping = false
  const ended = new Promise<string>((resolve) => child.on('exit', (code, signal) => resolve(signal ?? `code ${code}`)))

  await new Promise<void>((ready, failed) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      logLine(command.log, line)
      if (line.includes('database system is ready to accept connections')) ready()
      report.push(line)
      if (report.length > linesOfReport) report.shift()
    })
    child.on('error', failed)
    child.on('close', (code, signal) => {
      watcher?.dismiss()
      failed(new Error(`PostgreSQL did not start (${signal ?? `code ${code}`}).\n${report.join('\n')}`))
    })
    child.on('exit', (code, signal) => {
      if (!isStopping) command.log.error(`The embedded PostgreSQL ended (${signal ?? `code ${code}`}).`)
    })
  })
  child.unref()
  ;(child.stderr as unknown as Socket).unref()

  const stop = async () => {
    isStopping = true
    await stopServer(child)
    watcher?.dismiss()
  }
  return { ended, stop }
}

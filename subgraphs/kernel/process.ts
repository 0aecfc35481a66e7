import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { ConfigError, readConfig, type Config } from './config/config.ts'
import { failureReason } from './database/failure-reason.ts'
import type { Migration } from './database/migrate.ts'
import { Refusal } from './errors.ts'
import { releaseStartMemory } from './operate/release-start-memory.ts'
import { logger, openServices, type OpenServices, type ServicesOptions } from './services.ts'

const stopWithinMs = 20_000
const closeAfterFailureMs = 15_000

interface ProcessOptions extends Pick<ServicesOptions, 'joinRunningServer'> {
  /** The process serves requests, so it waits before it stops: see `DRAIN_SECONDS`. */
  readonly drains?: boolean
}

type Start = (config: Config, services: OpenServices) => Promise<{ close(): Promise<void> }>

/**
 * The life of a process: read the configuration, open its services, run. On SIGTERM or SIGINT, also during the start, it finishes
 * the requests in progress and exits with 0. A wrong configuration, a database or disk that fails during the start, and an
 * embedded database that ends and cannot be restarted cause one line on stderr and exit code 1.
 */
export async function runProcess(
  migrations: readonly Migration[],
  choose: (config: Config) => Start,
  { drains = false, ...options }: ProcessOptions = {},
): Promise<void> {
  let services: OpenServices | undefined
  try {
    const config = readConfig()
    const start = choose(config)
    const signalled = nextSignal()
    services = await openServices({ config, migrations, ...options })
    const lost = services.databaseLost.then((reason) => Promise.reject(reason))
    const running = await Promise.race([start(config, services), lost])
    releaseStartMemory()
    const signal = await Promise.race([signalled, lost])
    services.log.info({ signal }, 'stopping')
    services.beginStopping()
    // Whoever presses Ctrl-C does not want to wait, and a second signal ends the wait.
    if (drains && signal === 'SIGTERM') await Promise.race([delay(config.drainSeconds * 1000), nextSignal(), lost])
    const forcedExit = setTimeout(() => process.exit(1), stopWithinMs)
    await running.close()
    await services.close()
    clearTimeout(forcedExit)
    process.exit(0)
  } catch (error) {
    const line = lineOf(error)
    if (line !== null) process.stderr.write(`${line}\n`)
    const forcedExit = setTimeout(() => process.exit(1), closeAfterFailureMs)
    await services?.close().catch(() => undefined)
    clearTimeout(forcedExit)
    if (line === null) throw error
    process.exit(1)
  }
}

/** The line for stderr; null for a defect, which is printed with its stack. */
function lineOf(error: unknown): string | null {
  if (error instanceof ConfigError || error instanceof Refusal) return error.message
  const reason = failureReason(error)
  return reason === null ? null : `The database failed during the start (${reason}). Start the process again.`
}

/** Runs one command with the platform's services, prints the result and exits. The platform may be running or stopped. */
export async function runCommand(
  migrations: readonly Migration[],
  choose: () => (services: OpenServices) => Promise<string>,
): Promise<void> {
  const chosen = (): Start => {
    const command = choose()
    return async (_config, services) => {
      process.stdout.write(`${await command(services)}\n`)
      process.kill(process.pid, 'SIGTERM')
      return { close: async () => undefined }
    }
  }
  await runProcess(migrations, chosen, { joinRunningServer: true })
}

/** Runs one command on the data folder, without opening the platform's services: it starts no migration. */
export async function runDataCommand(command: (config: Config, log: Logger) => Promise<string>): Promise<void> {
  try {
    const config = readConfig()
    if (config.databaseUrl)
      throw new ConfigError(
        'DATABASE_URL: this command is for the embedded database. Use the tools of your PostgreSQL.',
      )
    process.stdout.write(`${await command(config, logger(config))}\n`)
    process.exit(0)
  } catch (error) {
    const line = lineOf(error)
    if (line === null) throw error
    process.stderr.write(`${line}\n`)
    process.exit(1)
  }
}

/** Resolves with the first SIGTERM or SIGINT. After this call, neither signal ends the process directly. */
function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
  })
}

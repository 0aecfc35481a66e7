import { ConfigError, readConfig, type Config } from './config.ts'
import type { Migration } from './database/migrate.ts'
import { openServices, type OpenServices } from './services.ts'

const stopWithinMs = 20_000

/**
 * The life of a process: read the configuration, open what it stands on, run, and on SIGTERM or SIGINT finish what runs and
 * exit with 0. A configuration that makes no sense is one line on stderr and exit code 1.
 */
export async function runProcess(
  migrations: readonly Migration[],
  start: (config: Config, services: OpenServices) => Promise<{ close(): Promise<void> }>,
): Promise<void> {
  let services: OpenServices | undefined
  try {
    const config = readConfig()
    services = await openServices({ config, migrations })
    const running = await start(config, services)
    stopOnSignal(running, services)
  } catch (error) {
    await services?.close()
    if (!(error instanceof ConfigError) && !isAddressInUse(error)) throw error
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 1
  }
}

const isAddressInUse = (error: unknown): boolean => ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'].includes((error as { code?: string }).code ?? '')

function stopOnSignal(running: { close(): Promise<void> }, services: OpenServices): void {
  let stopping = false
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return
    stopping = true
    services.log.info({ signal }, 'stopping')
    setTimeout(() => {
      services.log.error('what runs did not finish in time')
      process.exit(1)
    }, stopWithinMs).unref()
    await running.close()
    await services.close()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { startGateway, type RunningGateway } from '../../start-gateway.ts'
import { migrations } from '../../subgraphs/all.ts'
import { systemClock, type Clock } from '../../subgraphs/kernel/time/clock.ts'
import { readConfig } from '../../subgraphs/kernel/config/config.ts'
import { openServices, type OpenServices } from '../../subgraphs/kernel/services.ts'
import { freshDatabase } from '../fresh-database.ts'

export interface Gateway {
  readonly services: OpenServices
  readonly running: RunningGateway
}

export interface TwoGateways {
  readonly one: Gateway
  readonly other: Gateway
  readonly databaseUrl: string
  readonly dataDir: string
  close(): Promise<void>
}

/** Two gateways on one database, each with separate services, as in two processes. */
export async function openGateways(
  environment: Readonly<Record<string, string>> = {},
  clock: Clock = systemClock,
): Promise<TwoGateways> {
  const fresh = await freshDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'crm-gateways-'))
  const gateway = async (): Promise<Gateway> => {
    const config = readConfig({
      PORT: '0',
      DEMO: 'off',
      IP_LIMITS: 'off',
      TRUST_PROXY: '127.0.0.1',
      DATA_DIR: dataDir,
      DATABASE_URL: fresh.url,
      ...environment,
    })
    const services = await openServices({ config, migrations, clock, log: pino({ level: 'silent' }) })
    return { services, running: await startGateway(config, services) }
  }
  const [one, other] = [await gateway(), await gateway()]
  return {
    one,
    other,
    databaseUrl: fresh.url,
    dataDir,
    async close() {
      for (const { running, services } of [one, other]) {
        await running.close()
        await services.close()
      }
      await fresh.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

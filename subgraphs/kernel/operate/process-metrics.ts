import { collectDefaultMetrics, Gauge, register, Registry } from 'prom-client'
import { releaseVersion } from '../config/paths.ts'
import type { Database } from '../database/database.ts'
import { onceASecond } from '../time/once-a-second.ts'

/** Something that statements wait at before they get a connection of their pool. */
interface WaitingLine {
  readonly waiting: number
}

/** The two pools of a process, and the lines of requests before them. */
export interface MeasuredPools {
  /** Connections of the platform itself and of requests that belong to no organization. */
  readonly database: Pick<Database, 'pool'>
  /** Connections of requests. */
  readonly tenants: Pick<Database, 'pool'> & WaitingLine
  readonly crossTenant: WaitingLine
}

/** The metrics of a process for Prometheus, collected at most once a second. Its parts add their own metrics to `registry`. */
export class ProcessMetrics {
  readonly registry = new Registry()

  constructor(pools: MeasuredPools) {
    collectDefaultMetrics({ register: this.registry })
    new Gauge({
      name: 'crm_build_info',
      help: 'Always 1; its labels are the versions that run.',
      labelNames: ['version', 'node'],
      registers: [this.registry],
    }).set({ version: releaseVersion, node: process.version }, 1)
    this.#addPools(pools)
  }

  // Metrics of the whole process, not of one gateway, are in the default registry of prom-client.
  readonly text = onceASecond(() => Registry.merge([register, this.registry]).metrics())

  get contentType(): string {
    return this.registry.contentType
  }

  #addPools({ database, tenants, crossTenant }: MeasuredPools): void {
    const registers = [this.registry]
    const pools = [
      { name: 'requests', pool: tenants.pool, lines: [tenants] },
      { name: 'platform', pool: database.pool, lines: [crossTenant] },
    ] as const
    new Gauge({
      name: 'crm_database_connections',
      help: 'Open connections to PostgreSQL, by pool and state (busy, idle).',
      labelNames: ['pool', 'state'],
      registers,
      collect() {
        for (const { name, pool } of pools) {
          this.set({ pool: name, state: 'busy' }, pool.totalCount - pool.idleCount)
          this.set({ pool: name, state: 'idle' }, pool.idleCount)
        }
      },
    })
    new Gauge({
      name: 'crm_database_connections_max',
      help: 'The most connections to PostgreSQL that a pool opens.',
      labelNames: ['pool'],
      registers,
      collect() {
        for (const { name, pool } of pools) this.set({ pool: name }, pool.options.max)
      },
    })
    new Gauge({
      name: 'crm_database_waiting',
      help: 'Statements and transactions that wait for a connection or a scan slot, by pool.',
      labelNames: ['pool'],
      registers,
      collect() {
        for (const { name, pool, lines } of pools) {
          this.set(
            { pool: name },
            lines.reduce((sum, { waiting }) => sum + waiting, pool.waitingCount),
          )
        }
      },
    })
  }
}

import 'reflect-metadata'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { migrations } from '../../subgraphs/all.ts'
import { readConfig } from '../../subgraphs/kernel/config/config.ts'
import type { Sql } from '../../subgraphs/kernel/database/sql.ts'
import { openServices } from '../../subgraphs/kernel/services.ts'
import { startProject } from '../bench/processes.ts'
import { openTenant, sampleIds } from '../bench/tenants.ts'
import { tableOf } from '../bench/report.ts'
import { closeConnections, sendAll } from './send.ts'
import { requestKindsFor } from './request-kinds.ts'

// Checks that memory stays constant while every request is different: `npm run soak -- --rounds 12 --only "filters,addresses"`.

const accounts = 500
/** Largest allowed growth between the second and the last third of the rounds, in MB; by then every cache is full. */
const growthMbMax = 100

interface Round {
  readonly seconds: number
  readonly processMb: number
  readonly databaseMb: number
}

const { values } = parseArgs({ options: { rounds: { type: 'string' }, only: { type: 'string' } } })
const roundCount = Math.max(3, Number(values.rounds ?? 12))
const only = values.only?.split(',')
const closers: (() => unknown)[] = []

/** Private memory of the PostgreSQL processes in MB, including prepared statements. */
async function databaseMb(sql: Sql): Promise<number> {
  const backends = await sql.query<{ pid: number }>('select pid from pg_stat_activity where pid <> pg_backend_pid()')
  const kilobytes = backends.map(({ pid }) => {
    const [, own] = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(own ?? 0)
  })
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}

async function soak(): Promise<Round[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'crm-soak-'))
  closers.push(() => rm(dataDir, { recursive: true, force: true }))
  const services = await openServices({ config: readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' }), migrations })
  closers.push(() => services.close())
  const tenant = await openTenant(services, accounts)
  const ids = await sampleIds(services, tenant, accounts)
  const environment = { IP_LIMITS: '20/s,200/m,2000/h', TRUST_PROXY: '127.0.0.1' }
  const project = await startProject({ dataDir: join(dataDir, 'project'), services, environment })
  closers.push(() => project.stop(), closeConnections)

  const requestKinds = requestKindsFor(tenant.secret, ids).filter(({ name }) => !only || only.includes(name))
  const rounds: Round[] = []
  for (let round = 0; round < roundCount; round++) {
    const startedAt = performance.now()
    for (const requestKind of requestKinds) await sendAll(project.port, requestKind, round * requestKind.count)
    const found = {
      seconds: (performance.now() - startedAt) / 1000,
      processMb: project.rssMb(),
      databaseMb: await databaseMb(services.database),
    }
    rounds.push(found)
    console.log(
      `round ${round + 1}: ${found.seconds.toFixed(0)} s, process ${found.processMb.toFixed(0)} MB, database ${found.databaseMb.toFixed(0)} MB`,
    )
  }
  return rounds
}

/** The maximum in the second third of the rounds and in the last third. The first third fills the caches. */
function growthOf(rounds: readonly Round[], what: 'processMb' | 'databaseMb'): { before: number; after: number } {
  const third = Math.floor(rounds.length / 3)
  const most = (part: readonly Round[]): number => Math.max(...part.map((round) => round[what]))
  return { before: most(rounds.slice(third, -third)), after: most(rounds.slice(-third)) }
}

try {
  const rounds = await soak()
  const rows = (['processMb', 'databaseMb'] as const).map((what) => ({ what, ...growthOf(rounds, what) }))
  const mb = (number: number): string => number.toFixed(0)
  console.log(
    tableOf(
      ['MB', 'second third', 'last third', 'may grow by'],
      rows.map(({ what, before, after }) => [
        what === 'processMb' ? 'process' : 'database',
        mb(before),
        mb(after),
        mb(growthMbMax),
      ]),
    ),
  )
  if (rows.some(({ before, after }) => after - before > growthMbMax)) {
    console.error('Memory grows with the number of distinct requests: find the cache that has no size limit.')
    process.exitCode = 1
  }
} finally {
  for (const close of closers.toReversed()) await close()
}

import 'reflect-metadata'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { migrations } from '../../subgraphs/all.ts'
import { Database } from '../../subgraphs/kernel/database/database.ts'
import { startEmbeddedPostgres } from '../../subgraphs/kernel/database/embedded.ts'
import { migrate } from '../../subgraphs/kernel/database/migrate.ts'
import { measureScenario, type Bench } from './against-floors.ts'
import { measureEdge, measureOperations, measureScale, measureStart } from './further.ts'
import { readOptions } from './options.ts'
import { Load, startFloor, startProject, type Server } from './processes.ts'
import { findingsTable, type Finding } from './report.ts'
import { scenarios } from './scenarios.ts'
import { openTenant, openTenants, sampleIds } from './tenants.ts'

const options = readOptions(process.argv.slice(2))
const isWanted = (name: string): boolean => options.only.length === 0 || options.only.includes(name)

/** What has been opened, closed in the opposite order however the run ends. */
const closers: (() => unknown)[] = []
const findings: Finding[] = []

async function run(): Promise<void> {
  const dataDir = options.data ?? (await mkdtemp(join(tmpdir(), 'crm-bench-')))
  if (!options.data) closers.push(() => rm(dataDir, { recursive: true, force: true }))
  const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) })
  closers.push(() => postgres.stop())
  const database = new Database({ url: postgres.url, statementTimeoutMs: 0 })
  closers.push(() => database.close())
  await migrate(database, postgres.url, migrations)
  const tenants = await openTenants(database, options.accounts)
  const load = Load.start()
  closers.push(() => load.stop())
  const bench: Bench = { options, tenants, ids: await sampleIds(database, tenants.main, 1000), load }

  const project = await startProject({ dataDir: join(dataDir, 'project'), databaseUrl: postgres.url })
  closers.push(() => project.stop())
  await measureScenarios(bench, project, postgres.url)
  if (isWanted('edge')) {
    const nodeOptions = ['--import', new URL('open-edge.ts', import.meta.url).href]
    const open = await startProject({ dataDir: join(dataDir, 'project'), databaseUrl: postgres.url, nodeOptions })
    findings.push(...(await measureEdge(bench, project, open).finally(() => open.stop())))
  }
  if (isWanted('operations')) findings.push(...(await measureOperations(bench, project, postgres.url)))
  if (isWanted('scale')) {
    const organizations = []
    for (const accounts of options.scale) {
      const tenant = await openTenant(database, accounts)
      organizations.push({ tenant, ids: await sampleIds(database, tenant, 1000) })
    }
    findings.push(...(await measureScale(bench, project, organizations)))
  }
}

async function measureScenarios(bench: Bench, project: Server, databaseUrl: string): Promise<void> {
  const wanted = scenarios.filter(({ name }) => isWanted(name))
  if (wanted.length === 0) return
  const { main, writing } = bench.tenants
  const settings = { databaseUrl, organizationId: main.organizationId, writing, total: options.accounts }
  const raw = await startFloor('raw', settings)
  closers.push(() => raw.stop())
  const express = await startFloor('express', settings)
  closers.push(() => express.stop())
  for (const scenario of wanted) findings.push(...(await measureScenario(scenario, { raw, express, project }, bench)))
}

try {
  await run()
  if (isWanted('start')) findings.push(...(await measureStart()))
  console.log(`\n${findingsTable(findings)}`)
} finally {
  for (const close of closers.toReversed()) await close()
}

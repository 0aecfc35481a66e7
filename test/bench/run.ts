import 'reflect-metadata'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../../subgraphs/all.ts'
import { readConfig } from '../../subgraphs/kernel/config/config.ts'
import { openServices, type OpenServices } from '../../subgraphs/kernel/services.ts'
import { measureScenario, type Bench } from './against-baselines.ts'
import { measureAging } from './aging.ts'
import { measureAssistant, scriptedProvider } from './assistant.ts'
import { measureBulk } from './bulk.ts'
import { measureFunctions, measureWithoutExtensions } from './functions.ts'
import { measureInsights } from './insights.ts'
import { measureInvoices } from './invoices.ts'
import { measureCustomFields } from './custom-fields.ts'
import { measureCustomerGraph } from './customer-graph.ts'
import {
  measureRequestEdge,
  measureOperations,
  measureScale,
  measureStart,
  measureRowLevelSecurity,
  type FilledOrganization,
} from './self-comparisons.ts'
import { measureHistory } from './history.ts'
import { measureIndexedFields } from './indexed-fields.ts'
import { measureDelivery } from './delivery.ts'
import { measureGrowth } from './growth/growth.ts'
import { measureSearch } from './growth/search.ts'
import { measureDeployments } from './metadata.ts'
import { readOptions } from './options.ts'
import { PostgresCpu } from './postgres-cpu.ts'
import { Load, startBaseline, startProject, type Server } from './processes.ts'
import { profileScenario } from './profile.ts'
import { findingsTable, type Finding } from './report.ts'
import { scenarios } from './scenarios.ts'
import { measureSequences } from './sequences.ts'
import { measureStreams } from './streams.ts'
import { createTableBefore } from './table-before.ts'
import { measureTracking } from './tracking.ts'
import { openAdministrator, openTenant, openTenants, sampleIds } from './tenants.ts'

const options = readOptions(process.argv.slice(2))
const isWanted = (name: string): boolean => options.only.length === 0 || options.only.includes(name)

/** What was measured; the rest of a run fills many more records. */
const measured: string[] = []
const isDone = (): boolean => options.only.length > 0 && options.only.every((name) => measured.includes(name))

/** Functions that close what was opened; they run in reverse order, also after an error. */
const closers: (() => unknown)[] = []
const findings: Finding[] = []

async function run(): Promise<void> {
  const dataDir = options.data ?? (await mkdtemp(join(tmpdir(), 'crm-bench-')))
  if (!options.data) closers.push(() => rm(dataDir, { recursive: true, force: true }))
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'warn', OUTBOUND_ALLOW: '127.0.0.0/8' })
  const services = await openServices({ config, migrations })
  closers.push(() => services.close())
  // Only when it is named: it takes longer than everything else together.
  if (options.only.includes('growth')) {
    findings.push(...(await measureGrowth(services, join(dataDir, 'project'), options)))
    return
  }
  if (options.only.includes('search')) {
    findings.push(...(await measureSearch(services, dataDir, options)))
    return
  }
  if (isWanted('delivery')) findings.push(...(await measureDelivery(services, join(dataDir, 'project'), options)))
  measured.push('delivery')
  if (isDone()) return
  if (isWanted('streams')) findings.push(...(await measureStreams(services, join(dataDir, 'streams'))))
  measured.push('streams')
  if (isDone()) return
  if (isWanted('sequences')) findings.push(...(await measureSequences(services, await openTenant(services, 100))))
  measured.push('sequences')
  if (isDone()) return
  if (isWanted('metadata')) findings.push(...(await measureDeployments(services, await openAdministrator(services))))
  measured.push('metadata')
  if (isDone()) return
  const start = (nodeOptions: readonly string[] = []) =>
    startProject({ dataDir: join(dataDir, 'project'), services, nodeOptions })
  const started = async <T>(measure: (project: Server) => Promise<T>, nodeOptions: readonly string[] = []) => {
    const project = await start(nodeOptions)
    return measure(project).finally(() => project.stop())
  }
  if (isWanted('insights') && !options.profile)
    findings.push(...(await started((project) => measureInsights(project, services, options.insights))))
  measured.push('insights')
  if (isDone()) return
  if (isWanted('assistant') && !options.profile) {
    const { chat, environment } = await scriptedProvider()
    closers.push(() => chat.stop())
    const project = await startProject({ dataDir: join(dataDir, 'project'), services, environment })
    findings.push(...(await measureAssistant(project, services, options.assistant).finally(() => project.stop())))
  }
  measured.push('assistant')
  if (isDone()) return
  if (isWanted('functions') && !options.profile)
    findings.push(...(await started((project) => measureFunctions(project, services))))
  const load = Load.start()
  closers.push(() => load.stop())
  const postgres = await PostgresCpu.of(services.database)
  if (isWanted('bulk') && !options.profile)
    findings.push(...(await started((project) => measureBulk(services, project, postgres, options.bulk))))
  measured.push('bulk')
  if (isDone()) return
  if (isWanted('history') && !options.profile)
    findings.push(...(await started((project) => measureHistory(services, project, postgres, options.children))))
  measured.push('history')
  if (isDone()) return
  if (isWanted('indexed-fields') && !options.profile) {
    const measuring = { options, load, postgres }
    findings.push(...(await started((project) => measureIndexedFields(measuring, project, services))))
  }
  measured.push('indexed-fields')
  if (isWanted('custom-fields') && !options.profile)
    findings.push(...(await started((project) => measureCustomFields({ options, load, postgres }, project, services))))
  measured.push('custom-fields')
  if (isDone()) return
  const tenants = await openTenants(services, options.accounts)
  const bench: Bench = { options, tenants, ids: await sampleIds(services, tenants.main, 1000), load, postgres }

  if (options.profile) {
    for (const scenario of scenarios.filter(({ name }) => isWanted(name)))
      await profileScenario(scenario, bench, services)
    return
  }

  if (scenarios.some(({ name }) => isWanted(name)))
    await started((project) => measureScenarios(bench, project, services))
  // The next comparisons start both processes freshly, because a process that has served the scenarios above is slower.
  for (const [name, part, measure] of [
    ['edge', 'without-edge.ts', measureRequestEdge],
    ['rls', 'without-row-level-security.ts', measureRowLevelSecurity],
    ['no-extensions', 'without-extensions.ts', measureWithoutExtensions],
  ] as const) {
    if (!isWanted(name)) continue
    const compare = (open: Server) => started((project) => measure(bench, project, open))
    findings.push(...(await started(compare, ['--import', new URL(part, import.meta.url).href])))
  }
  if (isWanted('aging')) findings.push(...(await started((project) => measureAging(bench, project, start))))
  if (isWanted('graph'))
    findings.push(...(await started((project) => measureCustomerGraph(bench, project, services, options.graph))))
  if (isWanted('invoices')) findings.push(...(await started((project) => measureInvoices(bench, project, services))))
  if (isWanted('tracking')) findings.push(...(await started((project) => measureTracking(bench, project, services))))
  if (isWanted('operations'))
    findings.push(...(await started((project) => measureOperations(bench, project, services))))
  if (isWanted('scale')) {
    const organizations: FilledOrganization[] = []
    for (const accounts of options.scale) {
      const tenant = await openTenant(services, accounts)
      organizations.push({ tenant, ids: await sampleIds(services, tenant, 1000) })
    }
    findings.push(...(await started((project) => measureScale(bench, project, organizations))))
  }
}

async function measureScenarios(bench: Bench, project: Server, services: OpenServices): Promise<void> {
  const { main, writing } = bench.tenants
  const { database, databaseUrl } = services
  if (scenarios.some(({ name, before }) => before && isWanted(name))) await createTableBefore(database)
  const settings = { databaseUrl, organizationId: main.organizationId, writing, total: options.accounts }
  const raw = await startBaseline('raw', settings)
  closers.push(() => raw.stop())
  const express = await startBaseline('express', settings)
  closers.push(() => express.stop())
  for (const scenario of scenarios.filter(({ name }) => isWanted(name)))
    findings.push(...(await measureScenario(scenario, { raw, express, project }, bench)))
}

try {
  await run()
  if (isWanted('start') && !options.profile) findings.push(...(await measureStart()))
  console.log(`\n${findingsTable(findings)}`)
} finally {
  for (const close of closers.toReversed()) await close()
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import type { Bench } from './against-baselines.ts'
import { alternate, median, ratios, type Contender } from './measure.ts'
import { withMoreOperations } from './more-operations.ts'
import { startProject, type Server } from './processes.ts'
import { atMost, type Finding } from './report.ts'
import { wireFormOf } from './scenarios.ts'
import type { Tenant } from './tenants.ts'

const warmStarts = 5
const restMs = 5000

/** An organization and the ids of some of its accounts. */
export interface FilledOrganization {
  readonly tenant: Tenant
  readonly ids: readonly string[]
}

const byId = (name: string, server: Server, tenant: Tenant, ids: readonly string[]): Contender => ({
  name,
  server,
  requests: ids.map((id) => wireFormOf({ method: 'GET', path: `/v1/accounts/${id}` }, tenant)),
})

const firstPage = (name: string, server: Server, tenant: Tenant): Contender => ({
  name,
  server,
  requests: [wireFormOf({ method: 'GET', path: '/v1/accounts?limit=50' }, tenant)],
})

/** Cost of credentials, scopes, quota and headers: the project compared with itself without these checks. */
export async function measureRequestEdge(bench: Bench, project: Server, open: Server): Promise<Finding[]> {
  const { tenants, ids } = bench
  const contenders = [byId('with', project, tenants.main, ids), byId('without', open, tenants.main, ids)]
  const rounds = await alternate(bench, contenders)
  const costs = rounds.get('with')!.map(({ cpuUs }, index) => cpuUs - rounds.get('without')![index]!.cpuUs)
  return [atMost('Credentials, scopes, quota and headers of a request', median(costs), 60, ' us')]
}

/** Cost of row-level security: the project compared with itself without row-level security. */
export async function measureRowLevelSecurity(bench: Bench, project: Server, open: Server): Promise<Finding[]> {
  const { tenants, ids } = bench
  const contenders = [byId('with', project, tenants.main, ids), byId('without', open, tenants.main, ids)]
  const rounds = await alternate(bench, contenders)
  const [cpu, time] = [ratios(rounds, 'with', 'without', 'cpuUs'), ratios(rounds, 'without', 'with', 'perSecond')]
  return [
    atMost('REST by id with row-level security: CPU / CPU without', median(cpu), 1.1, 'x'),
    atMost('REST by id with row-level security: time / time without', median(time), 1.1, 'x'),
  ]
}

/** More routes in the contract must not make a request slower. */
export async function measureOperations(bench: Bench, project: Server, services: OpenServices): Promise<Finding[]> {
  const { tenants, ids } = bench
  const { root, before, after, remove } = await withMoreOperations(250)
  const large = await startProject({ dataDir: root, services, root })
  try {
    const contenders = [byId('as it is', project, tenants.main, ids), byId('large', large, tenants.main, ids)]
    const rounds = await alternate(bench, contenders)
    const slower = median(ratios(rounds, 'large', 'as it is', 'cpuUs'))
    return [atMost(`REST by id with ${after} operations: CPU / CPU with ${before}`, slower, 1.05, 'x')]
  } finally {
    await large.stop()
    await remove()
  }
}

/** Compares a large organization with a small one, by requests per second of the project with PostgreSQL. */
export async function measureScale(
  bench: Bench,
  project: Server,
  organizations: readonly FilledOrganization[],
): Promise<Finding[]> {
  const [small, large] = organizations as [FilledOrganization, FilledOrganization]
  const size = bench.options.scale
    .map((count) => count.toLocaleString('en'))
    .toReversed()
    .join(' accounts / ')
  const findings: Finding[] = []
  for (const [what, pair] of [
    ['REST by id', [byId('small', project, small.tenant, small.ids), byId('large', project, large.tenant, large.ids)]],
    ['REST first page', [firstPage('small', project, small.tenant), firstPage('large', project, large.tenant)]],
  ] as const) {
    const rounds = await alternate(bench, pair)
    const slower = median(ratios(rounds, 'small', 'large', 'perSecond'))
    findings.push(atMost(`${what}: time with ${size}`, slower, 1.3, 'x'))
  }
  return findings
}

/** Time from the start of the process, on a data folder with the demo, to the first `ready`; then the memory in use. */
export async function measureStart(): Promise<Finding[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'crm-bench-'))
  try {
    const first = await startProject({ dataDir, services: null, demo: true })
    await first.stop()
    const readyMs: number[] = []
    const rssMb: number[] = []
    for (let start = 0; start < warmStarts; start++) {
      const project = await startProject({ dataDir, services: null, demo: true })
      readyMs.push(project.readyMs)
      await delay(restMs)
      rssMb.push(project.rssMb())
      await project.stop()
    }
    const firstStart = `(the first start: ${first.readyMs.toFixed(0)} ms)`
    return [
      atMost('Ready after a warm start', median(readyMs), 2500, ' ms', firstStart),
      atMost('RSS at rest', median(rssMb), 250, ' MB'),
    ]
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

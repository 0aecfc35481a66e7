import type { OpenServices } from '../../../subgraphs/kernel/services.ts'
import type { BenchOptions } from '../options.ts'
import { startProject, type ProjectOptions } from '../processes.ts'
import type { Finding } from '../report.ts'
import { Client } from './client.ts'
import { openGrownOrganization, type GrownOrganization } from './fill.ts'
import { graphqlProbes } from './graphql-probes.ts'
import { measureProbe, type Row } from './measure-probe.ts'
import { explainRows, statementsFile } from './plans.ts'
import type { Probe } from './probe.ts'
import { restProbes } from './rest-probes.ts'
import { RequestCpu } from './request-cpu.ts'
import { Samples } from './samples.ts'

const warmUpMs = 5_000
/** Number of rows whose statements are explained. */
const explainedMax = 80
const explainedAtLeast = 10

/** Measures lists, filters, sort orders, searches and figures of an organization with many records, one request at a time. */
export async function measureGrowth(
  services: OpenServices,
  dataDir: string,
  options: BenchOptions,
): Promise<Finding[]> {
  const organization = await openGrownOrganization(services, options.growth)
  const project: ProjectOptions = { dataDir, services, background: false }
  const rows = await withClient(services, project, organization, async (client) => {
    const all: Row[] = []
    const start = performance.now()
    const probes = await probesOf(client, services, organization, options)
    console.log(`Sampled values: ${((performance.now() - start) / 1000).toFixed(0)} s.`)
    await warmUp(client, probes)
    for (const [area, probesOfArea] of Map.groupBy(probes, (probe) => probe.area)) {
      console.log(`\n${area}\n${head}`)
      for (const probe of probesOfArea) {
        const rows = await measureProbe(client, probe, options.values)
        for (const row of rows) console.log(lineOf(row))
        all.push(...rows)
      }
    }
    return all
  })
  const missed = rows.filter(({ isReached }) => isReached === false)
  const slowest = [...rows].sort((a, b) => b.p95 - a.p95)
  const explained = slowest
    .filter((row, index) => row.isReached === false || index < explainedAtLeast)
    .slice(0, explainedMax)
  const file = statementsFile(dataDir)
  const logging: ProjectOptions = {
    ...project,
    nodeOptions: ['--import', new URL('log-statements.ts', import.meta.url).href],
    environment: { STATEMENTS_FILE: file },
  }
  const { databaseUrl } = services
  const { organizationId } = organization
  const plans = await withClient(services, logging, organization, (client) =>
    explainRows(explained, { client, databaseUrl, organizationId, file }),
  )
  console.log(`\nPlans of the slowest requests\n${plans}`)
  const withGoal = rows.filter(({ isReached }) => isReached !== null)
  const what = 'Growth: rows that missed their goal'
  const figure = `${missed.length} of ${withGoal.length}`
  return [{ what, figure, goal: '0', isReached: missed.length === 0 }]
}

/** The server compiles its code while it answers the first requests. */
export async function warmUp(client: Client, probes: readonly Probe[]): Promise<void> {
  const deadline = performance.now() + warmUpMs
  for (const { requests } of probes) {
    if (performance.now() > deadline) return
    await client.send(requests[0]!)
  }
}

export async function withClient<T>(
  services: OpenServices,
  options: ProjectOptions,
  user: GrownOrganization,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const cpu = new RequestCpu(services.database)
  const server = await startProject(options)
  const client = new Client(server, user, cpu)
  try {
    return await use(client)
  } finally {
    client.close()
    await server.stop()
  }
}

export async function probesOf(
  client: Client,
  services: OpenServices,
  { organizationId }: GrownOrganization,
  { match, lists }: Pick<BenchOptions, 'match' | 'lists'>,
): Promise<Probe[]> {
  const samples = new Samples(services.database, organizationId)
  const totalOf = async (path: string): Promise<number> =>
    (await client.send({ method: 'GET', path: `${path}?limit=1` })).body.total ?? 0
  const totalOfField = async (field: string): Promise<number> => {
    const body = JSON.stringify({ query: `{ result: ${field}(limit: 1) { total } }` })
    return (await client.send({ method: 'POST', path: '/v1/graphql', body })).body.total ?? 0
  }
  const isWanted = (list: string): boolean => lists.length === 0 || lists.includes(list)
  const probes = [
    ...(await restProbes(samples, totalOf, isWanted)),
    ...(await graphqlProbes(samples, totalOfField, isWanted)),
  ]
  return probes.filter(
    ({ area, name, requests }) => requests.length > 0 && (!match || `${area} ${name}`.includes(match)),
  )
}

// Lines are printed as they are measured, so their widths are fixed.
const widths = [50, 3, 19, 8, 8, 8, 8, 4]
const line = (cells: readonly string[]): string =>
  `| ${cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[index]!))).join(' | ')} |`
export const head = [
  line(['', 'n', 'matches', 'p50 ms', 'p95 ms', 'p50 cpu', 'p95 cpu', '']),
  line(widths.map((width) => '-'.repeat(width))),
].join('\n')

export function lineOf({ label, samples, p50, p95, cpu, isReached, refusals }: Row): string {
  const totals = samples.map(({ body }) => body.total).filter((total) => typeof total === 'number')
  return line([
    label,
    String(samples.length),
    totals.length > 0 ? `${Math.min(...totals)} to ${Math.max(...totals)}` : '',
    p50.toFixed(1),
    p95.toFixed(1),
    cpu.p50.toFixed(1),
    cpu.p95.toFixed(1),
    [isReached === false ? 'MISS' : '', ...refusals].join(' ').trim(),
  ])
}

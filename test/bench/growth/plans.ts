import { readFile, rm, writeFile } from 'node:fs/promises'
import pg from 'pg'
import { tenantRole } from '../../../subgraphs/kernel/database/tenant-role.ts'
import { tableOf } from '../report.ts'
import type { HttpRequest } from '../scenarios.ts'
import type { Client } from './client.ts'
import { slowestOf, type Row } from './measure-probe.ts'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Total Time': number
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

interface Explained {
  readonly ms: number
  readonly worst: string
}

interface Statement {
  readonly text: string
  readonly values: readonly (string | null)[]
}

export const statementsFile = (folder: string): string => `${folder}/statements.jsonl`

const timeoutMs = 30_000
const modes = ['force_custom_plan', 'force_generic_plan'] as const
const totalMs = (node: PlanNode): number => node['Actual Total Time'] * node['Actual Loops']
const ownMs = (node: PlanNode): number =>
  totalMs(node) - (node.Plans ?? []).reduce((sum, child) => sum + totalMs(child), 0)
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

function describe(node: PlanNode): string {
  const place = node['Index Name'] ?? node['Relation Name']
  const removed =
    ((node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) * node['Actual Loops']
  const rows = Math.round(node['Actual Rows'] * node['Actual Loops'])
  return `${node['Node Type']}${place ? ` on ${place}` : ''}: ${ownMs(node).toFixed(0)} ms, ${rows} rows${removed ? `, ${removed} removed` : ''}`
}

/** Executes a statement as a request does: with the role and the settings of the tenants' pool, and the organization. */
async function explain(
  client: pg.Client,
  organizationId: string,
  statement: Statement,
  mode: string,
): Promise<Explained> {
  const literals = statement.values.map((value) => (value === null ? 'null' : pg.escapeLiteral(value)))
  await client.query('begin')
  try {
    for (const setting of [
      `role = ${tenantRole}`,
      `work_mem = '32MB'`,
      'jit = off',
      'max_parallel_workers_per_gather = 0',
      `plan_cache_mode = ${mode}`,
    ])
      await client.query(`set local ${setting}`)
    await client.query(`set local statement_timeout = ${timeoutMs}`)
    await client.query(`select set_config('app.organization_id', $1, true)`, [organizationId])
    await client.query(`prepare growth as ${statement.text}`)
    const execute = literals.length > 0 ? `growth(${literals.join(', ')})` : 'growth'
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode; 'Execution Time': number }] }>(
      `explain (analyze, timing, format json) execute ${execute}`,
    )
    const [{ Plan: plan, 'Execution Time': ms }] = rows[0]!['QUERY PLAN']
    return { ms, worst: describe(nodesOf(plan).reduce((worst, node) => (ownMs(node) > ownMs(worst) ? node : worst))) }
  } catch (error) {
    return { ms: timeoutMs, worst: (error as Error).message }
  } finally {
    await client.query('rollback')
    await client.query('deallocate all')
  }
}

export interface Explaining {
  /** A client of a server that was started with `log-statements.ts`. */
  readonly client: Client
  readonly databaseUrl: string
  readonly organizationId: string
  readonly file: string
}

/** A request by its values: the path, or the variables of GraphQL. */
const shownAs = ({ path, body }: HttpRequest): string =>
  body ? JSON.stringify((JSON.parse(body) as { variables: unknown }).variables) : decodeURIComponent(path)

/** For the slowest request of each row: the slowest statement with a custom and a generic plan, and the worst node of both. */
export async function explainRows(
  rows: readonly Row[],
  { client, databaseUrl, organizationId, file }: Explaining,
): Promise<string> {
  const connection = new pg.Client({ connectionString: databaseUrl })
  await connection.connect()
  const lines: string[][] = []
  try {
    for (const row of rows) {
      const { request, ms } = slowestOf(row)
      await writeFile(file, '')
      await client.send(request)
      const logged = (await readFile(file, 'utf8')).split('\n').filter(Boolean)
      const statements = logged.map((line) => JSON.parse(line) as Statement)
      const explained: Explained[][] = []
      for (const statement of statements) {
        const both: Explained[] = []
        for (const mode of modes) both.push(await explain(connection, organizationId, statement, mode))
        explained.push(both)
      }
      const slowest = explained.sort(([a], [b]) => b!.ms - a!.ms)[0]
      if (!slowest) continue
      const [custom, generic] = slowest as [Explained, Explained]
      const isWorse = generic.ms > 2 * custom.ms + 1
      lines.push([
        `${row.probe.area}: ${row.label}`,
        shownAs(request).slice(0, 120),
        ms.toFixed(0),
        custom.ms.toFixed(0),
        custom.worst,
        generic.ms.toFixed(0),
        isWorse ? generic.worst : '',
      ])
    }
  } finally {
    await connection.end()
    await rm(file, { force: true })
  }
  return tableOf(['', 'slowest request', 'ms', 'statement ms', 'worst node', 'generic ms', 'its worst node'], lines)
}

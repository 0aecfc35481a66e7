import { setTimeout as delay } from 'node:timers/promises'
import { Database } from '../../subgraphs/kernel/database/database.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import { fillAccounts } from './fill.ts'
import { Loader } from './loader.ts'
import type { Server } from './processes.ts'
import { atMost, type Finding } from './report.ts'
import { get, type HttpRequest } from './scenarios.ts'
import type { PostgresCpu } from './postgres-cpu.ts'

const changes = 10_000
const samples = 50
/** The server compiles its code while it answers the first requests. */
const warmUps = { record: 300, page: 20, list: 5 }
const pollMs = 200

/** Reads of the past of an organization of which ten thousand records have changed since, and pages of its copy elsewhere. */
export async function measureHistory(
  services: OpenServices,
  project: Server,
  postgres: PostgresCpu,
  records: number,
): Promise<Finding[]> {
  const loader = await Loader.open(services, project)
  const { client, tenant } = loader
  const step = Math.floor(records / changes)
  await fill(services, loader, records)
  const snapshot = await readSnapshot(loader)
  const before = new Date().toISOString()
  const rows = Array.from({ length: changes }, (_, index) => `ext-${index * step + 1},Renamed ${index}\n`)
  await loader.load(
    { operation: 'UPDATE', externalIdField: 'externalId' },
    [`externalId,name\n${rows.join('')}`],
    changes,
  )
  const ids = (
    await services.database.query<{ id: string }>(
      `select id from crm.account where organization_id = $1 and version = 2 order by md5(id::text) limit $2`,
      [tenant.organizationId, samples],
    )
  ).map(({ id }) => id)

  await eventsConsumed(services, tenant.organizationId)
  const total = (): number => project.cpuUs() + postgres.cpuUs()
  const measure = async (
    what: string,
    max: number,
    requestOf: (turn: number) => HttpRequest,
    first = warmUps.list,
  ): Promise<Finding> => {
    let turn = 0
    const next = () => requestOf(turn++)
    try {
      for (let warmUp = 0; warmUp < first; warmUp++) await client.send(next())
      const cpuBefore = total()
      const p95 = await client.percentileOf(next, 0.95, samples)
      return atMost(`${what}: p95`, p95, max, ' ms', `CPU ${((total() - cpuBefore) / 1000 / samples).toFixed(1)} ms`)
    } catch (error) {
      // A list that takes too long is refused.
      const figure = (error as Error).message.slice(0, 120)
      return { what: `${what}: p95`, figure, goal: `<= ${max} ms`, isReached: false }
    }
  }
  const list = (query: string) => get(`/v1/accounts?asOf=${before}&limit=50&${query}`)
  const of = `${records.toLocaleString('en')} records, ${changes.toLocaleString('en')} of them changed since`
  return [
    await measure(
      'A record as of a time',
      5,
      (turn) => get(`/v1/accounts/${ids[turn % ids.length]!}?asOf=${before}`),
      warmUps.record,
    ),
    await measure(`List as of a time of ${of}`, 400, () => list('includeTotal=false')),
    await measure('The same with the total', 400, () => list('includeTotal=true')),
    await measure('The same, by name', 400, () => list('includeTotal=false&sortBy=name&sortOrder=asc')),
    await measure('The same, one type of account', 400, () => list('includeTotal=false&type=PARTNER')),
    atMost('Page of a snapshot with 1,000 records: p95', snapshot.p95, 30, ' ms'),
    await measure(
      'Page of changes with 1,000 records',
      30,
      () => get(`/v1/sync/changes?cursor=${snapshot.cursor}&limit=1000`),
      warmUps.page,
    ),
  ]
}

/** Waits until what reacts to the events of the changes has run, such as the search, which would take CPU from what is measured. */
async function eventsConsumed({ database }: OpenServices, organizationId: string): Promise<void> {
  const waiting = (): Promise<object[]> =>
    database.query(
      `select from kernel.event_consumer c join kernel.event_head h using (organization_id)
       where organization_id = $1 and c.position < h.position limit 1`,
      [organizationId],
    )
  while ((await waiting()).length > 0) await delay(pollMs)
}

/** The cursor after a snapshot of all accounts, and how long its pages take. */
async function readSnapshot({ client }: Loader): Promise<{ readonly cursor: string; readonly p95: number }> {
  const times: number[] = []
  let cursor = ''
  for (;;) {
    const answer = await client.send(get(`/v1/sync/snapshot?limit=1000${cursor || '&objects=account'}`))
    const { nextCursor, hasMore } = answer.body as { nextCursor: string; hasMore: boolean }
    times.push(answer.ms)
    cursor = `&cursor=${nextCursor}`
    if (!hasMore) return { cursor: nextCursor, p95: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]! }
  }
}

async function fill(services: OpenServices, { tenant }: Loader, records: number): Promise<void> {
  const sql = new Database({ url: services.databaseUrl, connectionsMax: 1, statementTimeoutMs: 0 })
  try {
    await fillAccounts(sql, tenant.organizationId, tenant.ownerId, records)
    await sql.query('vacuum analyze crm.account')
  } finally {
    await sql.close()
  }
}

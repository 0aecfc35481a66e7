import { setTimeout as delay } from 'node:timers/promises'
import { Database } from '../../subgraphs/kernel/database/database.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import { Copies } from './copies.ts'
import { Loader } from './loader.ts'
import { measureNeighbour } from './neighbour.ts'
import type { PostgresCpu } from './postgres-cpu.ts'
import type { Server } from './processes.ts'
import { atLeast, atMost, type Finding } from './report.ts'
import { post } from './scenarios.ts'
import type { Tenant } from './tenants.ts'

const partBytes = 50_000_000
const insert = { operation: 'INSERT' }
const neighbourRows = 20_000
const sampleMs = 100

const header =
  'name,website,phone,industry,numberOfEmployees,billingCity,customFields.tier,customFields.seats,description\n'
const tiers = ['GOLD', 'SILVER', 'BRONZE']

const rowOf = (index: number, filler: string): string =>
  `Yard ${index},https://yard-${index}.example,+1 555 0100,Real estate,${index % 900},Hamburg,${tiers[index % 3]},${index % 50},"${filler}"\n`

/** The rows of a file in parts, with a description of so many bytes in each row. */
function* partsOf(rows: number, descriptionBytes: number): Generator<string> {
  const filler = 'A long account of the yard, "" quoted. '
    .repeat(Math.ceil(descriptionBytes / 38))
    .slice(0, descriptionBytes)
  // A slice may end between two quotes.
  const description = filler.endsWith('"') ? `${filler.slice(0, -1)}.` : filler
  let part = header
  for (let index = 0; index < rows; index++) {
    part += rowOf(index, description)
    if (part.length < partBytes) continue
    yield part
    part = ''
  }
  if (part) yield part
}

async function define({ client }: Loader, services: OpenServices, { organizationId }: Tenant): Promise<void> {
  const field = (name: string, more: object) =>
    post('/v1/custom-fields', { entity: 'ACCOUNT', name, label: name, ...more })
  await client.send(
    field('tier', { fieldType: 'PICKLIST', picklistValues: tiers.map((value) => ({ value })), isIndexed: true }),
  )
  await client.send(field('seats', { fieldType: 'NUMBER', minValue: 0 }))
  await client.send(
    post('/v1/validation-rules', {
      entityType: 'ACCOUNT',
      name: 'Seats',
      conditions: [{ field: 'customFields.seats', operator: 'GREATER_THAN', value: 1_000 }],
      errorMessage: 'At most 1,000 seats.',
    }),
  )
  for (;;) {
    const open = await services.database.query(
      `select from extensions.field_definition where organization_id = $1 and state <> 'READY' limit 1`,
      [organizationId],
    )
    if (open.length === 0) return
    await delay(sampleMs)
  }
}

export interface BulkSize {
  readonly rows: number
  /** Bytes of the file by which the memory is measured. */
  readonly fileBytes: number
}

/** What bulk jobs cost beside COPY of the same rows, what another organization notices of them, and how the memory grows. */
export async function measureBulk(
  services: OpenServices,
  project: Server,
  postgres: PostgresCpu,
  { rows, fileBytes }: BulkSize,
): Promise<Finding[]> {
  const loader = await Loader.open(services, project)
  const { tenant } = loader
  const first = await Loader.open(services, project)
  // Only a superuser copies to files of the server, which is the embedded one.
  const url = services.databaseUrl.replace('//crm@', '//postgres@')
  const sql = new Database({ url, connectionsMax: 1, statementTimeoutMs: 0 })
  // What follows from events, such as entries of the search, is the same after COPY: it waits until a measure has ended.
  const relayed = new Database({ url, connectionsMax: 1, statementTimeoutMs: 0 })
  const total = (): number => project.cpuUs() + postgres.cpuUs()
  /** Microseconds of CPU of both processes for each row, and rows in a second. */
  const measured = async (work: () => Promise<unknown>) => {
    await relayed.query('select pg_advisory_lock($1)', [relayLock], 'WRITE')
    const [before, beganMs] = [total(), performance.now()]
    await work()
    const cost = { us: (total() - before) / rows, perSecond: (rows / (performance.now() - beganMs)) * 1000 }
    await relayed.query('select pg_advisory_unlock($1)', [relayLock], 'WRITE')
    await untilSettled(services, tenant)
    return cost
  }
  const shown = (kind: string, { us, perSecond }: Awaited<ReturnType<typeof measured>>): string =>
    `${kind} ${us.toFixed(0)} us and ${perSecond.toFixed(0)}/s`
  try {
    for (const one of [first, loader]) await define(one, services, one.tenant)
    await first.load(insert, partsOf(2_000, 100), 2_000)
    await untilSettled(services, first.tenant)
    const inserted = await measured(() => loader.load(insert, partsOf(rows, 100), rows))
    const exported = await measured(() => loader.export())
    const copies = await Copies.of(sql, services, tenant)
    const copiedOut = await measured(() => copies.copyOut())
    await copies.prepare()
    const copiedIn = await measured(() => copies.copyIn())
    const many = rows.toLocaleString('en')
    return [
      atLeast(
        `Bulk insert of ${many} accounts: CPU of COPY of the same rows and events / CPU`,
        copiedIn.us / inserted.us,
        0.5,
        `${shown('job', inserted)}, ${shown('COPY', copiedIn)}`,
      ),
      atLeast(
        `Export of ${many} accounts: CPU of COPY / CPU`,
        copiedOut.us / exported.us,
        0.5,
        `${shown('job', exported)}, ${shown('COPY', copiedOut)}`,
      ),
      await measureNeighbour(services, project, 'a bulk job', () =>
        loader.load(insert, partsOf(neighbourRows, 100), neighbourRows),
      ),
      await measureMemory(project, loader, fileBytes),
    ]
  } finally {
    await sql.close()
    await relayed.close()
  }
}

/** The lock of whoever assigns positions to events. */
const relayLock = 7211122

/** Waits until the search has what was written last, after which nothing more follows. */
async function untilSettled({ database }: OpenServices, { organizationId }: Tenant): Promise<void> {
  for (;;) {
    const [row] = await database.query<{ isSettled: boolean }>(
      `select not exists (select from kernel.event_pending) and not exists (
         select from kernel.event_head h left join kernel.event_consumer c on c.organization_id = h.organization_id and c.name = 'search'
         where h.organization_id = $1 and coalesce(c.position, 0) < h.position) as "isSettled"`,
      [organizationId],
    )
    if (row!.isSettled) return
    await delay(sampleMs)
  }
}

const megabyte = 1_048_576

/** How the memory of the process grows while a large file is loaded, whose rows have 4 KB. */
async function measureMemory(project: Server, loader: Loader, fileBytes: number): Promise<Finding> {
  const rows = Math.ceil(fileBytes / 4_100)
  const before = project.rssMb()
  let largest = before
  const sampling = setInterval(() => (largest = Math.max(largest, project.rssMb())), sampleMs)
  try {
    await loader.load(insert, partsOf(rows, 4_000), rows)
  } finally {
    clearInterval(sampling)
  }
  const what = `Load of a file of ${(fileBytes / megabyte).toFixed(0)} MB: growth of the memory of the process`
  return atMost(what, largest - before, 150, ' MB', `from ${before.toFixed(0)} to ${largest.toFixed(0)} MB`)
}

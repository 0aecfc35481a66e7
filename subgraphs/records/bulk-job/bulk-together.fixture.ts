import { expect } from 'vitest'
import {
  account,
  activity,
  contact,
  invoice,
  lead,
  opportunity,
  order,
  quote,
  supportCase,
  task,
} from '../../../test/builders.ts'
import { BulkJobs } from '../../../test/bulk-jobs.fixture.ts'
import type { Member, Platform } from '../../../test/platform.ts'
import { statementsOf } from '../../../test/statements.ts'

type Row = Readonly<Record<string, unknown>>

/** Ids and moments are different in each organization: each is named by the place where it appears first. */
export function named(rows: readonly Row[]): unknown {
  const names = new Map<string, string>()
  const text = JSON.stringify(rows).replaceAll(
    /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
    (id) => names.get(id) ?? (names.set(id, `#${names.size}`), names.get(id)!),
  )
  return JSON.parse(text)
}

const tables: Readonly<Record<string, string>> = {
  case: 'support."case"',
  invoice: 'commerce.invoice',
  order: 'commerce."order"',
  quote: 'commerce.quote',
}

const tableOf = (object: string): string => tables[object] ?? `crm.${object}`

/** What matches the statements that insert records of a type. */
export const insertsOf = (object: string): RegExp => new RegExp(`insert into ${tableOf(object).replace('.', '\\.')} `)

/** What is stored of the records of a type whose external ids begin with R: the records, their events, their indexed values, the counter of the type. */
export async function storedOf(platform: Platform, { organizationId }: Member, object: string): Promise<Row[]> {
  const records = await platform.query<{ record: Row }>(
    `select to_jsonb(t) as record from ${tableOf(object)} t where organization_id = $1 and external_id like 'R%' order by external_id`,
    [organizationId],
  )
  const events = await platform.query<{ event: Row }>(
    `select jsonb_build_array(e.type, e.data) as event from kernel.event e
     join ${tableOf(object)} t on t.organization_id = e.organization_id and t.id = e.record_id
     where e.organization_id = $1 and t.external_id like 'R%' order by t.external_id, e.id`,
    [organizationId],
  )
  const values = await platform.query(
    `select v.field, to_jsonb(v) as value from kernel.record_value v
     join ${tableOf(object)} t on t.organization_id = v.organization_id and t.id = v.record_id
     where v.organization_id = $1 and t.external_id like 'R%' order by t.external_id, v.field`,
    [organizationId],
  )
  const counter = await platform.query(
    'select value from kernel.record_number where organization_id = $1 and object = $2',
    [organizationId, object],
  )
  return [...records.map(({ record }) => record), ...events.map(({ event }) => event), ...values, ...counter]
}

/** What a job has left: what is stored, and what became of its rows. */
async function outcomeOf(platform: Platform, jobs: BulkJobs, by: Member, object: string, id: string): Promise<unknown> {
  const failed = await jobs.results(by, id, 'failed')
  const lines = failed.split('\r\n').filter((line) => !line.includes('TAKEN'))
  return named([...(await storedOf(platform, by, object)), ...(lines as never)])
}

export interface Load {
  readonly object: string
  readonly csv: readonly string[]
  readonly columns: string
  /** The values of a row that could be written if its id were free. */
  readonly free?: string
  readonly prepare?: (by: Member) => Promise<void>
}

const makers = {
  activity,
  case: supportCase,
  contact,
  invoice,
  lead,
  opportunity,
  order,
  quote,
  task,
} as unknown as Readonly<Record<string, (by: Member) => Promise<{ readonly id: string }>>>

/** Loads a file in an organization of its own. With `isEach`, an id that another record has makes the job write each row alone. */
async function loaded(platform: Platform, { object, columns, csv, free, prepare }: Load, isEach: boolean) {
  const jobs = new BulkJobs(platform)
  const owner = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
  await account(owner, { name: 'Halvorsen', externalId: 'H' })
  await contact(owner, { lastName: 'Ness', email: 'ness@yard.example', externalId: 'N' })
  const { id: taken } = await makers[object]!(owner)
  await prepare?.(owner)
  expect(csv.length).toBeLessThan(40)
  const last = `TAKEN,${taken},${free ?? csv[0]!.split(',').slice(2).join(',')}`
  const { id } = await jobs.create(owner, { object, operation: 'UPSERT', externalIdField: 'externalId' })
  const text = `${columns}\n${[...csv, ...(isEach ? [last] : [])].join('\n')}\n`
  expect((await jobs.put(owner, id, text)).status).toBe(200)
  expect((await jobs.complete(owner, id)).status).toBe(200)
  const inserts = await statementsOf(platform, () => jobs.settle(), insertsOf(object), { inTransactions: true })
  const job = await jobs.read(owner, id)
  return { job, inserts: inserts.length, outcome: await outcomeOf(platform, jobs, owner, object, id) }
}

/** A file leaves the same whether its rows are written together or one by one. */
export async function expectSame(platform: Platform, load: Load) {
  const [together, each] = [await loaded(platform, load, false), await loaded(platform, load, true)]
  expect(each.job).toMatchObject({ state: 'JOB_COMPLETE' })
  expect(together.outcome).toEqual(each.outcome)
  expect(together.inserts).toBeLessThan(each.inserts / 2)
  return together
}

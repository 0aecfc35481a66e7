import pg from 'pg'
import { v7 } from 'uuid'
import { accountFields, caseFields, columnsOf, nestedAccountFields, selectOf } from './columns.ts'
import { createdRecords, type CreatedRecord } from './created-records.ts'

type Row = Record<string, unknown>

export interface BaselineSettings {
  readonly databaseUrl: string
  readonly organizationId: string
  readonly writing: { readonly organizationId: string; readonly ownerId: string }
  /** Number of accounts in the organization, for lists that do not count. */
  readonly total: number
}

const { builtins } = pg.types
const defaultParser = pg.types.getTypeParser as (oid: number, format?: string) => (text: string) => unknown

/** Timestamps in the format of the project; database sessions use UTC. */
const isoTime = (text: string): string => {
  const fraction = text.length === 22 ? '.000' : text.slice(19, -3).padEnd(4, '0')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction}Z`
}
const parsers = new Map<number, (text: string) => unknown>([
  [builtins.TIMESTAMPTZ, isoTime],
  [builtins.NUMERIC, Number],
  [builtins.INT8, Number],
])
const types = {
  getTypeParser: (oid: number, format?: string) => parsers.get(oid) ?? defaultParser(oid, format),
} as pg.CustomTypesConfig

const account = selectOf(accountFields, 't')
const live = 't.organization_id = $1 and t.deleted_at is null'
const statements = {
  one: `select ${account} from crm.account t where t.organization_id = $1 and t.id = $2 and t.deleted_at is null`,
  list: `select ${account} from crm.account t where ${live} order by t.created_at desc, t.id desc limit $2`,
  count: `select count(*)::int8 as total from crm.account t where ${live}`,
  ten: `select ${selectOf(nestedAccountFields, 't')} from crm.account t where ${live} order by t.created_at desc, t.id desc limit $2`,
  cases: `select p.id as "parent", c.* from unnest($2::uuid[]) p(id) cross join lateral (
      select ${selectOf(caseFields, 't')} from support."case" t where ${live} and t.account_id = p.id
      order by t.created_at desc, t.id desc limit $3) c`,
  insertEvent: `insert into kernel.event (organization_id, id, type, version, occurred_at, object, record_id, data, actor_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
} as const
type Statement = keyof typeof statements

const insertOf = ({ table, fields }: CreatedRecord): string =>
  `insert into ${table} (${columnsOf(fields)}) values (${fields.map((_, index) => `$${index + 1}`).join(', ')})`

interface Creation {
  readonly of: CreatedRecord
  readonly insert: string
  readonly blank: Row
}

const creations = new Map(
  Object.entries(createdRecords).map(([path, of]): [string, Creation] => {
    const blank = Object.fromEntries(of.fields.map((field) => [field, of.lists.has(field) ? [] : null]))
    return [path, { of, insert: insertOf(of), blank }]
  }),
)

/** The same data as the project returns, in the cheapest way: no credentials, no checks, one statement per query. */
export class BaselineQueries {
  private readonly settings: BaselineSettings
  private readonly pool: pg.Pool

  constructor(settings: BaselineSettings) {
    this.settings = settings
    this.pool = new pg.Pool({
      connectionString: settings.databaseUrl,
      max: 10,
      types,
      idleTimeoutMillis: 60_000,
      options: '-c timezone=UTC',
    })
  }

  private async rows(name: Statement, values: unknown[], db: pg.Pool | pg.PoolClient = this.pool): Promise<Row[]> {
    return (await db.query<Row>({ name, text: statements[name], values })).rows
  }

  async one(id: string): Promise<Row | undefined> {
    return (await this.rows('one', [this.settings.organizationId, id]))[0]
  }

  async page(limit: number, counts: boolean): Promise<Row> {
    const { organizationId, total } = this.settings
    const [data, counted] = await Promise.all([
      this.rows('list', [organizationId, limit + 1]),
      counts ? this.rows('count', [organizationId]) : [{ total }],
    ])
    const known = Number(counted[0]!['total'])
    const hasMore = data.length > limit
    if (hasMore) data.length = limit
    return {
      data,
      page: 1,
      limit,
      total: known,
      totalPages: Math.ceil(known / limit),
      hasMore,
      nextCursor: cursorOf(data.at(-1)!),
    }
  }

  async tenWithCases(): Promise<Row> {
    const { organizationId } = this.settings
    const data = await this.rows('ten', [organizationId, 10])
    const cases = await this.rows('cases', [organizationId, data.map(({ id }) => id), 10])
    const byAccount = new Map(data.map((row) => [row['id'], [] as Row[]]))
    for (const { parent, ...shown } of cases) byAccount.get(parent)!.push(shown)
    return { data: data.map((row) => ({ ...row, newestCases: { nodes: byAccount.get(row['id']) } })) }
  }

  async create(path: string, body: Row): Promise<Row> {
    const { of, insert, blank } = creations.get(path)!
    const { object, fields, json } = of
    const { organizationId, ownerId } = this.settings.writing
    const now = new Date().toISOString()
    const stamps = { createdAt: now, updatedAt: now, createdById: ownerId, updatedById: ownerId, version: 1 }
    const fixed = { id: v7(), organizationId, ownerId, customFields: {}, ...of.initial(body) }
    const record: Row = { ...blank, ...fixed, ...body, ...stamps }
    const data = { object, id: record['id'], record, previous: null, changedFields: null, actorId: ownerId }
    const client = await this.pool.connect()
    try {
      await client.query('begin')
      const values = fields.map((field) => {
        const value = record[field]
        return json.has(field) && value !== null ? JSON.stringify(value) : value
      })
      await client.query({ name: `insert ${of.table}`, text: insert, values })
      const event = [
        organizationId,
        v7(),
        `${object}.created`,
        1,
        now,
        object,
        record['id'],
        JSON.stringify(data),
        ownerId,
      ]
      await this.rows('insertEvent', event, client)
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
    return record
  }
}

const cursorOf = (row: Row): string =>
  Buffer.from(JSON.stringify(['createdAt-,id-', row['createdAt'], row['id']])).toString('base64url')

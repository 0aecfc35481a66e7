import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'
import { each } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aSecondProcess, type Process } from '../processes.ts'

// An integrator imports records by script and keeps a copy with the program of the guide, while everything is broken off and others change records.

const platform = usePlatform()
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
let folder: string
let member: Member

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-integrator-'))
  member = await platform.member({ organizationId: await platform.organization('Imported') })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number)
const imported = {
  accounts: numbers(500).map((n) => ({
    externalId: `A${n}`,
    name: `Account ${n}`,
    industry: n % 2 ? 'Fishing' : null,
  })),
  contacts: numbers(800).map((n) => ({ externalId: `C${n}`, lastName: `Contact ${n}`, account: `A${n % 500}` })),
  deals: numbers(700).map((n) => ({
    externalId: `D${n}`,
    name: `Deal ${n}`,
    amount: n + 0.25,
    closeDate: '2027-06-30',
    account: `A${(n * 7) % 500}`,
  })),
}
interface Given {
  readonly externalId: string
  readonly account?: string
  readonly closeDate?: string
}
const tables = { account: 'accounts', contact: 'contacts', opportunity: 'deals' } as const
const paths = { account: '/v1/accounts', contact: '/v1/contacts', opportunity: '/v1/deals' } as const
type RecordType = keyof typeof tables
const types = Object.keys(tables) as RecordType[]

type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly externalId: string | null }

/** All records of a list, in the order of their creation. */
async function rowsOf(type: RecordType): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const query = { limit: 100, sortBy: 'createdAt', sortOrder: 'asc', ...(cursor !== null && { cursor }) }
    const { status, body } = await member.rest[`${type}List`]!({ query })
    expect(status).toBe(200)
    rows.push(...(body.data as Row[]))
    cursor = body.nextCursor
  } while (cursor !== null)
  return rows
}

describe('an import that is broken off', () => {
  const program = fileURLToPath(new URL('import-program.js', import.meta.url))
  let file: string

  interface Import {
    readonly child: ChildProcess
    /** The batches that it has created. */
    readonly lines: string[]
  }

  function startImport({ url }: Pick<Process, 'url'>): Import {
    const env = { PATH: process.env['PATH'], CRM_URL: url, CRM_KEY: member.secret }
    const child = spawn(process.execPath, [program, file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines: string[] = []
    child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.split('\n').filter(Boolean)))
    return { child, lines }
  }

  const stored = async (): Promise<number> => {
    const [row] = await platform.query<{ n: number }>(
      `select ((select count(*) from crm.account where organization_id = $1) + (select count(*) from crm.contact where organization_id = $1)
         + (select count(*) from crm.opportunity where organization_id = $1))::int as n`,
      [member.organizationId],
    )
    return row!.n
  }
  const untilStored = (count: number): Promise<void> =>
    vi.waitFor(async () => expect(await stored()).toBeGreaterThan(count), { timeout: 60_000, interval: 5 })

  it('and repeated creates each record once, although the client and the server are killed', async () => {
    file = join(folder, 'records.json')
    await writeFile(file, JSON.stringify(imported))
    const server = await aSecondProcess(platform)
    onTestFinished(() => server.kill())
    await server.start()

    const first = startImport(server)
    await untilStored(100)
    first.child.kill('SIGKILL')
    await once(first.child, 'close')

    const second = startImport(server)
    await untilStored(900)
    await server.kill()
    await server.start()
    await untilStored(1400)
    second.child.kill('SIGKILL')
    await once(second.child, 'close')
    expect(second.lines.length).toBeLessThan(100)

    const last = startImport(server)
    expect(await once(last.child, 'close')).toEqual([0, null])
    expect(last.lines).toHaveLength(25 + 40 + 35)

    const ids = new Map<string, string>()
    for (const type of types) {
      const rows = await rowsOf(type)
      for (const { id, externalId } of rows) ids.set(externalId!, id)
      const given = imported[tables[type]] as readonly Given[]
      const byName = (one: Pick<Row, 'externalId'>, other: Pick<Row, 'externalId'>) =>
        one.externalId! < other.externalId! ? -1 : 1
      const expected = given.map(({ account, closeDate, ...values }) => ({
        ...values,
        ...(account !== undefined && { accountId: ids.get(account) }),
        ...(closeDate !== undefined && { closeDate: `${closeDate}T00:00:00.000Z` }),
        version: 1,
      }))
      expect(rows).toHaveLength(given.length)
      expect(rows.toSorted(byName)).toMatchObject(expected.toSorted(byName))
    }
    // Each has one event.
    const events = await platform.query(
      `select type, count(*)::int as n from kernel.event where organization_id = $1 and type = any($2) group by type order by type`,
      [member.organizationId, types.map((type) => `${type}.created`)],
    )
    expect(events).toEqual([
      { type: 'account.created', n: 500 },
      { type: 'contact.created', n: 800 },
      { type: 'opportunity.created', n: 700 },
    ])
  }, 120_000)
})

describe('a copy by the program of the guide', () => {
  const guide = readFileSync(join(projectRoot, 'gateway/pages/guides/sync.md'), 'utf8')
  const program = /^```ts\n([\s\S]*?)^```/m.exec(guide)![1]!
  const places = new Map<RecordType, string>()

  /** Runs the program for the records of a type and returns what it has printed. */
  async function sync(type: RecordType): Promise<string> {
    const cwd = places.get(type)!
    const env = { PATH: process.env['PATH'], CRM_URL: platform.url, CRM_KEY: member.secret }
    const args = ['--disable-warning=ExperimentalWarning', 'sync.mts']
    return (await promisify(execFile)(process.execPath, args, { cwd, env, timeout: 60_000 })).stdout.trim()
  }

  const copyOf = async (type: RecordType): Promise<Record<string, Row>> =>
    (JSON.parse(await readFile(join(places.get(type)!, 'accounts.json'), 'utf8')) as { accounts: Record<string, Row> })
      .accounts

  async function expectEqual(type: RecordType): Promise<void> {
    const rows = await rowsOf(type)
    expect(rows.length).toBeGreaterThan(400)
    expect(await copyOf(type)).toEqual(Object.fromEntries(rows.map((row) => [row.id, row])))
  }

  /** Others rename, delete, restore and create some of the records; returns how many a reader must write and remove. */
  async function changed(type: RecordType, rows: readonly Row[], round: string): Promise<void> {
    const name = type === 'contact' ? 'lastName' : 'name'
    const some = rows.filter((_, index) => index % 40 === 0)
    await each(some, async ({ id }) => {
      expect((await member.rest[`${type}Update`]!({ id, body: { [name]: `${round} ${id}` } })).status).toBe(200)
    })
    // Accounts with contacts and deals stay.
    const deletable = type === 'account' ? await lonely(round) : rows.slice(10, 16)
    const remove = async ({ id }: Pick<Row, 'id'>) =>
      expect((await member.rest[`${type}Delete`]!({ id })).status, `${type} ${id}`).toBe(204)
    await each(deletable, remove)
    await each(deletable.slice(0, 3), async ({ id }) => {
      expect((await member.rest[`${type}Restore`]!({ id })).status).toBe(200)
    })
    await each(deletable.slice(0, 1), remove)
  }

  const lonely = (round: string): Promise<{ id: string }[]> =>
    each(numbers(6), async (n) => {
      const { status, body } = await member.rest.accountCreate!({ body: { name: `${round} lonely ${n}` } })
      expect(status).toBe(201)
      return body as { id: string }
    })

  beforeAll(async () => {
    for (const type of types) {
      const place = await mkdtemp(join(folder, `${type}-`))
      await writeFile(join(place, 'sync.mts'), program.replaceAll('/v1/accounts', paths[type]))
      places.set(type, place)
    }
  })

  it('has all imported records', async () => {
    for (const type of types) {
      expect(await sync(type)).toBe(`${imported[tables[type]].length} written, 0 removed`)
      await expectEqual(type)
    }
  })

  it('equals the lists each night, after changes, deletions and restores by others', async () => {
    for (const night of [1, 2]) {
      platform.advanceClock(dayMs / 2)
      for (const type of types) await changed(type, await rowsOf(type), `Day ${night}`)
      platform.advanceClock(dayMs / 2)
      for (const type of types) {
        await sync(type)
        await expectEqual(type)
        expect(await sync(type)).toBe('0 written, 0 removed')
      }
    }
  })

  it('gets what others change while it reads', async () => {
    platform.advanceClock(dayMs)
    for (const type of types) {
      const rows = await rowsOf(type)
      const synced = sync(type)
      await changed(type, rows.toReversed(), 'Meanwhile')
      await synced
      platform.advanceClock(dayMs)
      await sync(type)
      await expectEqual(type)
    }
  })

  it('gets a change that began before it read and was committed after it', async () => {
    const rows = await rowsOf('opportunity')
    const { id } = rows[100]!
    let waiting!: Promise<{ readonly status: number }>
    await platform.inSeparateTransaction(async (sql) => {
      await sql.query('select 1 from crm.opportunity where id = $1 for update', [id])
      waiting = member.rest.opportunityUpdate!({ id, body: { name: 'Committed late' } })
      await vi.waitFor(async () => expect(await platform.waitingForLocks()).toBeGreaterThan(0), { timeout: 20_000 })
      platform.advanceClock(4 * minuteMs)
      await sync('opportunity')
    })
    expect((await waiting).status).toBe(200)
    expect((await copyOf('opportunity'))[id]!['name']).not.toBe('Committed late')
    platform.advanceClock(dayMs)
    await sync('opportunity')
    expect((await copyOf('opportunity'))[id]!['name']).toBe('Committed late')
    await expectEqual('opportunity')
  })
})

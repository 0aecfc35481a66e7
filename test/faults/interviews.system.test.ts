import pg from 'pg'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { element, flowsOf, screen, type Interview } from '../extensions/flows.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aSecondProcess } from '../processes.ts'
import { sendDespiteKills } from './killed-server.ts'
import { aWorker, patience } from './killed-worker.ts'

const platform = usePlatform()
let member: Member

beforeEach(async () => {
  // The processes have the clock of the machine.
  platform.now = new Date()
  member = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
})

const names = async (): Promise<string[]> => {
  const rows = await platform.query<{ name: string }>('select name from crm.account where organization_id = $1', [
    member.organizationId,
  ])
  return rows.map(({ name }) => name).toSorted()
}
const namesOf = (prefixes: readonly (string | number)[], items: number): string[] =>
  prefixes.flatMap((prefix) => Array.from({ length: items }, (_, item) => `${prefix}-${item}`)).toSorted()
const countOfEvents = async (): Promise<number> => {
  const [row] = await platform.query<{ n: number }>(
    `select count(*)::int as n from kernel.event where organization_id = $1 and type = 'account.created'`,
    [member.organizationId],
  )
  return row!.n
}

/** Asks for a name, and then creates so many accounts with it. */
const creating = (items: number) => [
  screen('ask', ['name'], { next: 'each' }),
  element('each', 'LOOP', { items: Array.from({ length: items }, (_, item) => item) }, { body: 'create', next: 'bye' }),
  element(
    'create',
    'CREATE_RECORD',
    { object: 'ACCOUNT', values: { name: '{{ask.name}}-{{each.item}}' } },
    { next: 'each' },
  ),
  screen('bye', ['feedback']),
]

async function interviewsOf(count: number, items: number): Promise<Interview[]> {
  const flows = flowsOf(platform)
  const { apiName } = await flows.activate(member, creating(items))
  const started: Interview[] = []
  for (let index = 0; index < count; index++) started.push(await flows.started(member, apiName))
  return started
}

/** Holds back the transaction that creates the account with this name, until it is released. */
async function heldBack(name: string) {
  const lock = 20_261_130
  const client = new pg.Client({ connectionString: platform.services.databaseUrl })
  await client.connect()
  await client.query('select pg_advisory_lock($1)', [lock])
  await platform.query(`create function crm.hold_back() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(${lock}); return new; end $$`)
  await platform.query(
    `create trigger hold_back before insert on crm.account for each row when (new.name = '${name}') execute function crm.hold_back()`,
  )
  const waiting = async (): Promise<number> => {
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::int as n from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
      [lock],
    )
    return rows[0]!.n
  }
  const release = async (): Promise<void> => {
    await client.end()
    await platform.query('drop trigger if exists hold_back on crm.account')
    await platform.query('drop function if exists crm.hold_back')
  }
  onTestFinished(release)
  return { reached: () => vi.waitFor(async () => expect(await waiting()).toBe(1), patience), release }
}

describe('a server that is killed while it answers `next`', { timeout: 240_000 }, () => {
  it('has created nothing, and creates each record once when the same state is answered again', async () => {
    const [interview] = await interviewsOf(1, 6)
    const { id, version } = interview!
    const server = await aSecondProcess(platform)
    onTestFinished(() => server.kill())
    const next = async (headers: object = {}) => {
      const init = {
        method: 'POST',
        headers: { ...member.headers, ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ version, values: { name: 'N' } }),
      }
      const answer = await fetch(`${server.url}/v1/flows/interviews/${id}/next`, init)
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    }
    const held = await heldBack('N-3')
    await server.start()
    const interrupted = next().catch(() => null)
    await held.reached()
    await server.kill()
    expect(await interrupted).toBeNull()
    await held.release()
    const flows = flowsOf(platform)
    expect((await flows.read(member, interview!)).body).toEqual(interview)
    expect([await names(), await countOfEvents()]).toEqual([[], 0])

    await server.start()
    const answered = await next()
    expect(answered).toMatchObject({
      status: 200,
      body: { status: 'WAITING_FOR_INPUT', currentElement: 'bye', version: version + 1 },
    })
    expect([await names(), await countOfEvents()]).toEqual([namesOf(['N'], 6), 6])
    // Whoever did not get that answer sends the same state again.
    expect(await next({ 'Idempotency-Key': newId() })).toMatchObject({
      status: 409,
      body: { code: 'VERSION_CONFLICT', currentVersion: version + 1, interview: { id, currentElement: 'bye' } },
    })
    expect([await names(), await countOfEvents()]).toEqual([namesOf(['N'], 6), 6])
  })

  it('repeats the answers of interviews, whose records it creates once, whenever it dies', async () => {
    const [count, items] = [40, 5]
    const interviews = await interviewsOf(count, items)
    const { first, repeated } = await sendDespiteKills(
      platform,
      member,
      interviews.map(({ id, version }, index) => ({
        path: `/v1/flows/interviews/${id}/next`,
        body: { version, values: { name: `${index}` } },
      })),
      {
        parts: [0.1, 0.3, 0.6].map((part) => part * count * items),
        progress: async () => (await names()).length,
      },
    )
    expect(first).toEqual(
      interviews.map(({ id, version }) =>
        expect.objectContaining({ id, status: 'WAITING_FOR_INPUT', currentElement: 'bye', version: version + 1 }),
      ),
    )
    expect(repeated).toEqual(first)
    expect(await names()).toEqual(namesOf([...interviews.keys()], items))
    expect(await countOfEvents()).toBe(count * items)
  })
})

describe('a worker that is killed while it goes on with interviews', { timeout: 240_000 }, () => {
  it('creates each record once, whenever it dies', async () => {
    const [count, items] = [6, 60]
    const interviews = await interviewsOf(count, items)
    const flows = flowsOf(platform)
    // A request does what it may, and leaves the rest to the worker.
    for (const [index, interview] of interviews.entries())
      expect(await flows.answered(member, interview, { name: `${index}` })).toMatchObject({ status: 'RUNNING' })
    expect((await names()).length).toBe(count * 15)
    // A dead process keeps its leases for minutes, and what failed with it would wait for its retry.
    const endLeases = () =>
      platform.query(`update extensions.flow_turn set next_attempt_at = now() where state = 'QUEUED' and not is_due`)
    const worker = await aWorker(platform)
    for (const part of [0.3, 0.5, 0.8]) {
      await endLeases()
      await worker.start('flows.forgetInterviews')
      await vi.waitFor(async () => expect((await names()).length).toBeGreaterThan(count * items * part), patience)
      await worker.kill()
    }
    await endLeases()
    await worker.start('flows.forgetInterviews')
    const statuses = async () =>
      Promise.all(interviews.map(async (interview) => ((await flows.read(member, interview)).body as Interview).status))
    await vi.waitFor(async () => expect(new Set(await statuses())).toEqual(new Set(['WAITING_FOR_INPUT'])), patience)
    await worker.kill()
    expect(await names()).toEqual(namesOf([...interviews.keys()], items))
    expect(await countOfEvents()).toBe(count * items)
  })
})

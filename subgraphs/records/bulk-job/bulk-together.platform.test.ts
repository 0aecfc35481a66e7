import { beforeEach, describe, expect, it } from 'vitest'
import { BulkJobs } from '../../../test/bulk-jobs.fixture.ts'
import { useHookReceiver } from '../../../test/extensions/hook-receiver.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { statementsOf } from '../../../test/statements.ts'
import { expectSame, type Load } from './bulk-together.fixture.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const receiver = useHookReceiver()
const jobs = new BulkJobs(platform)

beforeEach(() => receiver.reset())

const anOwner = async (): Promise<Member> =>
  platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
const setting = (by: Member, settings: object) =>
  platform.query('update identity.organization set settings = settings || $2 where id = $1', [
    by.organizationId,
    JSON.stringify(settings),
  ])
const hook = async (by: Member, values: object): Promise<void> => {
  const body = { name: 'Check', operations: ['CREATE', 'UPDATE'], url: receiver.url, ...values }
  expect((await by.rest['beforeSaveHookCreate']!({ body } as never)).status).toBe(201)
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `R${String(n).padStart(2, '0')}`)

describe('rows of a bulk job that are written together are as those that are written one by one', () => {
  const contacts: Load = {
    object: 'contact',
    columns: 'externalId,id,lastName,email,accountId.externalId,title',
    free: 'Lie,free@yard.example,H,',
    csv: [
      ...ids(30).map((id, n) => `${id},,Lie ${n},${n % 7 === 3 ? 'NESS' : `p${n % 11}`}@yard.example,H,Welder`),
      'R00,,Lie,new@yard.example,H,',
      'R01,,Lie,p0@yard.example,,',
      'R02,,Lie,no address,H,',
      'R05,,Berg,,X,',
    ],
  }

  it('contacts with email addresses, which need not be unique', async () => {
    const together = await expectSame(platform, contacts)
    expect(together.job).toMatchObject({ recordsSucceeded: 32, recordsFailed: 2 })
    expect(together.inserts).toBe(1)
  })

  it('contacts whose email addresses are unique', async () => {
    const together = await expectSame(platform, {
      ...contacts,
      prepare: async (by) => void (await setting(by, { uniqueContactEmail: true })),
    })
    // The first of each address is written, and p0 is free when R00 has given it up.
    expect(together.job).toMatchObject({ recordsSucceeded: 13, recordsFailed: 21 })
  })

  it('records on which hooks decide, which are asked once', async () => {
    receiver.decide = ({ records }) => ({
      results: records.map(({ values }) => {
        if (values['lastName'] === 'Lie 4') return { decision: 'REJECT', message: 'Not this one.' }
        return { decision: 'ALLOW', changes: { title: `Checked ${String(values['lastName'])}` } }
      }),
    })
    const together = await expectSame(platform, {
      ...contacts,
      prepare: (by) => hook(by, { objectType: 'CONTACT' }),
      csv: contacts.csv.slice(0, 30),
    })
    expect(together.job).toMatchObject({
      recordsSucceeded: 29,
      errorSummary: [{ code: 'HOOK_REJECTED', count: 1, sample: 'Not this one.' }],
    })
    expect(receiver.received.map(({ records }) => records.length)).toEqual([30, 31])
    expect(together.inserts).toBe(1)
  })

  it('leads, whose rules decide on their status', async () => {
    const together = await expectSame(platform, {
      object: 'lead',
      columns: 'externalId,id,lastName,company,status,leadScore,unqualifiedReason',
      csv: [
        ...ids(20).map((id, n) => `${id},,Lie ${n},Acme,${['NEW', 'CONTACTED', 'UNQUALIFIED'][n % 3]},${n * 5},`),
        'R02,,Lie,Acme,QUALIFIED,,',
        'R02,,Lie,Acme,NEW,,None',
        'R03,,Lie,Acme,CONVERTED,,',
        'R90,,Lie,Acme,CONVERTED,,',
      ],
    })
    expect(together.job).toMatchObject({
      recordsSucceeded: 21,
      errorSummary: [{ code: 'INVALID_STATE', count: 3 }],
    })
  })

  it('opportunities, which enter stages and are converted to the base currency', async () => {
    const together = await expectSame(platform, {
      object: 'opportunity',
      columns: 'externalId,id,name,accountId.externalId,amount,currency,closeDate,stage,lossReason',
      prepare: async (by) => void (await setting(by, { requireLossReason: true })),
      csv: [
        ...ids(20).map(
          (id, n) =>
            `${id},,Deal ${n},H,${n}.10,${n % 2 ? 'USD' : 'NOK'},2027-03-0${(n % 9) + 1},${['', 'PROPOSAL', 'NOWHERE', 'CLOSED_LOST'][n % 4]},`,
        ),
        'R00,,Deal,H,12345678901.25,USD,,,',
        'R01,,Deal,H,1,,,CLOSED_LOST,PRICE',
        'R05,,Deal,H,1,,,CLOSED_WON,',
      ],
    })
    expect(together.job).toMatchObject({ state: 'JOB_COMPLETE' })
    expect(Number(together.job['recordsSucceeded'])).toBeGreaterThan(10)
    expect(Number(together.job['recordsFailed'])).toBeGreaterThan(4)
  })

  it('tasks of records, and those of a series', async () => {
    const together = await expectSame(platform, {
      object: 'task',
      columns: 'externalId,id,subject,status,dueDate,contactId.externalId,recurrenceRule',
      csv: [
        ...ids(20).map((id, n) => `${id},,Call ${n},NOT_STARTED,2027-03-01T09:00:00Z,${n % 5 === 4 ? 'X' : 'N'},`),
        'R30,,Call,NOT_STARTED,2027-03-01T09:00:00Z,N,FREQ=WEEKLY',
        'R30,,Call,COMPLETED,,,',
        'R01,,Call,COMPLETED,,,',
      ],
    })
    expect(together.job).toMatchObject({ recordsSucceeded: 19, recordsFailed: 4 })
  })

  it('activities of records', async () => {
    const together = await expectSame(platform, {
      object: 'activity',
      columns: 'externalId,id,type,subject,occurredAt,endedAt,contactId.externalId,accountId.externalId',
      csv: [
        ...ids(20).map(
          (id, n) => `${id},,CALL,Call ${n},2026-01-01T09:00:00Z,2026-01-01T${n === 3 ? '08' : '10'}:00:00Z,N,H`,
        ),
        'R01,,,Called,,,,',
        'R30,,CALL,Call,2050-01-01T09:00:00Z,,N,',
        'R31,,CALL,Call,,,X,',
      ],
    })
    expect(together.job).toMatchObject({ recordsSucceeded: 20, recordsFailed: 3 })
  })
})

describe('a bulk job', () => {
  const uploaded = async (by: Member, object: string, csv: string): Promise<string> => {
    const { id } = await jobs.create(by, { object })
    await jobs.put(by, id, csv)
    expect((await jobs.complete(by, id)).status).toBe(200)
    return id
  }

  it('decides again what it has decided when the organization makes email addresses unique meanwhile', async () => {
    const owner = await anOwner()
    const lines = Array.from({ length: 60 }, (_, n) => `Lie ${n},p${n % 30}@yard.example\n`)
    const id = await uploaded(owner, 'contact', `lastName,email\n${lines.join('')}`)
    const waiting = `select from pg_locks where not granted and relation = 'crm.contact'::regclass
      and database = (select oid from pg_database where datname = current_database())`
    const [settled] = await platform.inSeparateTransaction(async (sql) => {
      await sql.query('lock table crm.contact in share mode')
      const settling = jobs.settle()
      await expect.poll(() => platform.query(waiting), { interval: 5, timeout: 30_000 }).toHaveLength(1)
      await setting(owner, { uniqueContactEmail: true })
      return [settling] as const
    })
    await settled
    expect(await jobs.read(owner, id)).toMatchObject({
      recordsSucceeded: 30,
      errorSummary: [{ code: 'UNIQUE_VIOLATION', count: 30 }],
    })
    const count = 'select from crm.contact where organization_id = $1'
    expect(await platform.query(count, [owner.organizationId])).toHaveLength(30)
  })

  it('writes the records of a type together, whatever hooks decide on records of others', async () => {
    const owner = await anOwner()
    await hook(owner, { objectType: 'CONTACT' })
    const id = await uploaded(owner, 'account', `name\n${'Yard\n'.repeat(700)}`)
    const inserts = await statementsOf(platform, () => jobs.settle(), /insert into crm\.account /, {
      inTransactions: true,
    })
    expect(await jobs.read(owner, id)).toMatchObject({ recordsSucceeded: 700 })
    expect(inserts).toHaveLength(3)
    const chunks = await platform.query('select from records.bulk_chunk where job_id = $1', [id])
    expect(chunks).toHaveLength(1)
    expect(receiver.received).toEqual([])
  })
})

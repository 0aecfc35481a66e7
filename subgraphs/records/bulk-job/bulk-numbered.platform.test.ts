import { beforeEach, describe, expect, it } from 'vitest'
import { account, opportunity, product, supportCase } from '../../../test/builders.ts'
import { BulkJobs } from '../../../test/bulk-jobs.fixture.ts'
import { settleFieldChanges } from '../../../test/extensions/field-changes.fixture.ts'
import { useHookReceiver } from '../../../test/extensions/hook-receiver.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { statementsOf } from '../../../test/statements.ts'
import { expectSame, insertsOf, named, storedOf, type Load } from './bulk-together.fixture.ts'

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
async function created(by: Member, operation: string, body: object): Promise<void> {
  const answer = await by.rest[operation]!({ body } as never)
  expect([answer.status, answer.body], operation).toEqual([201, expect.anything()])
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `R${String(n).padStart(2, '0')}`)
const cell = (value: unknown): string => `"${JSON.stringify(value).replaceAll('"', '""')}"`
const days = { monday: { from: '09:00', to: '17:00' }, wednesday: { from: '08:00', to: '12:00' } }

describe('rows of a bulk job that are written together are as those that are written one by one', () => {
  it('cases, whose status has side effects', async () => {
    const statuses = ['', 'OPEN', 'ESCALATED', 'RESOLVED', 'PENDING_CUSTOMER', 'CLOSED', 'NOWHERE']
    const together = await expectSame(platform, {
      object: 'case',
      columns: 'externalId,id,subject,status,priority,slaDueAt,accountId.externalId',
      prepare: async (by) => void (await setting(by, { enforceCaseTransitions: true })),
      csv: [
        ...ids(24).map((id, n) => `${id},,Label ${n},${statuses[n % 7]},${n % 2 ? 'LOW' : ''},,${n === 9 ? 'X' : 'H'}`),
        'R01,,Label,RESOLVED,,,',
        'R03,,Label,PENDING_CUSTOMER,,,',
        'R04,,Label,OPEN,URGENT,2027-01-01T00:00:00Z,',
        'R90,,Label,OPEN,,,H',
      ],
    })
    expect(together.job).toMatchObject({ recordsSucceeded: 23, recordsFailed: 5 })
    expect(together.inserts).toBe(2)
  })

  const lines = (n: number) => cell([{ name: 'Dock', quantity: n, unitPrice: 10.1, discountPercent: 5, taxRate: 19 }])
  const documents = (customer: string): Omit<Load, 'object'> => ({
    columns: `externalId,id,${customer}.externalId,discountType,discountValue,lineItems`,
    free: `H,,,${lines(1)}`,
    csv: [
      ...ids(20).map(
        (id, n) => `${id},,${n === 4 ? 'X' : 'H'},PERCENT,${n === 7 ? 101 : n},${lines(n === 9 ? -1 : n + 1)}`,
      ),
      `R01,,H,AMOUNT,1,${lines(3)}`,
      `R02,,,,,${cell([{ name: 'Dock', quantity: 1 }])}`,
      'R90,,H,,,',
    ],
  })

  it('orders with lines', async () => {
    const together = await expectSame(platform, { object: 'order', ...documents('accountId') })
    expect(together.job).toMatchObject({ recordsSucceeded: 19, recordsFailed: 4 })
    expect(together.inserts).toBe(2)
  })

  it('invoices with lines', async () => {
    const together = await expectSame(platform, { object: 'invoice', ...documents('customerId') })
    expect(together.job).toMatchObject({ recordsSucceeded: 19, recordsFailed: 4 })
    expect(together.inserts).toBe(2)
  })

  it('quotes, of which one of an opportunity is the primary one', async () => {
    const together = await expectSame(platform, {
      object: 'quote',
      columns: 'externalId,id,name,opportunityId.externalId,isPrimary,lineItems',
      prepare: async (by) => void (await opportunity(by, { externalId: 'O' })),
      free: 'Free,O,false,',
      csv: [
        ...ids(24).map((id, n) => `${id},,Quote ${n},${n === 4 ? 'X' : 'O'},${n === 8 || n === 16},${lines(n + 1)}`),
        `R08,,Quote,O,true,${lines(50)}`,
        'R03,,Quote,O,true,',
      ],
    })
    expect(together.job).toMatchObject({ recordsSucceeded: 25, recordsFailed: 1 })
  })
})

interface Records {
  readonly object: string
  readonly create: string
  readonly stats: string
  readonly prepare?: (by: Member) => Promise<void>
  /** The values of the rows, in an organization with an account and a product. */
  readonly rows: (accountId: string, productId: string) => object[]
}

const linesOf = (productId: string, n: number) => [
  { productId, quantity: n + 1, discountPercent: n % 3 === 0 ? 2.5 : 0 },
  { name: 'Onboarding', quantity: 1, unitPrice: n === 6 ? null : 99.99, taxRate: 19 },
]
const documentsOf = (customer: string) => (accountId: string, productId: string) =>
  ids(16).map((externalId, n) => ({
    externalId,
    [customer]: accountId,
    currency: n === 9 ? 'XXX' : n % 2 ? 'USD' : 'EUR',
    lineItems: n % 2 || n === 10 ? linesOf(productId, n) : [linesOf(productId, n)[1]],
  }))

const types: Records[] = [
  {
    object: 'case',
    create: 'caseCreate',
    stats: 'caseStats',
    async prepare(by) {
      await setting(by, { businessHours: { timezone: 'Europe/Oslo', days, holidays: [] } })
      await created(by, 'beforeSaveHookCreate', {
        name: 'Check',
        operations: ['CREATE'],
        objectType: 'CASE',
        url: receiver.url,
      })
      receiver.decide = ({ records }) => ({
        results: records.map(({ values }) =>
          values['subject'] === 'Label 5'
            ? { decision: 'REJECT', message: 'Not this one.' }
            : { decision: 'ALLOW', changes: { description: `Checked ${String(values['subject'])}` } },
        ),
      })
    },
    rows: (accountId) =>
      ids(16).map((externalId, n) => ({
        externalId,
        subject: n === 3 ? '' : `Label ${n}`,
        accountId: n % 2 ? accountId : null,
        priority: (['LOW', 'MEDIUM', 'HIGH', 'URGENT'] as const)[n % 4],
        status: (['NEW', 'ESCALATED', 'RESOLVED'] as const)[n % 3],
      })),
  },
  {
    object: 'quote',
    create: 'quoteCreate',
    stats: 'quoteStats',
    async prepare(by) {
      const field = { entity: 'QUOTE', name: 'serial', label: 'Serial', fieldType: 'TEXT', isUnique: true }
      await created(by, 'customFieldCreate', field)
      await settleFieldChanges(platform)
    },
    rows: (accountId, productId) =>
      documentsOf('accountId')(accountId, productId).map((row, n) => ({
        ...row,
        name: `Quote ${n}`,
        customFields: { serial: `S-${n}` },
      })),
  },
  { object: 'order', create: 'orderCreate', stats: 'orderStats', rows: documentsOf('accountId') },
  { object: 'invoice', create: 'invoiceCreate', stats: 'invoiceStats', rows: documentsOf('customerId') },
]

describe('a bulk job writes what single creates write', () => {
  it.each(types)('$object', async ({ object, create, stats, prepare, rows }) => {
    const outcome = async (write: (by: Member, values: object[]) => Promise<number[]>) => {
      const by = await anOwner()
      await prepare?.(by)
      const { id: accountId } = await account(by)
      const { id: productId } = await product(by, { sku: 'DOCK', currency: 'USD' })
      const refused = await write(by, rows(accountId, productId))
      return { refused, stored: named(await storedOf(platform, by, object)), stats: (await by.rest[stats]!()).body }
    }
    const single = await outcome(async (by, values) => {
      const refused: number[] = []
      for (const [index, body] of values.entries()) {
        const { status } = await by.rest[create]!({ body } as never)
        if (status !== 201) refused.push(index + 1)
      }
      return refused
    })
    const together = await outcome(async (by, values) => {
      const { id } = await jobs.create(by, { object, contentType: 'NDJSON' })
      const file = values.map((row) => `${JSON.stringify(row)}\n`).join('')
      expect((await jobs.put(by, id, file, 1, { 'Content-Type': 'application/x-ndjson' })).status).toBe(200)
      expect((await jobs.complete(by, id)).status).toBe(200)
      const inserts = await statementsOf(platform, () => jobs.settle(), insertsOf(object), { inTransactions: true })
      expect(inserts).toHaveLength(1)
      const failed = (await jobs.results(by, id, 'failed')).match(/"_row":\d+/g) ?? []
      return failed.map((row) => Number(row.slice(7)))
    })
    expect(together).toEqual(single)
    expect([single.refused.length > 0, single.refused.length < 4]).toEqual([true, true])
  })
})

describe('the numbers of cases of bulk jobs', () => {
  const uploaded = async (by: Member, lines: readonly string[], values: object = {}): Promise<string> => {
    const { id } = await jobs.create(by, { object: 'case', ...values })
    await jobs.put(by, id, `subject,status\n${lines.join('\n')}\n`)
    expect((await jobs.complete(by, id)).status).toBe(200)
    return id
  }
  const casesOf = ({ organizationId }: Member) =>
    platform.query<{ number: number; subject: string }>(
      'select case_number as number, subject from support."case" where organization_id = $1 order by case_number',
      [organizationId],
    )
  const isComplete = async (by: Member, id: string): Promise<void> => {
    await expect.poll(async () => (await jobs.read(by, id))['state'], { timeout: 60_000 }).toBe('JOB_COMPLETE')
  }
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)

  it('have no gap where rows are refused, and follow the order of the rows over several transactions', async () => {
    const owner = await anOwner()
    const lines = Array.from({ length: 1_100 }, (_, n) => `Label ${n},${n % 9 === 4 ? 'NOWHERE' : 'OPEN'}`)
    const id = await uploaded(owner, lines)
    await jobs.settle()
    const good = lines.filter((line) => line.endsWith(',OPEN')).map((line) => line.replace(',OPEN', ''))
    expect(await jobs.read(owner, id)).toMatchObject({
      state: 'JOB_COMPLETE',
      recordsSucceeded: good.length,
      recordsFailed: lines.length - good.length,
    })
    expect(await casesOf(owner)).toEqual(good.map((subject, n) => ({ number: n + 1, subject })))
    expect(await supportCase(owner)).toMatchObject({ caseNumber: good.length + 1 })
  })

  it('are given once among concurrent jobs and single creates', async () => {
    const owner = await anOwner()
    const others = await anOwner()
    const linesOf = (name: string) =>
      Array.from({ length: 200 }, (_, n) => `${name} ${n},${n % 7 === 5 ? 'NOWHERE' : ''}`)
    const started = [await uploaded(owner, linesOf('One')), await uploaded(owner, linesOf('Two'))]
    const creates = async (): Promise<void> => {
      for (let n = 0; n < 20; n++) await supportCase(owner, { subject: `Single ${n}` })
    }
    await Promise.all([jobs.settle(), jobs.settle(), creates(), creates()])
    for (const id of started) await isComplete(owner, id)
    const found = await casesOf(owner)
    const good = linesOf('One').filter((line) => !line.endsWith('NOWHERE')).length
    expect(found.map(({ number }) => number)).toEqual(upTo(2 * good + 40))
    for (const name of ['One', 'Two']) {
      const places = found.flatMap(({ subject }) => (subject.startsWith(name) ? [Number(subject.slice(4))] : []))
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      expect(places).toHaveLength(good)
    }
    expect(await supportCase(others)).toMatchObject({ caseNumber: 1 })
  })

  it.each(['allOrNone', 'dryRun'])('are free again when nothing of a job is kept: %s', async (option) => {
    const owner = await anOwner()
    const id = await uploaded(owner, ['Row 0,', 'Row 1,OPEN', 'Row 2,NOWHERE'], { options: { [option]: true } })
    await jobs.settle()
    expect(await jobs.read(owner, id)).toMatchObject({ recordsFailed: 1 })
    expect(await casesOf(owner)).toEqual([])
    expect(await supportCase(owner)).toMatchObject({ caseNumber: 1 })
  })

  it('of single creates follow those of a job whose transaction is open', async () => {
    const owner = await anOwner()
    // The job waits five seconds at most, and the first create of a process takes some of them.
    await supportCase(await anOwner(), { subject: 'First' })
    const id = await uploaded(owner, ['Row 0,', 'Row 1,NOWHERE', 'Row 2,'])
    const waiting = (count: number) =>
      expect.poll(() => platform.waitingForLocks(), { interval: 5, timeout: 30_000 }).toBe(count)
    const [settling, creating] = await platform.inSeparateTransaction(async (sql) => {
      // The job waits for it at the end of its transaction, when it stores its results.
      await sql.query(
        `insert into records.bulk_chunk (organization_id, job_id, first_row, row_count, byte, succeeded, failed, results)
         values ($1, $2, 1, 0, 0, 0, 0, '[]')`,
        [owner.organizationId, id],
      )
      const work = jobs.settle()
      await waiting(1)
      const single = supportCase(owner, { subject: 'Single' })
      await waiting(2)
      await sql.query('delete from records.bulk_chunk where job_id = $1', [id])
      return [work, single] as const
    })
    await Promise.all([settling, creating])
    expect(await jobs.read(owner, id)).toMatchObject({ recordsSucceeded: 2, recordsFailed: 1 })
    const subjects = ['Row 0', 'Row 2', 'Single']
    expect(await casesOf(owner)).toEqual(subjects.map((subject, n) => ({ number: n + 1, subject })))
  })
})

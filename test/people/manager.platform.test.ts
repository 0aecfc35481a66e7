import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadDemo } from '../../subgraphs/demo/demo.ts'
import { createApiKey } from '../../subgraphs/identity/public.ts'
import { usePlatform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { graphqlClient, restClient, type RestClient } from '../rest-client.ts'
import { agingFigures } from './aging.ts'
import { expectedGroups, groupings, inOrder, type Grouping } from './groupings.ts'
import {
  converted,
  exact,
  groupsBy,
  lists,
  money,
  today,
  totalOf,
  withValue,
  type Books,
  type Lists,
  type Row,
} from './recomputed.ts'
import { statistics } from './statistics.ts'

// Everything that a manager reads as a figure is computed here again, from the records that the same caller reads in lists.

const platform = usePlatform()
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'crm-manager-'))
  await loadDemo({ services: platform.services, dataDir, baseUrl: platform.url })
}, 120_000)
afterAll(() => rm(dataDir, { recursive: true, force: true }))

type Person = Awaited<ReturnType<typeof reading>>

/** Reads every page of a list with cursors. */
async function rowsOf(rest: RestClient, operation: string): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const query: Record<string, string | number> = { limit: 100, ...(cursor !== null && { cursor }) }
    const { status, body } = await rest[operation]!({ query })
    expect([operation, status]).toEqual([operation, 200])
    rows.push(...(body.data as Row[]))
    cursor = body.nextCursor
  } while (cursor !== null)
  return rows
}

/** The lists that a user of the demo reads over REST, and what the organization has settled. */
async function reading(email: string) {
  const [user] = await platform.query<{ userId: string; organizationId: string; timezone: string }>(
    `select u.id as "userId", u.organization_id as "organizationId", o.settings ->> 'timezone' as timezone
     from identity.app_user u join identity.person p on p.id = u.person_id
     join identity.organization o on o.id = u.organization_id where p.email = $1`,
    [email],
  )
  const { userId, organizationId, timezone } = user!
  const rateLimit = { limit: 1_000_000, window: 'HOUR' } as const
  const { secret } = await createApiKey(platform.services, organizationId, {
    ownerId: userId,
    name: 'Figures',
    scopes: ['*'],
    rateLimit,
  })
  const headers = { 'X-API-Key': secret }
  const rest = restClient(platform.contract, platform.url, headers)
  const found: Partial<Record<keyof Lists, Row[]>> = {}
  for (const name of lists) found[name] = await rowsOf(rest, `${name}List`)
  const { body } = await rest.whoami!()
  return {
    rest,
    graphql: graphqlClient(platform.url, headers),
    userId,
    organizationId,
    timezone,
    lists: found as Lists,
    baseCurrency: body.organization.baseCurrency as string,
  }
}

async function booksOf({ organizationId, timezone, baseCurrency }: Person, owner: Person): Promise<Books> {
  const token = await sessionOf(platform, { organizationId, userId: owner.userId })
  const admin = restClient(platform.contract, platform.url, { Authorization: `Bearer ${token}` })
  const rates = (await rowsOf(admin, 'exchangeRateList')) as unknown as Books['rates']
  return { now: platform.now, zone: timezone, baseCurrency, rates }
}

/** Counts by a value name every value of its enumeration; those without records are 0. */
const withoutZeros = (stats: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(stats).map(([name, value]) => [
      name,
      /^(by|countBy)[A-Z]/.test(name) && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value as object).filter(([, count]) => count !== 0))
        : value,
    ]),
  )

interface AnsweredGroup {
  readonly keys: readonly { readonly value: string | null }[]
  readonly count: number
  readonly sum: readonly { readonly field: string; readonly value: number; readonly unconverted: number }[]
}

async function answeredGroups({ list, groupBy, sum, only }: Grouping, rest: RestClient) {
  const query = {
    groupBy,
    limit: 1000,
    ...(sum && { sum: sum.join() }),
    ...(only && { [only[0]]: String(only[1]) }),
  }
  const { status, body } = await rest[`${list}Aggregate`]!({ query })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.groups).toHaveLength(body.totalGroups)
  const sums = (group: Omit<AnsweredGroup, 'keys'>) =>
    group.sum.map(({ field, value, unconverted }) => [field, value, unconverted])
  return {
    groups: inOrder(
      (body.groups as AnsweredGroup[]).map((group) => [
        group.keys.map(({ value }) => value),
        group.count,
        ...sums(group),
      ]),
    ),
    total: [body.total.count, ...sums(body.total)],
  }
}

describe.each([
  ['the owner, who sees everything', 'ingrid.solberg@fjordline.example', 'ingrid.solberg@fjordline.example'],
  ['a manager, who sees a team', 'beatrice.holm@fjordline.example', 'ingrid.solberg@fjordline.example'],
  ['a seller, who sees a team', 'priya.raman@kestrel.example', 'dorothea.quinn@kestrel.example'],
  ['an owner west of Greenwich', 'dorothea.quinn@kestrel.example', 'dorothea.quinn@kestrel.example'],
])('the figures of %s', (_, email, ownerEmail) => {
  let person: Person
  let books: Books
  beforeAll(async () => {
    person = await reading(email)
    books = await booksOf(person, email === ownerEmail ? person : await reading(ownerEmail))
  })

  it('follow from lists that have records', () => {
    expect(books.rates.length).toBeGreaterThan(3)
    for (const name of ['opportunity', 'task', 'activity', 'account'] as const)
      expect([name, person.lists[name].length > 0]).toEqual([name, true])
  })

  it.each(Object.entries(statistics))('%sStats', async (name, figuresOf) => {
    const { status, body } = await person.rest[`${name}Stats`]!()
    expect(status).toBe(200)
    expect(withoutZeros(body)).toEqual(figuresOf(person.lists[name as keyof Lists], books))
  })

  it.each(groupings.map((grouping) => [grouping.list, grouping.groupBy, grouping] as const))(
    '%sAggregate by %s',
    async (list, __, grouping) => {
      const { only } = grouping
      const rows = only ? withValue(person.lists[list], ...only) : person.lists[list]
      expect(await answeredGroups(grouping, person.rest)).toEqual(expectedGroups(grouping, rows, books))
    },
  )

  it.each([0, 45, 200])('invoiceAging %i days ago', async (days) => {
    const day = new Date(Date.parse(today(books)) - days * 86_400_000).toISOString().slice(0, 10)
    const { status, body } = await person.rest.invoiceAging!({ query: { asOf: day } })
    expect(status, JSON.stringify(body)).toBe(200)
    const { byCustomer, ...rest } = agingFigures(person.lists.invoice, person.lists.creditNote, day, books)
    const { byCustomer: answered, ...answeredRest } = body
    expect(answeredRest).toEqual(rest)
    const byId = (rows: readonly Row[]) =>
      rows
        .map(({ name: _name, ...row }) => row)
        .toSorted((one, other) => (String(one['customerId']) < String(other['customerId']) ? -1 : 1))
    expect(byId(answered)).toEqual(byId(byCustomer as Row[]))
    // The names are those of the accounts that the caller sees, and the largest sum is first.
    const names = new Map(person.lists.account.map(({ id, name }) => [id, name]))
    for (const { customerId, name } of answered) expect(name).toBe(names.get(customerId) ?? null)
    const totals = (answered as { total: number }[]).map(({ total }) => total)
    expect(totals).toEqual(totals.toSorted((one, other) => other - one))
  })

  it('the statements of customers with credit notes', async () => {
    const { account, invoice, creditNote, payment } = person.lists
    const seen = new Set(account.map(({ id }) => id))
    const credited = creditNote.filter(({ customerId }) => seen.has(customerId))
    // Owners see both credit notes of the organization, and others those of their team.
    const open = credited.filter(({ amountLeft }) => amountLeft !== 0)
    if (email === ownerEmail) expect([credited.length, open.length]).toEqual([2, 1])
    for (const { customerId, currency } of credited) {
      const query = { from: '2000-01-01', currency: currency as string }
      const { status, body } = await person.rest.accountStatement!({ id: customerId as string, query })
      expect(status, JSON.stringify(body)).toBe(200)
      const own = (rows: readonly Row[], by: string) =>
        withValue(withValue(rows, by, customerId), 'currency', currency).filter((row) => row['status'] !== 'DRAFT')
      const [invoices, payments] = [own(invoice, 'customerId'), own(payment, 'accountId')]
      const totals = {
        totalInvoiced: totalOf(invoices, 'total'),
        totalCredited: totalOf(own(creditNote, 'customerId'), 'total'),
        totalVoided: totalOf(withValue(invoices, 'status', 'VOID'), 'total'),
        totalPaid: totalOf(withValue(payments, 'type', 'PAYMENT'), 'amount'),
        totalRefunded: totalOf(withValue(payments, 'type', 'REFUND'), 'amount'),
      }
      const closing = totals.totalInvoiced
        .minus(totals.totalVoided)
        .minus(totals.totalCredited)
        .minus(totals.totalPaid)
        .plus(totals.totalRefunded)
      const ofCustomer = agingFigures(invoices, [], today(books), { ...books, baseCurrency: String(currency) })
      expect(body).toMatchObject({
        openingBalance: 0,
        ...Object.fromEntries(Object.entries(totals).map(([name, sum]) => [name, exact(sum)])),
        closingBalance: exact(closing),
        aging: ofCustomer.buckets.map(({ key, count, amount }) => ({ key, count, amount })),
      })
      expect(totals.totalCredited.gt(0)).toBe(true)
      expect((body.entries as Row[]).at(-1)!['balance']).toBe(exact(closing))
    }
  })

  it('the board of deals, by stage and in the base currency', async () => {
    const { body } = await person.graphql(
      '{ opportunityBoard(perStage: 1) { pipelineId columns { stage { name kind } count baseAmount totals { currency count amount expectedRevenue } } } }',
    )
    const { pipelineId, columns } = body.data.opportunityBoard
    const rows = withValue(person.lists.opportunity, 'pipelineId', pipelineId)
    for (const { stage, count, baseAmount, totals } of columns) {
      const own = withValue(rows, 'stage', stage.name)
      expect(count, stage.name).toBe(own.length)
      const inBase = stage.kind !== 'OPEN' ? totalOf(own, 'baseAmount') : converted(books, own, 'amount').sum
      expect([stage.name, baseAmount]).toEqual([stage.name, money(inBase)])
      expect(totals).toEqual(
        groupsBy(own, (row) => String(row['currency'])).map(([currency, some]) => ({
          currency,
          count: some.length,
          amount: exact(totalOf(some, 'amount')),
          expectedRevenue: exact(totalOf(some, 'expectedRevenue')),
        })),
      )
    }
    expect((columns as { count: number }[]).reduce((all, { count }) => all + count, 0)).toBe(rows.length)
  })
})

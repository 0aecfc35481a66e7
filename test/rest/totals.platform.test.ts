import { describe, expect, it } from 'vitest'
import { account as accountRecord } from '../../subgraphs/crm/account/account.record.ts'
import { product as productRecord } from '../../subgraphs/commerce/product/product.record.ts'
import { supportCase as caseRecord } from '../../subgraphs/support/case/case.record.ts'
import { caseSlaBreach as slaBreach } from '../../subgraphs/support/case/case-sla-breach.job.ts'
import { Random } from '../../subgraphs/demo/random.ts'
import { AggregateSql } from '../../subgraphs/kernel/record/aggregates.ts'
import { columnOf, type RecordShape } from '../../subgraphs/kernel/record/definition.ts'
import { measureColumn, mergeTotals, totalsTable } from '../../subgraphs/kernel/record/maintained-totals.ts'
import { Values } from '../../subgraphs/kernel/record/predicate.ts'
import { aCase, account, anAccount, aProduct, supportCase } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { statementsOf } from '../statements.ts'

const platform = usePlatform()
const hour = 3_600_000
const records = [accountRecord, productRecord, caseRecord]

const merge = () => mergeTotals(platform.services.database, records)

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

type Row = Readonly<Record<string, unknown>>

/** Numeric texts without trailing zeros, so that equal sums are equal texts. */
const sumOf = (sql: string) => `trim_scale(coalesce(sum(${sql}), 0)::numeric)::text`

/** The totals of each group of an organization: as maintained, and as computed from the rows. */
async function groupsOf(
  definition: RecordShape,
  organizationId: string,
): Promise<[maintained: Row[], computed: Row[]]> {
  const { by, measures = {} } = definition.totals!
  const columns = by.map((name) => columnOf(definition, name).column)
  const names = Object.keys(measures)
  const values = new Values()
  const tenant = values.add(organizationId)
  const into = new AggregateSql(definition, values)
  const computed = Object.values(measures).map(
    (measure, index) => `trim_scale(${into.total(measure)}::numeric)::text as "${names[index]!}"`,
  )
  const maintained = names.map((name) => `${sumOf(`t.${measureColumn(name)}`)} as "${name}"`)
  const order = `group by ${columns.join(', ')} having count(*) > 0 order by ${columns.join(', ')}`
  const [groups, rows] = await Promise.all([
    platform.query(
      `select ${[...columns, 'sum(t.n)::int as n', ...maintained].join(', ')} from ${totalsTable(definition)} t
       where t.organization_id = $1 and t.kind in ('CHANGE', 'GROUP') group by ${columns.join(', ')}
       having sum(t.n) <> 0 ${names.map((name) => `or sum(t.${measureColumn(name)}) <> 0`).join(' ')} order by ${columns.join(', ')}`,
      [organizationId],
    ),
    platform.query(
      `select ${[...columns, 'count(*)::int as n', ...computed].join(', ')} from ${definition.table} t
       where t.organization_id = ${tenant} and t.deleted_at is null ${order}`,
      values.list,
    ),
  ])
  return [groups, rows]
}

/** The figures that an unrestricted caller and a caller who may see everything by ownership read: from totals and from rows. */
async function figuresOf(member: Member): Promise<unknown[]> {
  const answers = await Promise.all([
    member.rest.accountStats!(),
    member.rest.productStats!(),
    member.rest.caseStats!(),
  ])
  return answers.map(({ status, body }) => [status, body])
}

/** One random change of an organization's records. Returns when it is answered; a refused change is a change too. */
async function change(
  random: Random,
  member: Member,
  ids: Record<'account' | 'product' | 'case', string[]>,
): Promise<void> {
  const { rest } = member
  const maybe = <T>(value: T): T | null => (random.chance(0.7) ? value : null)
  const accountValues = () => ({
    type: maybe(random.pick(['CUSTOMER', 'PARTNER', 'OTHER'])),
    rating: maybe(random.pick(['HOT', 'COLD'])),
    industry: maybe(random.pick(['Retail', 'Software', 'NULL', 'Food'])),
    annualRevenue: maybe(random.whole(-5_000, 1_000_000) / 1000),
    healthScore: maybe(random.whole(0, 100_000) / 1000),
    isStrategic: random.chance(0.3),
    accountStatus: random.pick(['ACTIVE', 'CHURNED']),
  })
  const productValues = () => ({
    type: random.pick(['PRODUCT', 'SERVICE']),
    listPrice: random.whole(0, 100_000) / 100,
    isActive: random.chance(0.5),
  })
  const caseValues = () => ({
    priority: random.pick(['LOW', 'URGENT']),
    status: random.pick(['NEW', 'PENDING_CUSTOMER', 'RESOLVED', 'CLOSED', 'ESCALATED', 'OPEN']),
    assignedToId: maybe(member.userId),
  })
  const add = async (name: keyof typeof ids, answer: Promise<{ body: { id?: string } }>) => {
    const { id } = (await answer).body
    if (id) ids[name].push(id)
  }
  const some = (name: keyof typeof ids) => random.pick(ids[name])
  const steps: (() => Promise<unknown>)[] = [
    () => add('account', rest.accountCreate!({ body: anAccount(accountValues()) })),
    () => rest.accountUpdate!({ id: some('account'), body: accountValues() }),
    () => rest.accountUpdate!({ id: some('account'), body: { phone: String(random.next()) } }),
    () => rest.accountDelete!({ id: some('account') }),
    () => rest.accountRestore!({ id: some('account') }),
    () => add('product', rest.productCreate!({ body: aProduct(productValues()) })),
    () => rest.productBulkUpdate!({ body: { items: times(3, () => ({ id: some('product'), ...productValues() })) } }),
    () => rest.productBulkDelete!({ body: { ids: [some('product'), some('product')] } }),
    () => rest.productRestore!({ id: some('product') }),
    () => add('case', rest.caseCreate!({ body: aCase(caseValues()) })),
    () => rest.caseUpdate!({ id: some('case'), body: caseValues() }),
    () => rest.caseCommentCreate!({ id: some('case'), body: { body: 'Hello' } }),
    () => rest.caseDelete!({ id: some('case') }),
    () => rest.caseRestore!({ id: some('case') }),
  ]
  await random.pick(steps)()
}

describe('maintained totals', () => {
  it('equal the figures of the rows after random changes by eight writers at once, and after they are merged', async () => {
    const organizationId = await platform.organization('Random')
    const member = await platform.member({ organizationId })
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const ids = { account: [] as string[], product: [] as string[], case: [] as string[] }
    for (let i = 0; i < 4; i++) {
      ids.account.push((await member.rest.accountCreate!({ body: anAccount() })).body.id as string)
      ids.product.push((await member.rest.productCreate!({ body: aProduct() })).body.id as string)
      ids.case.push((await member.rest.caseCreate!({ body: aCase() })).body.id as string)
    }
    const writing = { isOver: false }
    const writers = times(8, async (writer) => {
      const random = new Random(`writer ${writer}`)
      for (let step = 0; step < 40; step++) {
        if (step % 10 === 9) {
          platform.advanceClock(0.4 * hour)
          await slaBreach.run(platform.services)
        }
        await change(random, member, ids)
      }
    })
    const merging = (async () => {
      while (!writing.isOver) await merge()
    })()
    await Promise.all(writers)
    writing.isOver = true
    await merging

    // The other caller owns every record, so it sees the same ones; its visibility makes the platform read the rows.
    for (const { table } of [accountRecord, caseRecord])
      await platform.query(`update ${table} set owner_id = $2 where organization_id = $1`, [organizationId, own.userId])
    // No job leaves such cases behind; the number of overdue cases must not depend on that.
    await platform.query(
      `update support."case" set sla_breached_at = created_at where organization_id = $1 and case_number % 3 = 0`,
      [organizationId],
    )
    await platform.query(
      `update support."case" set sla_due_at = null where organization_id = $1 and case_number % 6 = 0`,
      [organizationId],
    )
    const slaDueAt = new Date(platform.now.getTime() - hour).toISOString()
    await supportCase(member, { slaDueAt, ownerId: own.userId })
    const figures = await figuresOf(own)
    expect((figures[0] as [number, { total: number }])[1].total).toBeGreaterThan(10)
    const overdue = `(status in ('NEW', 'OPEN', 'ESCALATED') and sla_due_at < $2)`
    const [late] = await platform.query<{ overdue: number }>(
      `select count(*) filter (where ${overdue})::int as overdue, count(*) filter (where ${overdue} or resolved_at > sla_due_at)::int as "slaBreached"
       from support."case" where organization_id = $1 and deleted_at is null`,
      [organizationId, platform.now],
    )
    expect(late!.overdue).toBeGreaterThan(0)
    expect(figures[2]).toMatchObject([200, late])
    for (const _ of ['with differences', 'merged']) {
      for (const definition of records) {
        const [maintained, computed] = await groupsOf(definition, organizationId)
        expect(maintained).toEqual(computed)
      }
      expect(await figuresOf(member)).toEqual(figures)
      await merge()
    }
  })

  it('are the total of a list with a filter over their columns, which counts no rows', async () => {
    const member = await platform.member({ organizationId: await platform.organization('Filtered') })
    for (const type of ['CUSTOMER', 'CUSTOMER', 'PARTNER', null]) await account(member, { type, rating: 'HOT' })
    const total = async (filter: object, more = {}) => {
      const query = 'query ($filter: AccountFilter, $page: Int) { accountList(filter: $filter, page: $page) { total } }'
      const { body } = await member.graphql(query, { filter, ...more })
      return body.data.accountList.total as number
    }
    const filters: [object, number][] = [
      [{ type: { eq: 'CUSTOMER' } }, 2],
      [{ type: { in: ['CUSTOMER', 'PARTNER'] }, rating: { eq: 'HOT' } }, 3],
      [{ type: { isNull: true } }, 1],
      [{ type: { ne: 'CUSTOMER' } }, 2],
      [{ not: { type: { eq: 'CUSTOMER' } } }, 2],
      [{ or: [{ type: { eq: 'PARTNER' } }, { isStrategic: { eq: true } }] }, 1],
    ]
    for (const [filter, expected] of filters) {
      const statements = await statementsOf(platform, async () => expect(await total(filter)).toBe(expected))
      expect(statements.length).toBeGreaterThan(0)
      expect(statements.filter((text) => !text.includes('crm.account_totals') || text.includes('count(*)'))).toEqual([])
      expect(await total(filter, { page: 9 })).toBe(expected)
    }
    // The stored documents name every parameter, also those that the request does not have.
    for (const [query, expected] of [
      [{ type: 'CUSTOMER' }, 2],
      [{ type: 'CUSTOMER,PARTNER' }, 3],
      [{ type: 'PARTNER,RESELLER', rating: 'HOT,COLD' }, 1],
      [{}, 4],
    ] as const) {
      const list = async () => expect((await member.rest.accountList!({ query })).body.total).toBe(expected)
      expect((await statementsOf(platform, list)).filter((text) => text.includes('count(*)'))).toEqual([])
    }
    expect(await total({ type: { eq: 'CUSTOMER' }, name: { contains: 'wind' } })).toBe(2)
    expect(await total({ rating: { eq: 'HOT' }, parent: { name: { eq: 'x' } } })).toBe(0)
  })

  it('answer the figures without reading rows, except how many cases are overdue', async () => {
    const { rest } = await platform.member({ organizationId: await platform.organization('Statements') })
    const rowsRead = async (call: () => Promise<unknown>) =>
      (await statementsOf(platform, call)).flatMap(
        (text) => text.match(/from (crm|commerce|support|tenant)\.\S+/g) ?? [],
      )
    expect(new Set(await rowsRead(() => rest.accountStats!()))).toEqual(new Set(['from crm.account_totals']))
    expect(new Set(await rowsRead(() => rest.productStats!()))).toEqual(new Set(['from commerce.product_totals']))
    expect(new Set(await rowsRead(() => rest.orderStats!()))).toEqual(new Set(['from commerce.order_totals']))
    const [totals, ...rows] = (await rowsRead(() => rest.caseStats!())).toReversed()
    expect([totals, new Set(rows)]).toEqual(['from support.case_totals', new Set(['from tenant.support_case'])])
  })
})

describe('byIndustry', () => {
  it('has the 100 largest industries, and otherIndustries the accounts of the rest', async () => {
    const organizationId = await platform.organization('Industries')
    const member = await platform.member({ organizationId })
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const insert = (from: number, to: number) =>
      platform.query(
        `insert into crm.account (organization_id, id, owner_id, name, industry, account_status, custom_fields, version, created_at, updated_at)
         select $1, uuidv7(), $4, 'A', to_char(i, 'FM000'), 'ACTIVE', '{}', 1, now(), now()
         from generate_series($2::int, $3::int) i, generate_series(1, 1 + i / 100)`,
        [organizationId, from, to, own.userId],
      )
    // 99 industries of one account, 100 of two, and 21 of three.
    await insert(1, 220)
    await account(member, { industry: null, ownerId: own.userId })
    const expected = {
      byIndustry: Object.fromEntries([
        ...times(21, (index) => [String(200 + index), 3]),
        ...times(79, (index) => [String(100 + index), 2]),
      ]),
      otherIndustries: 99 + 21 * 2,
    }
    for (const reader of [member, own, member]) {
      const { body } = await reader.rest.accountStats!()
      expect({ byIndustry: body.byIndustry, otherIndustries: body.otherIndustries }).toEqual(expected)
      await merge()
    }
    // The smallest industry becomes the largest by differences that are not merged yet.
    await platform.query(`update crm.account set industry = '001' where organization_id = $1 and industry > '215'`, [
      organizationId,
    ])
    for (const reader of [member, own]) {
      const { byIndustry, otherIndustries } = (await reader.rest.accountStats!()).body
      expect([byIndustry['001'], byIndustry['215'], byIndustry['216'], byIndustry['182'], byIndustry['183']]).toEqual([
        16,
        3,
        undefined,
        2,
        undefined,
      ])
      expect(otherIndustries).toBe(98 + 17 * 2)
    }
  })
})

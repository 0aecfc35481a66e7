import { beforeEach, describe, expect, it } from 'vitest'
import { opportunity as opportunityDefinition } from '../../subgraphs/crm/opportunity/opportunity.record.ts'
import { removeDeletedFields } from '../../subgraphs/extensions/field-change/remove-values.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { changeAll } from '../../subgraphs/kernel/record/change-all.ts'
import { insertRecords } from '../../subgraphs/kernel/record/insert-records.ts'
import { recordsOf } from '../../subgraphs/kernel/record/records-of.ts'
import { allColumnNames, readOne } from '../../subgraphs/kernel/record/read.ts'
import { mergeRollups } from '../../subgraphs/kernel/record/rollup/merge-rollups.ts'
import { inTransaction, systemContext, type RequestContext } from '../../subgraphs/kernel/request.ts'
import { account, lead, opportunity, supportCase } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { genericPlanOf, statementsOf } from '../statements.ts'
import { isFullSweep } from '../requests/sweep.ts'
import { anOrganization, field, problemsOf } from './custom-fields.fixture.ts'
import { copiesOf, settleFieldChanges } from './field-changes.fixture.ts'
import {
  dealShape,
  definedContext,
  expectRight,
  fieldsOfDeals,
  randomNumbers,
  rollup,
  rollups,
  wrongRollups,
} from './rollups.fixture.ts'

const platform = usePlatform()

let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

const settle = () => settleFieldChanges(platform)
const merge = () => mergeRollups(platform.services.database)
const read = async (id: string, by = member) => (await by.rest['account']!({ id })).body.customFields
const deal = (accountId: string, values: object = {}) => opportunity(member, { accountId, ...values })
const change = (id: string, body: object) => member.rest['opportunityUpdate']!({ id, body } as never)
const create = (values: object) =>
  owner.rest['customFieldCreate']!({ body: { entity: 'ACCOUNT', label: 'L', ...values } } as never)

async function withRollups(): Promise<void> {
  await fieldsOfDeals(owner)
  for (const [one] of rollups) await field(owner, one)
}

const counts = async (): Promise<{ totals: number; open: number; values: number }> => {
  const [row] = await platform.query<{ totals: number; open: number; values: number }>(
    `select (select count(*)::int from kernel.rollup where organization_id = $1) as totals,
       (select count(*)::int from kernel.rollup_delta where organization_id = $1) as open,
       (select count(*)::int from kernel.rollup_value where organization_id = $1) as values`,
    [owner.organizationId],
  )
  return row!
}

describe('the value of a rollup', () => {
  it('follows every change of the children: before it is built, with open differences, and merged', async () => {
    await withRollups()
    const [one, other] = [await account(member), await account(member)]
    const first = await deal(one.id, { amount: 40.25, customFields: { seats: 3, hot: true } })
    const second = await deal(one.id, { amount: 60, name: 'Order', closeDate: '2027-05-01T00:00:00.000Z' })
    const values = {
      deals: 2,
      large: 1,
      seatsSold: 3,
      weight: 203.5,
      mean: 40.25,
      least: 40.25,
      latest: '2027-05-01T00:00:00.000Z',
    }
    const none = { deals: 0, large: 0, seatsSold: 0, weight: 0 }
    expect([await read(one.id), await read(other.id)]).toEqual([values, none])
    await settle()
    expect([await read(one.id), await read(other.id)]).toEqual([values, none])

    expect((await change(first.id, { accountId: other.id, amount: 50 })).status).toBe(200)
    const moved = { deals: 1, large: 0, seatsSold: 3, weight: 103, mean: 50, least: 50, latest: first.closeDate }
    const left = { deals: 1, large: 1, seatsSold: 0, weight: 120, latest: '2027-05-01T00:00:00.000Z' }
    expect([await read(one.id), await read(other.id)]).toEqual([left, moved])
    expect((await counts()).open).toBeGreaterThan(0)
    await merge()
    expect((await counts()).open).toBe(0)
    expect([await read(one.id), await read(other.id)]).toEqual([left, moved])

    await member.rest['opportunityDelete']!({ id: second.id })
    expect(await read(one.id)).toEqual(none)
    await merge()
    await member.rest['opportunityRestore']!({ id: second.id })
    expect(await read(one.id)).toEqual(left)
    await expectRight(platform, await definedContext(platform, owner))
  })

  it('follows bulk changes, changes of sets and generated records', async () => {
    await withRollups()
    await settle()
    const { id: accountId } = await account(member)
    const made = [await deal(accountId, { amount: 1 }), await deal(accountId, { amount: 2 })]
    const items = made.map(({ id }) => ({ id, amount: 100, customFields: { seats: 2 } }))
    expect((await member.rest['opportunityBulkUpdate']!({ body: { items } } as never)).body.succeeded).toBe(2)
    expect(await read(accountId)).toMatchObject({ deals: 2, large: 2, seatsSold: 4, weight: 404, least: 100 })
    const ctx = await definedContext(platform, owner)
    await inTransaction(ctx, (inner) =>
      changeAll(
        inner,
        opportunityDefinition,
        made.map(({ id }) => id),
        () => ({ amount: 3 }),
      ),
    )
    expect(await read(accountId)).toMatchObject({ deals: 2, large: 0, seatsSold: 4, weight: 16, least: 3 })
    await insertCopies(ctx, made[0]!.id, accountId, 30)
    expect(await read(accountId)).toMatchObject({ deals: 32, seatsSold: 64, weight: 256 })
    expect((await member.rest['opportunityBulkDelete']!({ body: { ids: [made[1]!.id] } } as never)).status).toBe(200)
    expect(await read(accountId)).toMatchObject({ deals: 31 })
    await expectRight(platform, ctx)
  })

  it('follows the conversion of a lead and the deletion of what it has made', async () => {
    await field(owner, rollup('deals', { aggregate: 'COUNT' }))
    await field(owner, rollup('people', { childObject: 'CONTACT', aggregate: 'COUNT' }))
    await settle()
    const { id } = await lead(member, { company: 'Yard' })
    const converted = await member.rest['leadConvert']!({ id, body: { opportunityName: 'Order' } } as never)
    expect(converted.status, JSON.stringify(converted.body)).toBe(200)
    const [accountId, contactId] = [converted.body.account.id as string, converted.body.contact.id as string]
    expect(await read(accountId)).toEqual({ deals: 1, people: 1 })
    await merge()
    await member.rest['contactDelete']!({ id: contactId })
    expect(await read(accountId)).toEqual({ deals: 1, people: 0 })
  })

  it('is exact for decimals, and its average is rounded half away from zero', async () => {
    await fieldsOfDeals(owner)
    await field(owner, rollup('sum', { aggregate: 'SUM', field: 'customFields.seats' }))
    await field(owner, rollup('mean', { aggregate: 'AVG', field: 'customFields.seats' }))
    await settle()
    const { id } = await account(member)
    for (const seats of [0.1, 0.2, 0.0000000003]) await deal(id, { customFields: { seats } })
    expect(await read(id)).toEqual({ sum: 0.3000000003, mean: 0.1000000001 })
  })

  it('is computed from the records of the type only, and also of cases and of accounts themselves', async () => {
    await field(owner, rollup('cases', { childObject: 'CASE', aggregate: 'COUNT' }))
    await field(
      owner,
      rollup('below', { childObject: 'ACCOUNT', relationField: 'parentAccountId', aggregate: 'COUNT' }),
    )
    await settle()
    const { id } = await account(member)
    const made = await supportCase(member, { accountId: id })
    await account(member, { parentAccountId: id })
    await deal(id)
    expect(await read(id)).toEqual({ cases: 1, below: 1 })
    await member.rest['caseDelete']!({ id: made.id })
    expect(await read(id)).toEqual({ cases: 0, below: 1 })
  })

  it('counts children that the reader does not see, and is in the answer of a write of the parent', async () => {
    await field(owner, rollup('deals', { aggregate: 'COUNT' }))
    await settle()
    const own = await platform.member({ organizationId: owner.organizationId, visibility: 'OWN' })
    const made = await account(own)
    expect(made.customFields).toEqual({ deals: 0 })
    await deal(made.id)
    expect((await own.rest['opportunityList']!({ query: {} })).body.total).toBe(0)
    const changed = await own.rest['accountUpdate']!({ id: made.id, body: { name: 'Other' } })
    expect([changed.status, changed.body.customFields]).toEqual([200, { deals: 1 }])
  })

  it('is null in the answer of a write while it cannot be read, and the write is not refused', async () => {
    await field(owner, rollup('deals', { aggregate: 'COUNT' }))
    await field(owner, { name: 'partner', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT' })
    await settle()
    const { id: partner } = await account(member)
    const create = (customFields: object) =>
      member.rest['accountCreate']!({ body: { name: 'Slow', customFields } } as never)
    const answers = await platform.inSeparateTransaction(async (sql) => {
      await sql.query('lock table kernel.rollup in access exclusive mode')
      return Promise.all([create({}), create({ partner })])
    })
    expect(answers.map(({ status, body }) => [status, body['customFields']])).toEqual([
      [201, { deals: null }],
      [201, { deals: null, partner }],
    ])
    for (const { body } of answers) expect(await read(body['id'] as string)).toMatchObject({ deals: 0 })
  })

  it('is neither stored with the parent nor sent in its events, and never given', async () => {
    await field(owner, rollup('deals', { aggregate: 'COUNT' }))
    await settle()
    const { id } = await account(member)
    await deal(id)
    const before = await platform.fingerprint(owner.organizationId)
    for (const deals of [2, null])
      expect(problemsOf(await member.rest['accountUpdate']!({ id, body: { customFields: { deals } } } as never))).toBe(
        '400 VALIDATION_FAILED customFields.deals COMPUTED',
      )
    expect(
      problemsOf(await member.rest['accountCreate']!({ body: { name: 'A', customFields: { deals: 1 } } } as never)),
    ).toBe('400 VALIDATION_FAILED customFields.deals COMPUTED')
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    const { body: whole } = await member.rest['account']!({ id })
    const sent = await member.rest['accountUpdate']!({ id, body: { ...whole, name: 'Other' } })
    expect([sent.status, sent.body.customFields]).toEqual([200, { deals: 1 }])
    const [row] = await platform.query('select custom_fields from crm.account where id = $1', [id])
    expect(row!['custom_fields']).toEqual({})
    for (const { data } of await platform.eventsOf(id)) expect(JSON.stringify(data)).not.toContain('"deals"')
  })
})

/** Copies of a deal, inserted as generated records. */
async function insertCopies(ctx: RequestContext, id: string, accountId: string, count: number): Promise<void> {
  const shape = dealShape(ctx)
  const record = await readOne(ctx, shape, id, allColumnNames(shape))
  if (!record) return
  const copies = Array.from({ length: count }, () => ({
    values: {
      ...record,
      id: newId(),
      organizationId: ctx.caller.organizationId,
      accountId,
      createdAt: platform.now.toISOString(),
    },
    actorId: null,
    eventId: newId(),
  }))
  await ctx.db.transaction((sql) => insertRecords(sql, shape, copies))
}

describe('lists', () => {
  it('filter, sort and page by rollups', async () => {
    await field(owner, rollup('deals', { aggregate: 'COUNT' }))
    await field(owner, rollup('sum', { aggregate: 'SUM', field: 'amount' }))
    await settle()
    for (const count of [2, 0, 3, 1]) {
      const { id } = await account(member, { name: `Has ${count}` })
      for (let index = 0; index < count; index++) await deal(id, { amount: 10 })
      if (count === 3) await merge()
    }
    const names = async (variables: object) => {
      const document = `query ($f: AccountFilter, $o: [AccountOrder!], $c: String) {
        accountList(filter: $f, orderBy: $o, cursor: $c, limit: 2) { nextCursor data { name } } }`
      const { body } = await member.graphql(document, variables)
      expect(body.errors).toBeUndefined()
      const { data, nextCursor } = body.data.accountList
      return { nextCursor, names: data.map(({ name }: { name: string }) => name.slice(4)).join(' ') }
    }
    const o = [{ customField: 'deals', direction: 'DESC' }]
    const first = await names({ o })
    expect(first.names).toBe('3 2')
    expect((await names({ o, c: first.nextCursor })).names).toBe('1 0')
    const filtered = async (customFields: object) => (await names({ f: { customFields }, o })).names
    expect(await filtered({ deals: 3 })).toBe('3')
    expect(await filtered({ sum: { gt: 5, lte: 20 } })).toBe('2 1')
    expect(await filtered({ deals: 0, sum: 0 })).toBe('0')
  })
})

describe('aggregates and the description of the record type', () => {
  it('have rollups as any other number or time', async () => {
    await field(owner, rollup('deals', { aggregate: 'COUNT' }))
    await field(owner, rollup('latest', { aggregate: 'MAX', field: 'closeDate' }))
    await settle()
    const [one, other] = [await account(member), await account(member)]
    for (const closeDate of ['2027-05-01T00:00:00.000Z', '2027-07-01T00:00:00.000Z']) await deal(one.id, { closeDate })
    await merge()
    await deal(other.id, { closeDate: '2027-05-20T00:00:00.000Z' })
    const query = {
      sum: 'customFields.deals',
      max: 'customFields.deals,customFields.latest',
      groupBy: 'customFields.latest:month',
    }
    const { status, body } = await member.rest['accountAggregate']!({ query } as never)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.total).toMatchObject({ count: 2, sum: [{ value: 3 }] })
    expect(body.total.max).toMatchObject([{ value: 2 }, { time: '2027-07-01T00:00:00.000Z' }])
    const groups = body.groups.map((group: { keys: object[]; sum: object[] }) => [group.keys[0], group.sum[0]])
    expect(groups).toMatchObject([
      [{ value: '2027-05' }, { value: 1 }],
      [{ value: '2027-07' }, { value: 2 }],
    ])
    const described = (await member.rest['recordType']!({ object: 'account' })).body.fields as { name: string }[]
    const fields = described.filter(({ name }) => name.startsWith('customFields.'))
    expect(fields).toMatchObject([
      { name: 'customFields.deals', kind: 'MONEY', isCreatable: false, isUpdatable: false, isSortable: true },
      { name: 'customFields.latest', kind: 'TIMESTAMP', isCreatable: false, isUpdatable: false, isReadable: true },
    ])
  })
})

/** The plan of the statement that reads a page of accounts with the rollup. */
async function planOf(query: object, node: RegExp): Promise<string> {
  const statements = await statementsOf(
    platform,
    () => member.rest['accountList']!({ query: { limit: 2, ...query } } as never),
    /kernel[._]rollup/,
  )
  const plans = await Promise.all(
    statements.map(async (text) =>
      (await genericPlanOf(platform.databaseUrl, text, ['seqscan', 'bitmapscan'])).join('\n'),
    ),
  )
  return plans.find((plan) => node.test(plan)) ?? `${node} is not in\n${plans.join('\n\n')}`
}

describe('filters by rollups', () => {
  it('find the same records by merged totals and open differences as their values say', async () => {
    await withRollups()
    await settle()
    const random = randomNumbers(5)
    const parents: string[] = []
    for (let index = 0; index < 12; index++) parents.push((await account(member)).id)
    const made: string[] = []
    const seats = () => random(9) - 4
    for (let index = 0; index < 24; index++) {
      const accountId = parents[random(9)]!
      made.push((await deal(accountId, { amount: random(5), customFields: { seats: seats(), hot: true } })).id)
      if (index === 12) await merge()
    }
    for (let index = 0; index < 8; index++) {
      const id = made[random(made.length)]!
      if (index % 2) await member.rest['opportunityDelete']!({ id })
      else await change(id, { accountId: parents[random(9)]! })
    }
    expect((await counts()).open).toBeGreaterThan(0)
    const values = new Map<string, Record<string, number | undefined>>()
    for (const id of parents) values.set(id, await read(id))
    const holds = {
      eq: (value: number, [one]: readonly number[]) => value === one,
      in: (value: number, all: readonly number[]) => all.includes(value),
      gt: (value: number, [one]: readonly number[]) => value > one!,
      gte: (value: number, [one]: readonly number[]) => value >= one!,
      lt: (value: number, [one]: readonly number[]) => value < one!,
      lte: (value: number, [one]: readonly number[]) => value <= one!,
    }
    const found = async (customFields: object): Promise<string[]> => {
      const document = `query ($f: AccountFilter) { accountList(filter: $f, limit: 50) { total data { id } } }`
      const { body } = await member.graphql(document, { f: { customFields } })
      expect(body.errors).toBeUndefined()
      const { total, data } = body.data.accountList as { total: number; data: { id: string }[] }
      expect(total).toBe(data.length)
      return data.map(({ id }) => id).toSorted()
    }
    for (const isMerged of [false, true]) {
      if (isMerged) await merge()
      for (const name of ['deals', 'seatsSold', 'mean', 'least'])
        for (const [operator, isMet] of Object.entries(holds))
          for (const operands of [[0], [2], [-3, 1]]) {
            const operand = operator === 'in' ? operands : operands[0]
            const expected = parents.filter((id) => {
              const value = values.get(id)![name]
              return value !== undefined && isMet(value, operands)
            })
            expect(await found({ [name]: { [operator]: operand } }), `${name} ${operator} ${operand}`).toEqual(
              expected.toSorted(),
            )
          }
    }
    const both = parents.filter((id) => values.get(id)!['deals']! >= 2 && values.get(id)!['seatsSold']! < 0)
    expect(await found({ deals: { gte: 2 }, seatsSold: { lt: 0 } })).toEqual(both.toSorted())
  })

  it('read the index of merged totals, and the least value the first entry of an index', async () => {
    await withRollups()
    await settle()
    const { id } = await account(member)
    await deal(id, { amount: 3, customFields: { seats: 7 } })
    await merge()
    expect(await planOf({ 'customFields[seatsSold]': '7' }, /rollup_total/)).toMatch(/Index.*rollup_total/)
    const read = await planOf({}, /rollup_value_number/)
    expect(read).toMatch(/Limit\n(?:.*\n){0,3}.*Index.*rollup_value_number/)
    expect(read).toMatch(/Index.*rollup_pkey/)
    expect(read).toMatch(/Index.*rollup_delta_parent/)
  })
})

describe('a rollup that is built', () => {
  it('has the right value from the beginning, whatever is written meanwhile', async () => {
    await fieldsOfDeals(owner)
    const { id } = await account(member)
    await copiesOf(platform, member, id, 1_200)
    const parents = await platform.query<{ id: string }>(
      'select id from crm.account where organization_id = $1 order by id',
      [owner.organizationId],
    )
    const made: string[] = []
    for (let at = 0; at < 40; at++) made.push((await deal(parents[at * 30]!.id, { amount: at })).id)
    for (const [one] of rollups) await field(owner, one)
    const ctx = await definedContext(platform, owner)
    const building = { isDone: false }
    const writer = async (from: number) => {
      for (let at = from; !building.isDone; at += 4) {
        const to = parents[(at * 7) % parents.length]!.id
        await change(made[at % made.length]!, { accountId: to, amount: at })
      }
    }
    const merger = async () => {
      while (!building.isDone) await merge()
    }
    const reader = async () => {
      while (!building.isDone) await expectRight(platform, ctx)
    }
    const others = [0, 1, 2, 3].map(writer).concat(merger(), reader())
    await settle()
    building.isDone = true
    await Promise.all(others)
    const ready = await definedContext(platform, owner)
    await expectRight(platform, ready)
    await merge()
    await expectRight(platform, ready)
  })

  it('is built again when it was inactive or deleted meanwhile', async () => {
    const fields = [
      await field(owner, rollup('deals', { aggregate: 'COUNT' })),
      await field(owner, rollup('least', { aggregate: 'MIN', field: 'amount' })),
    ]
    await settle()
    const { id: accountId } = await account(member)
    const first = await deal(accountId, { amount: 1 })
    const all = async (operation: string, body?: object) => {
      for (const { id } of fields) {
        const { status } = await owner.rest[operation]!({ id, ...(body && { body }) } as never)
        expect(status).toBeLessThan(300)
      }
    }
    await all('customFieldUpdate', { isActive: false })
    expect(await read(accountId)).toEqual({})
    const second = await deal(accountId, { amount: 5 })
    await change(first.id, { amount: 4 })
    await all('customFieldUpdate', { isActive: true })
    await settle()
    expect(await read(accountId)).toEqual({ deals: 2, least: 4 })
    await all('customFieldDelete')
    await deal(accountId, { amount: 6 })
    await member.rest['opportunityDelete']!({ id: first.id })
    await all('customFieldRestore')
    expect(await read(accountId)).toEqual({ deals: 2, least: 5 })
    await settle()
    await merge()
    expect(await read(accountId)).toEqual({ deals: 2, least: 5 })
    await member.rest['opportunityDelete']!({ id: second.id })
    expect(await read(accountId)).toEqual({ deals: 1, least: 6 })
    expect((await counts()).values).toBe(1)
  })

  it('is built again when its configuration changes, and has the new value at once, whatever is open of the former one', async () => {
    await fieldsOfDeals(owner)
    const { id } = await field(owner, rollup('value', { aggregate: 'COUNT' }))
    await settle()
    const { id: accountId } = await account(member)
    const made: { id: string }[] = []
    for (const amount of [10, 20, 60]) made.push(await deal(accountId, { amount }))
    const become = async (config: object, value: number) => {
      const body = { rollupConfig: { childObject: 'OPPORTUNITY', relationField: 'accountId', ...config } }
      const { status, body: changed } = await owner.rest['customFieldUpdate']!({ id, body } as never)
      expect([status, changed.state], JSON.stringify(changed)).toEqual([200, 'BUILDING'])
      expect(await read(accountId)).toEqual({ value })
      await change(made[0]!.id, { amount: 11 })
      await change(made[0]!.id, { amount: 10 })
      await settle()
      expect(await read(accountId)).toEqual({ value })
      await merge()
      expect(await read(accountId)).toEqual({ value })
    }
    const large = [{ field: 'amount', operator: 'GREATER_THAN', value: 15 }]
    await become({ aggregate: 'COUNT', conditions: large }, 2)
    await become({ aggregate: 'SUM', field: 'amount', conditions: large }, 80)
    await become({ aggregate: 'MIN', field: 'amount' }, 10)
    await become({ aggregate: 'MIN', field: 'amount', conditions: large }, 20)
    await become({ aggregate: 'AVG', field: 'amount' }, 30)
    await become({ aggregate: 'MIN', field: 'amount' }, 10)
    await deal(accountId, { amount: 4 })
    expect(await read(accountId)).toEqual({ value: 4 })
    const before = await platform.fingerprint(owner.organizationId)
    const refused = async (config: object | null) => {
      const rollupConfig = config && { childObject: 'OPPORTUNITY', relationField: 'accountId', ...config }
      return problemsOf(await owner.rest['customFieldUpdate']!({ id, body: { rollupConfig } } as never))
    }
    expect(await refused(null)).toBe('400 VALIDATION_FAILED rollupConfig REQUIRED')
    expect(await refused({ aggregate: 'COUNT', childObject: 'CASE' })).toBe(
      '400 VALIDATION_FAILED rollupConfig.childObject NOT_ALLOWED',
    )
    expect(await refused({ aggregate: 'MAX', field: 'closeDate' })).toBe(
      '400 VALIDATION_FAILED rollupConfig.field NOT_ALLOWED',
    )
    expect(await refused({ aggregate: 'SUM' })).toBe('400 VALIDATION_FAILED rollupConfig.field REQUIRED')
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })

  it('leaves nothing behind when its field is removed', async () => {
    const fields = [
      await field(owner, rollup('deals', { aggregate: 'COUNT' })),
      await field(owner, rollup('least', { aggregate: 'MIN', field: 'amount' })),
      await field(owner, rollup('latest', { aggregate: 'MAX', field: 'closeDate' })),
    ]
    await settle()
    const { id: accountId } = await account(member)
    await deal(accountId)
    await merge()
    await deal(accountId)
    expect(await counts()).toEqual({ totals: 1, open: 1, values: 4 })
    for (const { id } of fields) await owner.rest['customFieldDelete']!({ id })
    await platform.query(
      `update extensions.field_definition set deleted_at = deleted_at - interval '31 days' where organization_id = $1`,
      [owner.organizationId],
    )
    await removeDeletedFields.run(platform.services)
    await settle()
    expect(await counts()).toEqual({ totals: 0, open: 0, values: 0 })
  })
})

describe('a profile that hides a field', () => {
  it.each([
    ['a field', { opportunity: { nextStep: 'HIDDEN' } }, { deals: 1, seatsSold: 2 }],
    ['a custom field', { opportunity: { 'customFields.seats': 'HIDDEN' } }, { deals: 1, large: 0 }],
    ['the condition', { opportunity: { 'customFields.hot': 'HIDDEN' } }, { deals: 1, large: 0, seatsSold: 2 }],
  ] as const)('of the children hides the rollups that read it: %s', async (_what, fields, shown) => {
    await withRollups()
    const conditions = [{ field: 'nextStep', operator: 'IS_NOT_EMPTY' }]
    await field(owner, rollup('planned', { aggregate: 'COUNT', conditions }))
    await settle()
    const { id } = await account(member)
    await deal(id, { amount: 5, nextStep: 'Call', customFields: { seats: 2, hot: true } })
    const restricted = await platform.member({ organizationId: owner.organizationId })
    const ctx = systemContext(platform.services, owner.organizationId)
    const profile = await createProfile(ctx, { name: 'R', fields: fields as never })
    await assignProfile(ctx, restricted.userId, profile.id)
    const values = await read(id, restricted)
    expect(values).toMatchObject(shown)
    const hidden = { nextStep: ['planned'], seats: ['seatsSold', 'weight', 'least'], hot: ['mean'] }
    const name = JSON.stringify(fields).match(/nextStep|seats|hot/)![0] as keyof typeof hidden
    for (const one of hidden[name]) expect(values, one).not.toHaveProperty(one)
    const [first] = hidden[name]
    const list = await restricted.rest['accountList']!({ query: { [`customFields[${first}]`]: '1' } } as never)
    expect(problemsOf(list)).toBe(`403 FIELD_NOT_READABLE customFields.${first} FIELD_NOT_READABLE`)
  })
})

describe('customFieldCreate of a ROLLUP_SUMMARY', () => {
  const count = { aggregate: 'COUNT' }
  it.each<[string, object, string]>([
    ['no configuration', { rollupConfig: null }, 'rollupConfig REQUIRED'],
    ['a default', rollup('r', count, { defaultValue: '1' }), 'defaultValue NOT_ALLOWED'],
    ['a required value', rollup('r', count, { isRequired: true }), 'isRequired NOT_ALLOWED'],
    ['history', rollup('r', count, { trackHistory: true }), 'trackHistory NOT_ALLOWED'],
    ['an index', rollup('r', count, { isIndexed: true }), 'isIndexed NOT_ALLOWED'],
    ['another type', { ...rollup('r', count), fieldType: 'NUMBER' }, 'rollupConfig NOT_ALLOWED'],
    ['no type of records', rollup('r', { ...count, childObject: 'DEAL' }), 'rollupConfig.childObject NOT_ALLOWED'],
    [
      'another type of records',
      rollup('r', { ...count, childObject: 'PRODUCT' }),
      'rollupConfig.childObject NOT_ALLOWED',
    ],
    ['no relation', rollup('r', { ...count, relationField: 'ownerId' }), 'rollupConfig.relationField NOT_ALLOWED'],
    ['a field of COUNT', rollup('r', { ...count, field: 'amount' }), 'rollupConfig.field NOT_ALLOWED'],
    ['no field', rollup('r', { aggregate: 'SUM' }), 'rollupConfig.field REQUIRED'],
    ['an unknown field', rollup('r', { aggregate: 'SUM', field: 'customFields.no' }), 'rollupConfig.field NOT_ALLOWED'],
    ['the sum of a date', rollup('r', { aggregate: 'SUM', field: 'closeDate' }), 'rollupConfig.field NOT_ALLOWED'],
    [
      'a field that changes without a version',
      rollup('r', { aggregate: 'MAX', field: 'lastActivityDate' }),
      'rollupConfig.field NOT_ALLOWED',
    ],
    [
      'an unknown field in a condition',
      rollup('r', { ...count, conditions: [{ field: 'none', operator: 'IS_EMPTY' }] }),
      'rollupConfig.conditions.0.field UNKNOWN_FIELD',
    ],
    [
      'a condition on a change',
      rollup('r', { ...count, conditions: [{ field: 'amount', operator: 'CHANGED' }] }),
      'rollupConfig.conditions NOT_ALLOWED',
    ],
    [
      'a condition on the time',
      rollup('r', { ...count, conditions: [{ field: 'closeDate', operator: 'WITHIN_LAST', value: 'P7D' }] }),
      'rollupConfig.conditions NOT_ALLOWED',
    ],
    [
      'a condition without a definition',
      rollup('r', { ...count, conditions: [{ field: 'customFields.no', operator: 'EQUALS', value: 1 }] }),
      'rollupConfig.conditions NOT_ALLOWED',
    ],
  ])('refuses %s with 400, and changes nothing', async (_what, values, problem) => {
    const before = await platform.fingerprint(owner.organizationId)
    const answer = await create({ fieldType: 'ROLLUP_SUMMARY', name: 'r', ...values })
    expect(problemsOf(answer)).toContain('400 VALIDATION_FAILED ')
    expect(problemsOf(answer)).toContain(problem)
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })

  it('refuses more than 40 of a record type with 409', async () => {
    for (let index = 0; index < 40; index++) await field(owner, rollup(`r${index}`, count))
    const refused = await create(rollup('r40', count))
    expect([refused.status, refused.body.code, refused.body.limit]).toEqual([409, 'LIMIT_REACHED', 40])
  })

  it('cannot be read by triggers and other rollups', async () => {
    await field(owner, rollup('deals', count))
    const source = 'export default () => ({})'
    const run = { apiName: 'run', name: 'Run', language: 'javascript', source }
    expect((await owner.rest['serverlessFunctionCreate']!({ body: run } as never)).status).toBe(201)
    const conditions = [{ field: 'customFields.deals', operator: 'GREATER_THAN', value: 1 }]
    const body = { objectType: 'ACCOUNT', name: 'Many', operations: ['UPDATE'], function: 'run', conditions }
    expect(problemsOf(await owner.rest['afterSaveTriggerCreate']!({ body } as never))).toBe(
      '400 VALIDATION_FAILED conditions.0.field UNKNOWN_FIELD',
    )
    const of = {
      childObject: 'ACCOUNT',
      relationField: 'parentAccountId',
      aggregate: 'SUM',
      field: 'customFields.deals',
    }
    expect(problemsOf(await create(rollup('sum', of)))).toBe('400 VALIDATION_FAILED rollupConfig.field NOT_ALLOWED')
  })
})

describe('a field of the children that a rollup reads', () => {
  it('is neither deleted nor changed in its meaning: 409 with the rollup', async () => {
    await withRollups()
    await settle()
    const { body } = await owner.rest['customFieldList']!({ query: { entity: 'OPPORTUNITY' } } as never)
    const idOf = (name: string): string =>
      (body.data as { id: string; name: string }[]).find((one) => one.name === name)!.id
    const before = await platform.fingerprint(owner.organizationId)
    const refused = (answer: { status: number; body: { code?: string; usedBy?: { name: string }[] } }) => [
      answer.status,
      answer.body.code,
      ...(answer.body.usedBy ?? []).map(({ name }) => name),
    ]
    const dependents = ['seatsSold', 'weight', 'least']
    expect(refused(await owner.rest['customFieldDelete']!({ id: idOf('seats') }))).toEqual(
      expect.arrayContaining([409, 'HAS_DEPENDENTS', ...dependents]),
    )
    const update = (name: string, values: object) =>
      owner.rest['customFieldUpdate']!({ id: idOf(name), body: values } as never)
    expect(refused(await update('hot', { defaultValue: 'true' }))).toEqual([409, 'HAS_DEPENDENTS', 'mean'])
    expect(refused(await update('hot', { isActive: false }))).toEqual([409, 'HAS_DEPENDENTS', 'mean'])
    const formulaConfig = { expression: 'amount * 3', returnType: 'NUMBER', decimals: 4 }
    expect(refused(await update('weighted', { formulaConfig }))).toEqual([409, 'HAS_DEPENDENTS', 'weight'])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    expect((await update('hot', { label: 'Other' })).status).toBe(200)
  })

  it('does not get a type whose values conditions compare in another way', async () => {
    const { id } = await field(owner, { entity: 'OPPORTUNITY', name: 'buyer', fieldType: 'TEXT' })
    const conditions = [{ field: 'customFields.buyer', operator: 'EQUALS', value: 'A@b.example' }]
    await field(owner, rollup('bought', { aggregate: 'COUNT', conditions }))
    await settle()
    const become = (body: object) => owner.rest['customFieldUpdate']!({ id, body } as never)
    const before = await platform.fingerprint(owner.organizationId)
    const picklistValues = [{ value: 'A@b.example' }]
    for (const body of [{ fieldType: 'EMAIL' }, { fieldType: 'PICKLIST', picklistValues }]) {
      const answer = await become(body)
      expect([answer.status, answer.body.code, answer.body.usedBy]).toMatchObject([
        409,
        'HAS_DEPENDENTS',
        [{ name: 'bought' }],
      ])
    }
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    expect((await become({ fieldType: 'TEXTAREA' })).status).toBe(200)
  })
})

describe('random changes by eight clients beside two mergers', { timeout: 7_200_000 }, () => {
  const operations = isFullSweep ? 100_000 : 500

  it(`gives no wrong value in any snapshot of ${operations} operations`, async ({ annotate }) => {
    await withRollups()
    await settle()
    const system = await definedContext(platform, owner)
    // What rules the platform is not subject to does not matter here, and no request is parsed: the statements are those of requests.
    const ctx = { ...system, caller: { ...system.caller, kind: 'SESSION' as const, userId: member.userId } }
    const records = recordsOf(opportunityDefinition)
    const parents: string[] = []
    for (let index = 0; index < 12; index++) parents.push((await account(member)).id)
    const deals: string[] = []
    for (let index = 0; index < 40; index++) deals.push((await deal(parents[index % 12]!)).id)
    const seed = Date.now()
    const counted = new Map<string, number>()
    let done = 0
    const run = { isFailed: false }

    async function client(number: number): Promise<void> {
      const random = randomNumbers(seed + number)
      const parent = () => parents[random(parents.length)]!
      const one = () => deals[random(deals.length)]!
      const values = () => ({
        accountId: parent(),
        amount: random(10_000) / 100,
        customFields: { seats: random(4) === 0 ? null : random(1_000) / 8, hot: random(2) === 0 },
      })
      const several = () => [...new Set([one(), one(), one()])]
      const kinds: readonly (readonly [name: string, change: () => Promise<unknown>])[] = [
        [
          'create',
          async () => {
            const made = await deal(parent(), { name: random(2) ? 'Order' : 'Deal', ...values() })
            // Clients meet each other more often in fewer deals.
            if (deals.length < 200) deals.push(made.id)
            else deals[random(deals.length)] = made.id
          },
        ],
        ['update', () => records.update(ctx, one(), values())],
        ['update', () => records.update(ctx, one(), values())],
        ['move', () => records.update(ctx, one(), { accountId: parent() })],
        ['delete', () => records.remove(ctx, one())],
        ['restore', () => records.restore(ctx, one())],
        ['restore', () => records.restore(ctx, one())],
        [
          'bulkUpdate',
          () =>
            records.bulkUpdate(
              ctx,
              several().map((id) => ({ id, ...values() })),
            ),
        ],
        ['bulkDelete', () => records.bulkRemove(ctx, several())],
        [
          'changeAll',
          () =>
            inTransaction(ctx, async (inner) => {
              const ids = several().toSorted()
              await inner.db.query('select from crm.opportunity where id = any($1::uuid[]) order by id for update', [
                ids,
              ])
              await changeAll(inner, opportunityDefinition, ids, () => ({ accountId: parent(), amount: random(100) }))
            }),
        ],
        ['insert', () => insertCopies(ctx, one(), parent(), 2)],
      ]
      while (done < operations && !run.isFailed) {
        done++
        const [name, change] = kinds[random(kinds.length)]!
        const outcome = await change().then(
          () => 'done',
          // Clients meet records that others have deleted or changed.
          (error: unknown) => (error instanceof Refusal ? error.code : Promise.reject(error as Error)),
        )
        const key = `${name} ${outcome}`
        counted.set(key, (counted.get(key) ?? 0) + 1)
      }
    }

    const isDone = () => done >= operations || run.isFailed
    let snapshots = 0
    const reader = async () => {
      while (!isDone()) {
        expect(await wrongRollups(platform, ctx), `seed ${seed}`).toEqual([])
        snapshots++
      }
    }
    const merger = async () => {
      while (!isDone()) await merge()
    }
    const all = [...Array.from({ length: 8 }, (_, number) => client(number)), merger(), merger(), reader()]
    const failing = (error: unknown) => {
      run.isFailed = true
      throw error
    }
    await Promise.all(all.map((each) => each.catch(failing)))
    expect(await wrongRollups(platform, ctx), `seed ${seed}`).toEqual([])
    await merge()
    expect((await counts()).open).toBe(0)
    expect(await wrongRollups(platform, ctx), `seed ${seed}`).toEqual([])
    expect(snapshots).toBeGreaterThan(10)
    const refused = new Set(['NOT_FOUND', 'VERSION_CONFLICT', 'INVALID_STATE'])
    const outcomes = [...counted.keys()].map((key) => key.split(' ') as [string, string])
    expect(outcomes.filter(([, outcome]) => outcome !== 'done' && !refused.has(outcome))).toEqual([])
    const names = ['create', 'update', 'move', 'delete', 'restore', 'bulkUpdate', 'bulkDelete', 'changeAll', 'insert']
    expect(names.filter((name) => !counted.has(`${name} done`))).toEqual([])
    await annotate(`${done} operations, ${snapshots} snapshots: ${JSON.stringify([...counted])}`)
  })
})

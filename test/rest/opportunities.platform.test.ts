import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, anOpportunity, contact, opportunity, supportCase } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs, unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'

const platform = usePlatform()
let member: Member
let accountId: string

beforeAll(async () => {
  member = await platform.member({ role: 'ADMIN' })
  accountId = (await account(member)).id
})
afterAll(() => expectValidEvents(platform))

const patched = async (id: string, body: object) => (await member.rest.opportunityUpdate!({ id, body })).body

describe('opportunityCreate', () => {
  it('places the opportunity in the first stage of the default pipeline, without any setup', async () => {
    const { status, body, headers } = await member.rest.opportunityCreate!({ body: anOpportunity(accountId) })

    expect([status, headers.get('location')]).toEqual([201, `/v1/opportunities/${body.id}`])
    expect(body).toMatchObject({
      name: 'Northwind - 12 licences',
      accountId,
      ownerId: member.userId,
      amount: 0,
      currency: 'USD',
      stage: 'PROSPECTING',
      probability: 10,
      probabilityOverridden: false,
      forecastCategory: 'PIPELINE',
      forecastCategoryOverridden: false,
      expectedRevenue: 0,
      closeDate: '2027-03-31T00:00:00.000Z',
      originalCloseDate: '2027-03-31T00:00:00.000Z',
      closeDatePushCount: 0,
      stageEnteredAt: platform.now.toISOString(),
      isClosed: false,
      isWon: false,
      closedAt: null,
    })
    expect(await platform.eventTypesOf(body.id)).toEqual(['opportunity.created'])
    expect((await member.rest.opportunity!({ id: body.id })).body).toEqual(body)
  })

  it.each([
    ['PROSPECTING', 10, 'PIPELINE'],
    ['QUALIFICATION', 20, 'PIPELINE'],
    ['NEEDS_ANALYSIS', 35, 'PIPELINE'],
    ['PROPOSAL', 55, 'BEST_CASE'],
    ['NEGOTIATION', 80, 'COMMIT'],
  ])('takes probability and category of the stage %s', async (stage, probability, forecastCategory) => {
    expect(await opportunity(member, { accountId, stage })).toMatchObject({ stage, probability, forecastCategory })
  })

  it('computes the expected revenue to the last digit', async () => {
    const body = await opportunity(member, {
      accountId,
      amount: '123456.78',
      currency: 'EUR',
      probability: 33.33,
    })
    expect(body).toMatchObject({
      expectedRevenue: 41148.144774,
      probability: 33.33,
      probabilityOverridden: true,
    })
    const [stored] = await platform.query<{ revenue: string }>(
      'select expected_revenue::text as revenue from crm.opportunity where id = $1',
      [body.id],
    )
    expect(stored).toEqual({ revenue: '41148.144774' })
  })

  it('creates a closed opportunity without further events', async () => {
    const body = await opportunity(member, { accountId, stage: 'CLOSED_WON', amount: 100 })
    expect(body).toMatchObject({
      isClosed: true,
      isWon: true,
      probability: 100,
      forecastCategory: 'CLOSED',
      expectedRevenue: 100,
    })
    expect(body.closedAt).toBe(platform.now.toISOString())
    expect(await platform.eventTypesOf(body.id)).toEqual(['opportunity.created'])
  })

  const stages = 'PROSPECTING, QUALIFICATION, NEEDS_ANALYSIS, PROPOSAL, NEGOTIATION, CLOSED_WON, CLOSED_LOST'
  it.each<[string, object, string, string]>([
    ['an unknown stage', { stage: 'SIGNED' }, 'stage', `stage must be one of ${stages} in the pipeline Sales.`],
    [
      'CLOSED in an open stage',
      { forecastCategory: 'CLOSED' },
      'forecastCategory',
      'forecastCategory must be PIPELINE, BEST_CASE, COMMIT or OMITTED in the open stage PROSPECTING.',
    ],
    [
      'a probability that contradicts the outcome',
      { stage: 'CLOSED_LOST', probability: 5 },
      'probability',
      'probability must be 0 in the stage CLOSED_LOST.',
    ],
    [
      'more decimals than the currency has',
      { amount: 10.5, currency: 'JPY' },
      'amount',
      'amount must have at most 0 decimals in JPY.',
    ],
    [
      'an unknown account',
      { accountId: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26' },
      'accountId',
      'accountId must be the id of an existing record that you can see.',
    ],
    [
      'an unknown pipeline',
      { pipelineId: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26' },
      'pipelineId',
      'pipelineId must be the id of a pipeline in use.',
    ],
  ])('refuses %s with 400 and creates nothing', async (_, values, path, message) => {
    const { status, body } = await unchanged(platform, () =>
      member.rest.opportunityCreate!({ body: anOpportunity(accountId, values) }),
    )
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ path, message })]])
  })
})

describe('A change of the stage', () => {
  it('sets probability and category, and emits updated and stage_changed', async () => {
    const { id } = await opportunity(member, { accountId, amount: 1000 })
    const body = await patched(id, { stage: 'PROPOSAL' })

    expect(body).toMatchObject({
      stage: 'PROPOSAL',
      probability: 55,
      forecastCategory: 'BEST_CASE',
      expectedRevenue: 550,
    })
    const [, updated, moved] = await platform.eventsOf(id)
    expect([updated!.type, moved!.type]).toEqual(['opportunity.updated', 'opportunity.stage_changed'])
    expect(moved!.data).toMatchObject({ previousStage: 'PROSPECTING', stage: 'PROPOSAL' })
  })

  it('keeps values that the same change gives', async () => {
    const { id } = await opportunity(member, { accountId })
    expect(await patched(id, { stage: 'PROPOSAL', probability: 70, forecastCategory: 'COMMIT' })).toMatchObject({
      probability: 70,
      probabilityOverridden: true,
      forecastCategory: 'COMMIT',
      forecastCategoryOverridden: true,
    })
  })

  it('keeps a category that a client set before until the opportunity is closed', async () => {
    const { id } = await opportunity(member, { accountId, forecastCategory: 'COMMIT' })
    expect(await patched(id, { stage: 'QUALIFICATION' })).toMatchObject({
      forecastCategory: 'COMMIT',
      forecastCategoryOverridden: true,
      probability: 20,
    })
    expect(await patched(id, { stage: 'CLOSED_WON' })).toMatchObject({
      forecastCategory: 'CLOSED',
      forecastCategoryOverridden: false,
    })
    expect(await patched(id, { stage: 'QUALIFICATION' })).toMatchObject({ forecastCategory: 'PIPELINE' })
  })

  it('wins, loses and reopens', async () => {
    const { id } = await opportunity(member, { accountId, amount: 200 })
    expect(await patched(id, { stage: 'CLOSED_LOST', lossReason: 'PRICE', lossNotes: 'Too much' })).toMatchObject({
      isClosed: true,
      isWon: false,
      closedAt: platform.now.toISOString(),
      probability: 0,
      forecastCategory: 'OMITTED',
      expectedRevenue: 0,
      lossReason: 'PRICE',
    })
    expect(await patched(id, { stage: 'NEGOTIATION' })).toMatchObject({
      isClosed: false,
      closedAt: null,
      lossReason: null,
      lossNotes: null,
      probability: 80,
    })
    expect(await patched(id, { stage: 'CLOSED_WON' })).toMatchObject({
      isClosed: true,
      isWon: true,
      expectedRevenue: 200,
    })
    expect(await platform.eventTypesOf(id)).toEqual([
      'opportunity.created',
      'opportunity.updated',
      'opportunity.stage_changed',
      'opportunity.lost',
      'opportunity.updated',
      'opportunity.stage_changed',
      'opportunity.reopened',
      'opportunity.updated',
      'opportunity.stage_changed',
      'opportunity.won',
    ])
  })

  it('to the same stage changes nothing', async () => {
    const before = await opportunity(member, { accountId, stage: 'PROPOSAL' })
    expect(await patched(before.id, { stage: 'PROPOSAL' })).toEqual(before)
    expect(await platform.eventTypesOf(before.id)).toEqual(['opportunity.created'])
  })

  it('happens in a bulk update with the same rules', async () => {
    const { id } = await opportunity(member, { accountId, amount: 10 })
    const { body } = await member.rest.opportunityBulkUpdate!({
      body: {
        items: [
          { id, stage: 'CLOSED_WON' },
          { id, stage: 'SIGNED' },
        ],
      },
    })
    expect(body.results.map((item: { status: string }) => item.status)).toEqual(['UPDATED', 'FAILED'])
    expect((await member.rest.opportunity!({ id })).body).toMatchObject({ isWon: true, expectedRevenue: 10 })
  })
})

describe('A change of the close date', () => {
  it('counts delays of an open opportunity and keeps the first date', async () => {
    const { id } = await opportunity(member, { accountId })
    await patched(id, { closeDate: '2027-05-01T00:00:00.000Z' })
    await patched(id, { closeDate: '2027-04-01T00:00:00.000Z' })
    expect(await patched(id, { closeDate: '2027-06-01T00:00:00.000Z' })).toMatchObject({
      closeDatePushCount: 2,
      originalCloseDate: '2027-03-31T00:00:00.000Z',
    })
    await patched(id, { stage: 'CLOSED_WON' })
    expect(await patched(id, { closeDate: '2027-09-01T00:00:00.000Z' })).toMatchObject({ closeDatePushCount: 2 })
  })
})

describe('An organization that requires a loss reason', () => {
  it('refuses a lost opportunity without one with 400 and changes nothing', async () => {
    const strict = await platform.member({ role: 'OWNER', organizationId: await platform.organization('Strict') })
    await platform.query(`update identity.organization set settings = '{"requireLossReason": true}' where id = $1`, [
      strict.organizationId,
    ])
    const { id } = await opportunity(strict)
    const lose = (body: object) => strict.rest.opportunityUpdate!({ id, body: { stage: 'CLOSED_LOST', ...body } })

    expect(await refusedInputs(platform, () => lose({}))).toEqual([400, 'VALIDATION_FAILED', 'lossReason REQUIRED'])
    expect((await lose({ lossReason: 'TIMING' })).body).toMatchObject({ isClosed: true, lossReason: 'TIMING' })
  })
})

describe('/v1/deals', () => {
  it('serves the same records and operations as /v1/opportunities', async () => {
    const { id } = await opportunity(member, { accountId })
    const deal = await member.rest.opportunity_deals!({ id })
    expect(deal.body).toEqual((await member.rest.opportunity!({ id })).body)
    const operations = (prefix: string) =>
      Object.entries(platform.contract.document.paths)
        .filter(([path]) => path === prefix || path.startsWith(`${prefix}/`))
        .map(([path, item]) => `${path.slice(prefix.length)} ${Object.keys(item).join()}`)
    expect(operations('/v1/deals')).toEqual(operations('/v1/opportunities'))
  })
})

describe('opportunityStats', () => {
  it('counts by stage and sums the open amounts by currency, never across currencies', async () => {
    const other = await platform.member({ organizationId: await platform.organization('Counting') })
    const { id } = await account(other)
    for (const values of [
      { amount: 100.5, currency: 'EUR' },
      { amount: 200, currency: 'EUR', stage: 'NEGOTIATION' },
      { amount: 5000, currency: 'JPY' },
      { amount: 70, currency: 'EUR', stage: 'CLOSED_WON' },
      { amount: 30, currency: 'EUR', stage: 'CLOSED_LOST' },
      { amount: 30, currency: 'EUR', stage: 'CLOSED_LOST' },
    ])
      await opportunity(other, { accountId: id, ...values })

    expect((await other.rest.opportunityStats!()).body).toMatchObject({
      total: 6,
      open: 3,
      won: 1,
      lost: 2,
      winRate: 0.3333,
      byStage: { PROSPECTING: 2, NEGOTIATION: 1, CLOSED_WON: 1, CLOSED_LOST: 2 },
      openByCurrency: [
        { currency: 'EUR', count: 2, amount: 300.5, expectedRevenue: 170.05 },
        { currency: 'JPY', count: 1, amount: 5000, expectedRevenue: 500 },
      ],
    })
  })
})

describe('Edges', () => {
  it('lead from an opportunity to its account and back, and filter both ways', async () => {
    const { id: ownAccount } = await account(member, { name: 'Edge Yard' })
    const { id } = await opportunity(member, { accountId: ownAccount, name: 'Edge deal', amount: 7 })
    const { body } = await member.graphql(
      `query ($opportunity: ID!, $account: ID!) {
        opportunity(id: $opportunity) { account { name opportunities { totalCount nodes { name owner { name } } } } }
        found: opportunityList(filter: { account: { name: { eq: "Edge Yard" } } }) { data { id } }
        accounts: accountList(filter: { opportunities: { some: { name: { eq: "Edge deal" } } } }) { data { id } }
        account(id: $account) { opportunities(filter: { stage: { eq: "PROPOSAL" } }) { nodes { id } } }
      }`,
      { opportunity: id, account: ownAccount },
    )
    expect(body.data).toMatchObject({
      opportunity: { account: { name: 'Edge Yard', opportunities: { totalCount: 1, nodes: [{ name: 'Edge deal' }] } } },
      found: { data: [{ id }] },
      accounts: { data: [{ id: ownAccount }] },
      account: { opportunities: { nodes: [] } },
    })
  })
})

describe('Stage history', () => {
  it('has one entry for each stage, with who entered it and how long it lasted', async () => {
    const { id, stageHistory } = await opportunity(member, { accountId })
    const enteredAt = platform.now.toISOString()
    expect(stageHistory).toEqual([
      { stage: 'PROSPECTING', enteredAt, leftAt: null, durationSeconds: null, changedById: member.userId },
    ])
    platform.advanceClock(90_000)
    const other = await platform.member()
    const { body } = await other.rest.opportunityUpdate!({ id, body: { stage: 'PROPOSAL' } })
    const leftAt = platform.now.toISOString()
    expect(body.stageHistory).toEqual([
      { stage: 'PROSPECTING', enteredAt, leftAt, durationSeconds: 90, changedById: member.userId },
      { stage: 'PROPOSAL', enteredAt: leftAt, leftAt: null, durationSeconds: null, changedById: other.userId },
    ])
    expect(body.stageEnteredAt).toBe(leftAt)
    const { body: read } = await member.graphql(
      `query ($id: ID!) { opportunity(id: $id) { stageHistory { stage changedBy { id } } } }`,
      { id },
    )
    expect(read.data.opportunity.stageHistory[1]).toEqual({ stage: 'PROPOSAL', changedBy: { id: other.userId } })
  })

  it('has neither gaps nor doubles when many callers move the opportunity at once', async () => {
    const { id } = await opportunity(member, { accountId })
    const stages = ['QUALIFICATION', 'NEEDS_ANALYSIS', 'PROPOSAL', 'NEGOTIATION', 'CLOSED_WON', 'CLOSED_LOST']
    const moves = await Promise.all(
      [...stages, ...stages].map((stage) => member.rest.opportunityUpdate!({ id, body: { stage } })),
    )
    expect(moves.every(({ status }) => status === 200)).toBe(true)
    const { body } = await member.rest.opportunity!({ id })
    const history = body.stageHistory as { stage: string; leftAt: string | null }[]
    const changes = (await platform.eventsOf(id)).filter(({ type }) => type === 'opportunity.stage_changed')
    expect(history.map(({ stage }) => stage)).toEqual(['PROSPECTING', ...changes.map(({ data }) => data.stage)])
    expect(changes.map(({ data }) => data.previousStage)).toEqual(history.slice(0, -1).map(({ stage }) => stage))
    expect(history.map(({ leftAt }) => leftAt === null)).toEqual(
      history.map((_, index) => index === history.length - 1),
    )
    expect(body.stage).toBe(history.at(-1)!.stage)
  })

  it('keeps the last 50 stages', async () => {
    const { id } = await opportunity(member, { accountId })
    for (let move = 1; move <= 52; move++) await patched(id, { stage: move % 2 ? 'PROPOSAL' : 'NEGOTIATION' })
    const { body } = await member.rest.opportunity!({ id })
    expect(body.stageHistory).toHaveLength(50)
    expect([body.stageHistory[0].stage, body.stageHistory.at(-1).stage]).toEqual(['PROPOSAL', 'NEGOTIATION'])
  })
})

describe('Contact roles', () => {
  it('name the primary contact, whichever of the two fields a client sets', async () => {
    const [ann, bo] = [await contact(member), await contact(member)]
    const created = await opportunity(member, {
      accountId,
      contactRoles: [
        { contactId: ann.id, role: 'CHAMPION' },
        { contactId: bo.id, role: 'DECISION_MAKER', isPrimary: true },
      ],
    })
    expect(created).toMatchObject({ primaryContactId: bo.id, contactIds: [ann.id, bo.id] })
    expect(await patched(created.id, { primaryContactId: ann.id })).toMatchObject({
      contactRoles: [
        { contactId: ann.id, role: 'CHAMPION', isPrimary: true },
        { contactId: bo.id, role: 'DECISION_MAKER', isPrimary: false },
      ],
    })
    const cy = await contact(member)
    expect(await patched(created.id, { contactRoles: [], primaryContactId: cy.id })).toMatchObject({
      contactRoles: [{ contactId: cy.id, role: null, isPrimary: true }],
      contactIds: [cy.id],
    })
    expect(await patched(created.id, { contactRoles: [] })).toMatchObject({ primaryContactId: null, contactIds: [] })
  })

  it('refuse a contact twice, two primary contacts and unknown contacts with 400', async () => {
    const { id: contactId } = await contact(member)
    const { id: other } = await contact(member)
    const { id } = await opportunity(member, { accountId })
    const roles = (contactRoles: object[]) => () => member.rest.opportunityUpdate!({ id, body: { contactRoles } })
    expect(await refusedInputs(platform, roles([{ contactId }, { contactId }]))).toEqual([
      400,
      'VALIDATION_FAILED',
      'contactRoles.1.contactId NOT_UNIQUE',
    ])
    const two = [
      { contactId, isPrimary: true },
      { contactId: other, isPrimary: true },
    ]
    expect(await refusedInputs(platform, roles(two))).toEqual([400, 'VALIDATION_FAILED', 'contactRoles NOT_UNIQUE'])
    expect(await refusedInputs(platform, roles([{ contactId: accountId }]))).toEqual([
      400,
      'VALIDATION_FAILED',
      'contactRoles.0.contactId UNKNOWN_REFERENCE',
    ])
  })

  it('lead from a contact to its opportunities, in edges and in filters', async () => {
    const [ann, bo, cy] = [await contact(member), await contact(member), await contact(member)]
    const one = await opportunity(member, {
      accountId,
      name: 'One',
      contactRoles: [{ contactId: ann.id }, { contactId: bo.id }],
    })
    const two = await opportunity(member, { accountId, name: 'Two', primaryContactId: ann.id })
    const ids = [ann.id, bo.id, cy.id]
    const { body } = await member.graphql(
      `query ($ids: [ID!]!) {
        contactList(filter: { id: { in: $ids } }, orderBy: { field: createdAt, direction: ASC }) {
          data { id opportunities { totalCount nodes { id primaryContact { id } pipeline { name opportunities(first: 1) { nodes { __typename } } } } } }
        }
        some: contactList(filter: { id: { in: $ids }, opportunities: { some: { name: { eq: "One" } } } }) { total data { id } }
        none: contactList(filter: { id: { in: $ids }, opportunities: { none: {} } }) { data { id } }
        every: contactList(filter: { id: { in: $ids }, opportunities: { every: { name: { eq: "Two" } } } }) { data { id } }
        primary: opportunityList(filter: { primaryContact: { id: { in: $ids } } }) { data { id } }
      }`,
      { ids },
    )
    expect(body.errors).toBeUndefined()
    const found = (nodes: { id: string }[]) => nodes.map(({ id }) => id).toSorted()
    const opportunitiesOf = Object.fromEntries(
      body.data.contactList.data.map(
        (item: { id: string; opportunities: { totalCount: number; nodes: { id: string }[] } }) => [
          item.id,
          [item.opportunities.totalCount, found(item.opportunities.nodes)],
        ],
      ),
    )
    expect(opportunitiesOf).toEqual({
      [ann.id]: [2, found([one, two])],
      [bo.id]: [1, [one.id]],
      [cy.id]: [0, []],
    })
    expect(found(body.data.some.data)).toEqual(found([ann, bo]))
    expect(body.data.some.total).toBe(2)
    expect(found(body.data.none.data)).toEqual([cy.id])
    expect(found(body.data.every.data)).toEqual([cy.id])
    expect(found(body.data.primary.data)).toEqual([two.id])
  })
})

describe('The indexes of opportunities', () => {
  it('answer the deal board and the opportunities of a contact', async () => {
    const rows = await platform.query<{ definition: string }>(
      `select indexdef as definition from pg_indexes where schemaname = 'crm' and tablename = 'opportunity'`,
    )
    const columns = rows.map(({ definition }) => /USING (.*?) WHERE/.exec(definition)?.[1])
    expect(columns).toEqual(
      expect.arrayContaining([
        'btree (organization_id, pipeline_id, stage, created_at, id)',
        'gin (organization_id, contact_ids)',
      ]),
    )
  })
})

describe('Cases of an opportunity', () => {
  it('are found from both sides', async () => {
    const { id } = await opportunity(member, { accountId, name: 'With a case' })
    const ticket = await supportCase(member, { opportunityId: id })
    const { body } = await member.graphql(
      `query ($id: ID!, $case: ID!) {
        opportunity(id: $id) { cases { nodes { id } } }
        case(id: $case) { opportunity { name } }
        caseList(filter: { opportunity: { name: { eq: "With a case" } } }) { data { id } }
        opportunityList(filter: { cases: { some: { id: { eq: $case } } } }) { data { id } }
      }`,
      { id, case: ticket.id },
    )
    expect(body.data).toEqual({
      opportunity: { cases: { nodes: [{ id: ticket.id }] } },
      case: { opportunity: { name: 'With a case' } },
      caseList: { data: [{ id: ticket.id }] },
      opportunityList: { data: [{ id }] },
    })
  })

  it('refuse an unknown opportunity with 400', async () => {
    const body = { subject: 'x', opportunityId: accountId }
    expect(await refusedInputs(platform, () => member.rest.caseCreate!({ body }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'opportunityId UNKNOWN_REFERENCE',
    ])
  })
})

describe('opportunitySetForecastCategory', () => {
  const set = (id: string, body: object) => member.rest.opportunitySetForecastCategory!({ id, body })

  it('sets category and reason, which a change of the stage keeps and a close ends', async () => {
    const { id } = await opportunity(member, { accountId })
    const { status, body } = await set(id, { category: 'COMMIT', reason: 'Signed today' })
    expect([status, body.forecastCategory, body.forecastCategoryOverridden, body.forecastReason]).toEqual([
      200,
      'COMMIT',
      true,
      'Signed today',
    ])
    expect(await patched(id, { stage: 'QUALIFICATION' })).toMatchObject({ forecastCategory: 'COMMIT', probability: 20 })
    expect(await patched(id, { stage: 'CLOSED_LOST' })).toMatchObject({
      forecastCategory: 'OMITTED',
      forecastCategoryOverridden: false,
      forecastReason: null,
    })
    expect(await refused(platform, () => set(id, { category: 'COMMIT' }))).toEqual([409, 'INVALID_STATE'])
  })

  it('keeps the word of the user also where the stage has the same category', async () => {
    const { id } = await opportunity(member, { accountId })
    const { body } = await set(id, { category: 'PIPELINE', reason: 'No budget yet' })
    expect([body.forecastCategory, body.forecastCategoryOverridden]).toEqual(['PIPELINE', true])
    expect(await patched(id, { stage: 'NEGOTIATION' })).toMatchObject({
      forecastCategory: 'PIPELINE',
      forecastCategoryOverridden: true,
      forecastReason: 'No budget yet',
    })
  })

  it('refuses CLOSED with 400', async () => {
    const { id } = await opportunity(member, { accountId })
    expect(await refusedInputs(platform, () => set(id, { category: 'CLOSED' }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'category NOT_ALLOWED',
    ])
  })
})

describe('opportunityBoard', () => {
  let seller: Member

  beforeAll(async () => {
    seller = await platform.member({ organizationId: await platform.organization('Board') })
    const { id } = await account(seller, { name: 'Board Yard' })
    for (let index = 1; index <= 5; index++)
      await opportunity(seller, {
        accountId: id,
        name: `P${index}`,
        amount: index,
        currency: index > 3 ? 'JPY' : 'EUR',
      })
    await opportunity(seller, { accountId: id, name: 'W', amount: 7.5, currency: 'EUR', stage: 'CLOSED_WON' })
  })

  it('has the stages in order, each with its totals by currency and its first opportunities', async () => {
    const { body } = await seller.graphql(
      `{ opportunityBoard(perStage: 2) { pipelineName columns {
        stage { name label } count totals { currency count amount expectedRevenue } nextCursor
        opportunities { name account { name } owner { id } }
      } } }`,
    )
    expect(body.errors).toBeUndefined()
    const { columns, pipelineName } = body.data.opportunityBoard
    expect([
      pipelineName,
      columns.map(({ stage, count }: { stage: { name: string }; count: number }) => `${stage.name} ${count}`),
    ]).toEqual([
      'Sales',
      [
        'PROSPECTING 5',
        'QUALIFICATION 0',
        'NEEDS_ANALYSIS 0',
        'PROPOSAL 0',
        'NEGOTIATION 0',
        'CLOSED_WON 1',
        'CLOSED_LOST 0',
      ],
    ])
    expect(columns[0]).toMatchObject({
      stage: { label: 'Prospecting' },
      totals: [
        { currency: 'EUR', count: 3, amount: 6, expectedRevenue: 0.6 },
        { currency: 'JPY', count: 2, amount: 9, expectedRevenue: 0.9 },
      ],
      opportunities: [
        { name: 'P5', account: { name: 'Board Yard' }, owner: { id: seller.userId } },
        { name: 'P4', account: { name: 'Board Yard' }, owner: { id: seller.userId } },
      ],
    })
    expect(columns[5].nextCursor).toBeNull()
  })

  it('names the paths of the filter of the caller in refusals', async () => {
    const board = (filter: object) =>
      seller.graphql('query($filter: OpportunityFilter) { opportunityBoard(filter: $filter) { pipelineName } }', {
        filter,
      })
    const pathsOf = async (filter: object) =>
      (await board(filter)).body.errors[0].extensions.errors.map(({ path }: { path: string }) => path)
    expect(await pathsOf({ id: { eq: 'x' } })).toEqual(['filter.id.eq'])
    expect(await pathsOf({ and: [{ name: { eq: 'a' } }, { id: { eq: 'x' } }] })).toEqual(['filter.and.1.id.eq'])
  })

  it('has sums in the base currency: open ones at the rates of today, closed ones at those of the close date', async () => {
    const owner = await platform.member({ organizationId: await platform.organization('Rates'), role: 'OWNER' })
    const { id } = await account(owner)
    const headers = { Authorization: `Bearer ${await sessionOf(platform, owner)}` }
    const administration = restClient(platform.contract, platform.url, headers)
    const rate = (date: string, value: number) =>
      administration.exchangeRateSet!({ body: { currency: 'EUR', date, rate: value } })
    await rate('2027-01-01', 1.1)
    const deal = await opportunity(owner, { accountId: id, amount: 100.05, currency: 'EUR', closeDate: '2027-01-15' })
    expect(deal).toMatchObject({ baseAmount: 110.06, exchangeRate: 1.1 })
    expect(await opportunity(owner, { accountId: id, amount: 5, currency: 'JPY' })).toMatchObject({
      baseAmount: null,
      exchangeRate: null,
    })
    expect(await opportunity(owner, { accountId: id, amount: 5 })).toMatchObject({ currency: 'USD', baseAmount: 5 })
    await rate('2027-02-01', 1.2)
    const sums = async () => {
      const { body } = await owner.rest.opportunityBoard!()
      return body.columns.map((column: { baseAmount: number }) => column.baseAmount)
    }
    expect(await sums()).toEqual([125.06, 0, 0, 0, 0, 0, 0])
    const won = await owner.rest.opportunityUpdate!({ id: deal.id, body: { stage: 'CLOSED_WON' } })
    expect(won.body).toMatchObject({ baseAmount: 110.06, exchangeRate: 1.1 })
    expect(await sums()).toEqual([5, 0, 0, 0, 0, 110.06, 0])
    const reopened = await owner.rest.opportunityUpdate!({ id: deal.id, body: { stage: 'PROPOSAL' } })
    expect(reopened.body).toMatchObject({ baseAmount: 120.06, exchangeRate: 1.2 })
  })

  it('is continued by the list with its cursor', async () => {
    const { body } = await seller.rest.opportunityBoard!({ query: { perStage: '2' } })
    const [{ nextCursor, stage }] = body.columns
    const query = { cursor: nextCursor, pipelineId: body.pipelineId, stage: stage.name }
    const rest = await seller.rest.opportunityList!({ query })
    expect(rest.body.data.map(({ name }: { name: string }) => name)).toEqual(['P3', 'P2', 'P1'])
    expect((await seller.rest.opportunityBoard_deals!({ query: { perStage: '2' } })).body).toEqual(body)
  })

  it('counts and shows only what matches the filter and what the caller sees', async () => {
    const board = async (who: Member) => {
      const { body } = await who.graphql(
        `{ opportunityBoard(filter: { amount: { gte: 3 }, account: { name: { eq: "Board Yard" } } }) { columns { count opportunities { name } } } }`,
      )
      const [{ count, opportunities }] = body.data.opportunityBoard.columns
      return [count, opportunities.map(({ name }: { name: string }) => name)]
    }
    expect(await board(seller)).toEqual([3, ['P5', 'P4', 'P3']])
    const { organizationId } = seller
    expect(await board(await platform.member({ organizationId, visibility: 'OWN' }))).toEqual([0, []])
  })

  it('sorts the opportunities of each stage, and nextCursor continues in this order', async () => {
    const { body } = await seller.graphql(
      `{ opportunityBoard(perStage: 2, orderBy: [{ field: amount, direction: ASC }]) { columns { nextCursor opportunities { name } } } }`,
    )
    const [{ nextCursor, opportunities }] = body.data.opportunityBoard.columns
    expect(opportunities).toEqual([{ name: 'P1' }, { name: 'P2' }])
    const query = { stage: 'PROSPECTING', sortBy: 'amount', sortOrder: 'asc', limit: '2', cursor: nextCursor as string }
    const rest = (await seller.rest.opportunityList!({ query })).body as { data: { name: string }[] }
    expect(rest.data.map(({ name }) => name)).toEqual(['P3', 'P4'])
    const board = await seller.rest.opportunityBoard!({ query: { perStage: '1', sortBy: 'amount', sortOrder: 'desc' } })
    const [first] = (board.body as { columns: { opportunities: { name: string }[] }[] }).columns
    expect(first!.opportunities.map(({ name }) => name)).toEqual(['P5'])
  })

  it('says how long each opportunity is in its stage, and which are rotten', async () => {
    const read = async () => {
      const { body } = await seller.graphql(
        `{ opportunityBoard(perStage: 1) { columns { stage { rottenAfterDays } rottenBefore opportunities { daysInStage isRotten } } } }`,
      )
      expect(body.errors).toBeUndefined()
      const { columns } = body.data.opportunityBoard
      return [columns[0], columns[5]]
    }
    const [, won] = await read()
    expect(won).toMatchObject({ rottenBefore: null, opportunities: [{ daysInStage: null, isRotten: false }] })
    const entered = platform.now
    const [{ stage }] = await read()
    const dayMs = 86_400_000
    try {
      platform.now = new Date(entered.getTime() + stage.rottenAfterDays * dayMs)
      const opportunities = [{ daysInStage: stage.rottenAfterDays, isRotten: false }]
      expect((await read())[0]).toMatchObject({ rottenBefore: entered.toISOString(), opportunities })
      platform.now = new Date(platform.now.getTime() + 1)
      expect((await read())[0]).toMatchObject({ opportunities: [{ isRotten: true }] })
    } finally {
      platform.now = entered
    }
  })

  it('cannot be sorted by a field that the profile hides', async () => {
    const { organizationId } = seller
    const agent = await platform.member({ organizationId })
    const ctx = systemContext(platform.services, organizationId)
    const hidden = { opportunity: { closedAt: 'HIDDEN' } }
    const profile = await createProfile(ctx, { name: 'No closing dates', fields: hidden })
    await assignProfile(ctx, agent.userId, profile.id)
    const board = () => agent.rest.opportunityBoard!({ query: { sortBy: 'closedAt' } })
    expect(await refused(platform, board)).toEqual([403, 'FIELD_NOT_READABLE'])
  })

  it('refuses an unknown pipeline with 404 and a page size out of range with 400', async () => {
    const board = (query: Record<string, string>) => () => seller.rest.opportunityBoard!({ query })
    expect(await refused(platform, board({ pipelineId: accountId }))).toEqual([404, 'NOT_FOUND'])
    expect(await refusedInputs(platform, board({ perStage: '101' }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'perStage OUT_OF_RANGE',
    ])
  })
})

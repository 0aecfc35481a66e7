import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, anAccount, each } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs, unchanged, values } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let stranger: Member

beforeAll(async () => {
  member = await platform.member()
  stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
})
afterAll(() => expectValidEvents(platform))

const everyField = {
  name: 'Halvorsen Marine AS',
  type: 'CUSTOMER',
  industry: 'Maritime',
  website: 'https://halvorsen-marine.example',
  domain: 'halvorsen-marine.example',
  phone: '+46 8 465 004 12',
  fax: '+46 8 465 004 13',
  description: 'Operates nine coastal ferries.',
  legacyCrmId: '0015f00001',
  externalId: 'erp-7',
  numberOfEmployees: 420,
  annualRevenue: 61_500_000.25,
  billingStreet: 'Skeppsbron 14',
  billingCity: 'Gothenburg',
  billingState: 'VG',
  billingPostalCode: '411 21',
  billingCountry: 'Sweden',
  shippingStreet: 'Kaj 3',
  shippingCity: 'Malmö',
  shippingState: 'M',
  shippingPostalCode: '211 20',
  shippingCountry: 'Sweden',
  accountStatus: 'PENDING',
  rating: 'HOT',
  healthScore: 82.5,
  lifetimeValue: 318_400,
  churnRisk: 'LOW',
  painPoints: ['Paper checklists'],
  techStack: ['SAP', 'Azure'],
  competitors: ['Coastline'],
  isStrategic: true,
  tier: 'Gold',
  region: 'Nordics',
  tags: ['reference', 'ferry'],
  lastActivityDate: '2027-01-15T08:00:00.000Z',
  nextActivityDate: '2027-03-15T08:00:00.000Z',
  metadata: { source: { row: 3 }, flags: [1, null, 'x'] },
  customFields: { renewalMonth: 'March', seats: 40 },
}

describe('accountCreate', () => {
  it('returns the whole account and emits one event', async () => {
    const { status, body, headers } = await member.rest.accountCreate!({
      body: anAccount({ industry: 'Wholesale', techStack: ['SAP'] }),
    })

    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organizationId: member.organizationId,
      ownerId: member.userId,
      externalId: null,
      tags: [],
      metadata: null,
      customFields: {},
      version: 1,
      createdAt: platform.now.toISOString(),
      updatedAt: platform.now.toISOString(),
      createdById: member.userId,
      updatedById: member.userId,
      deletedAt: null,
      name: 'Northwind Traders',
      type: null,
      industry: 'Wholesale',
      website: null,
      domain: null,
      phone: null,
      fax: null,
      description: null,
      parentAccountId: null,
      legacyCrmId: null,
      numberOfEmployees: null,
      annualRevenue: null,
      billingStreet: null,
      billingCity: null,
      billingState: null,
      billingPostalCode: null,
      billingCountry: null,
      shippingStreet: null,
      shippingCity: null,
      shippingState: null,
      shippingPostalCode: null,
      shippingCountry: null,
      accountStatus: 'ACTIVE',
      rating: null,
      healthScore: null,
      lifetimeValue: null,
      churnRisk: null,
      painPoints: [],
      techStack: ['SAP'],
      competitors: [],
      isStrategic: false,
      tier: null,
      region: null,
      lastActivityDate: null,
      nextActivityDate: null,
    })
    expect(headers.get('etag')).toBe('"1"')
    expect(headers.get('location')).toBe(`/v1/accounts/${body.id}`)
    expect(await platform.eventTypesOf(body.id)).toEqual(['account.created'])
    expect((await member.rest.account!({ id: body.id })).body).toEqual(body)
  })

  it('stores every field unchanged', async () => {
    const parent = await account(member)
    const body = await account(member, {
      ...everyField,
      parentAccountId: parent.id.toUpperCase(),
      ownerId: member.userId,
    })

    expect(body).toMatchObject({ ...everyField, parentAccountId: parent.id })
    expect((await member.rest.account!({ id: body.id })).body).toEqual(body)
    const [event] = await platform.eventsOf(body.id)
    expect(event!.data).toEqual({
      object: 'account',
      id: body.id,
      record: body,
      previous: null,
      changedFields: null,
      actorId: member.userId,
    })
  })

  it('omits custom fields without a value', async () => {
    const { id, customFields } = await account(member, { customFields: { tier: 'gold', seats: null } })
    expect(customFields).toEqual({ tier: 'gold' })
    expect((await member.rest.account!({ id })).body.customFields).toEqual({ tier: 'gold' })
  })

  it('accepts an id from the caller, once per organization', async () => {
    const id = newId()
    expect((await account(member, { id: id.toUpperCase() })).id).toBe(id)
    const { status, body } = await unchanged(platform, () => member.rest.accountCreate!({ body: anAccount({ id }) }))
    expect([status, body.code, body.errors]).toEqual([
      409,
      'UNIQUE_VIOLATION',
      [{ path: 'id', code: 'NOT_UNIQUE', message: 'Another account already has this id.', conflictingId: id }],
    ])
    expect((await account(stranger, { id })).organizationId).toBe(stranger.organizationId)
  })

  it.each(['organizationId', 'version', 'updatedAt', 'createdById', 'updatedById', 'deletedAt', 'nothing'])(
    'refuses %s with 400, because it cannot be set',
    async (name) => {
      const value = name === 'version' ? 1 : member.organizationId
      expect(
        await refusedInputs(platform, () => member.rest.accountCreate!({ body: anAccount({ [name]: value }) })),
      ).toEqual([400, 'UNKNOWN_FIELD', `${name} UNKNOWN_FIELD`])
    },
  )

  it.each<[string, () => Promise<Record<string, unknown>>]>([
    ['a parent of another organization', async () => ({ parentAccountId: (await account(stranger)).id })],
    ['a parent that does not exist', async () => ({ parentAccountId: newId() })],
    ['a parent that is a user', async () => ({ parentAccountId: member.userId })],
    ['a deleted parent', async () => ({ parentAccountId: await deletedAccount() })],
    ['an owner of another organization', async () => ({ ownerId: stranger.userId })],
    ['an owner that does not exist', async () => ({ ownerId: newId() })],
  ])('refuses %s with 400', async (_, values) => {
    const given = await values()
    expect(await refusedInputs(platform, () => member.rest.accountCreate!({ body: anAccount(given) }))).toEqual([
      400,
      'VALIDATION_FAILED',
      `${Object.keys(given)[0]} UNKNOWN_REFERENCE`,
    ])
  })
})

async function deletedAccount(): Promise<string> {
  const { id } = await account(member)
  expect((await member.rest.accountDelete!({ id })).status).toBe(204)
  return id
}

describe('account', () => {
  it.each<[string, () => Promise<string>]>([
    ['that is not an id', async () => 'nothing'],
    ['that does not exist', async () => newId()],
    ['of a deleted account', () => deletedAccount()],
    ['of another organization', async () => (await account(stranger)).id],
  ])('answers 404 for an id %s', async (_, id) => {
    const answer = await member.rest.account!({ id: await id() })
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND'])
  })
})

describe('accountList', () => {
  let reader: Member
  let ids: Record<string, string>

  beforeAll(async () => {
    platform.now = new Date('2027-03-01T09:00:00.000Z')
    reader = await platform.member({ organizationId: await platform.organization('Lists') })
    const second = await platform.member({ organizationId: reader.organizationId })
    const [parent] = await each(
      [
        {
          name: 'Alder',
          type: 'CUSTOMER',
          industry: 'Retail',
          externalId: 'ext,1',
          customFields: { tier: 'gold', seats: 5 },
        },
        { name: 'Birch 100%', type: 'PARTNER', rating: 'HOT', churnRisk: 'HIGH', billingCity: 'Oslo' },
        { name: 'cedar_tree', accountStatus: 'CHURNED', customFields: { tier: 'silver' } },
        { name: 'Dogwood', domain: 'dogwood.example', ownerId: second.userId, type: 'CUSTOMER' },
      ],
      async (body) => {
        platform.advanceClock(1000)
        return account(reader, body)
      },
    )
    await account(reader, {
      name: 'Elm',
      parentAccountId: parent!.id,
      website: 'https://elm.example',
      customFields: { tier: 'gold', seats: 6 },
    })
    const { body } = await reader.rest.accountList!()
    ids = Object.fromEntries(body.data.map(({ name, id }: { name: string; id: string }) => [name, id]))
    ids.second = second.userId
  })

  it('returns the newest first in the envelope of the specification', async () => {
    const { status, body } = await reader.rest.accountList!()
    expect(status).toBe(200)
    expect({ ...body, data: body.data.map(({ name }: { name: string }) => name) }).toEqual({
      data: ['Elm', 'Dogwood', 'cedar_tree', 'Birch 100%', 'Alder'],
      page: 1,
      limit: 20,
      total: 5,
      totalPages: 1,
      hasMore: false,
      nextCursor: null,
    })
    expect(body.data[0]).toEqual((await reader.rest.account!({ id: ids.Elm })).body)
  })

  it.each([
    { page: 1, limit: 2, names: ['Elm', 'Dogwood'], hasMore: true },
    { page: 2, limit: 2, names: ['cedar_tree', 'Birch 100%'], hasMore: true },
    { page: 3, limit: 2, names: ['Alder'], hasMore: false },
    { page: 4, limit: 2, names: [], hasMore: false },
    { page: 100_000, limit: 2, names: [], hasMore: false },
  ])('answers page $page of $limit', async ({ page, limit, names, hasMore }) => {
    const answer = await reader.rest.accountList!({ query: { page, limit } })
    expect(values(answer, 'name')).toEqual(names)
    expect(answer.body).toMatchObject({ page, limit, total: 5, totalPages: 3, hasMore })
  })

  it.each<[query: string, names: string[]]>([
    ['type=CUSTOMER', ['Dogwood', 'Alder']],
    ['type=CUSTOMER,PARTNER', ['Dogwood', 'Birch 100%', 'Alder']],
    ['type=PARTNER,CUSTOMER&accountStatus=ACTIVE,PENDING&rating=HOT', ['Birch 100%']],
    ['domain=dogwood.example', ['Dogwood']],
    ['domain=dogwood', []],
    ['externalId=ext,1', ['Alder']],
    ['externalId=ext', []],
    ['industry=Retail', ['Alder']],
    ['industry=retail', []],
    ['parentAccountId=:Alder', ['Elm']],
    ['owner=:second', ['Dogwood']],
    ['accountStatus=CHURNED', ['cedar_tree']],
    ['rating=HOT', ['Birch 100%']],
    ['churnRisk=HIGH', ['Birch 100%']],
    ['createdAfter=2027-03-01T09:00:03.000Z', ['Elm', 'Dogwood']],
    ['createdAfter=2027-03-01T11:00:03.000%2B02:00', ['Elm', 'Dogwood']],
    ['createdAfter=2027-03-02', []],
    ['updatedAfter=2027-03-01T09:00:03.999Z', ['Elm', 'Dogwood']],
    ['ids=:Alder,:Elm', ['Elm', 'Alder']],
    ['ids=:Alder&ids=:Elm', ['Elm', 'Alder']],
    ['ids=:second', []],
    ['customFields={"tier":"gold"}', ['Elm', 'Alder']],
    ['customFields={"tier":"gold","seats":5}', ['Alder']],
    ['customFields[tier]=silver', ['cedar_tree']],
    ['customFields={"tier":null}', ['Dogwood', 'Birch 100%']],
    ['customFields={"tier":"gold","seats":null}', []],
    ['customFields={"tier":"silver","seats":null}', ['cedar_tree']],
    ['customFields[tier]=gold&customFields[seats]=5', []],
    ['search=CEDAR', ['cedar_tree']],
    ['search=%25', ['Birch 100%']],
    ['search=_', ['cedar_tree']],
    ['search=0%25', ['Birch 100%']],
    ['search=\\', []],
    ['search=oslo', ['Birch 100%']],
    ['search=example', ['Elm', 'Dogwood']],
    ['search=retail', ['Alder']],
    ['search=', ['Elm', 'Dogwood', 'cedar_tree', 'Birch 100%', 'Alder']],
    ['type=CUSTOMER&search=DOG&customFields={}', ['Dogwood']],
    ['sortBy=name&sortOrder=asc', ['Alder', 'Birch 100%', 'Dogwood', 'Elm', 'cedar_tree']],
    ['sortBy=name', ['cedar_tree', 'Elm', 'Dogwood', 'Birch 100%', 'Alder']],
    ['sortBy=rating&sortOrder=ASC&limit=1', ['Birch 100%']],
    ['sortOrder=asc&limit=1', ['Alder']],
  ])('answers ?%s', async (template, names) => {
    const query = template.replaceAll(/:([A-Za-z]+)/g, (text, name: string) => ids[name] ?? text)
    const answer = await reader.rest.accountList!({ query })
    expect(values(answer, 'name')).toEqual(names)
    if (!template.includes('limit')) expect(answer.body.total).toBe(names.length)
  })

  it.each(['a', '😀', '\u0001'])('continues after the longest value of a column, all %j', async (character) => {
    const own = await platform.member({ organizationId: await platform.organization('Long') })
    const industry = character.repeat(100)
    const made = await each(['one', 'two'], (name) => account(own, { name, industry }))
    const query = { sortBy: 'industry', sortOrder: 'asc', limit: 1 }
    const { body: first } = await own.rest.accountList!({ query })
    const { status, body: second } = await own.rest.accountList!({ query: { ...query, cursor: first.nextCursor } })
    expect([status, first.data[0].id, second.data?.[0].id]).toEqual([200, made[0].id, made[1].id])
  })

  it('omits custom fields and totals on request', async () => {
    const { body } = await reader.rest.accountList!({
      query: { withCustomFields: false, includeTotal: false, limit: 2 },
    })
    expect(Object.keys(body).sort()).toEqual(['data', 'hasMore', 'limit', 'nextCursor', 'page'])
    expect(body.data.map((record: object) => 'customFields' in record)).toEqual([false, false])
  })

  it('filters by owner under both names, and refuses both at once', async () => {
    const owners = { owner: reader.userId, ownerId: reader.userId }
    const [first, second] = await Promise.all(
      Object.entries(owners).map(([name, id]) => reader.rest.accountList!({ query: { [name]: id } })),
    )
    expect(second!.body).toEqual(first!.body)
    const nobody = await reader.rest.accountList!({ query: { ownerId: '0199d1a0-0000-7000-8000-0000000000ff' } })
    expect(nobody.body.total).toBe(0)
    const both = await reader.rest.accountList!({ query: owners })
    expect([both.status, both.body.errors]).toEqual([
      400,
      [{ path: 'ownerId', code: 'REPEATED', message: 'ownerId must be given only once.' }],
    ])
  })

  it('refuses a misspelt filter with the nearest name', async () => {
    const { status, body } = await reader.rest.accountList!({ query: 'externalID=1' })
    expect([status, body.code, body.detail]).toEqual([
      400,
      'UNKNOWN_FIELD',
      'externalID is not a parameter of this operation; did you mean externalId?',
    ])
  })

  it.each([
    ['limit=101', 'limit'],
    ['limit=0', 'limit'],
    ['page=0', 'page'],
    ['page=100001', 'page'],
    ['page=1000000000', 'page'],
    ['sortBy=secret', 'sortBy'],
    ['sortOrder=up', 'sortOrder'],
    ['type=customer', 'type.0'],
    ['ids=1', 'ids.0'],
    ['ids=', 'ids'],
    ['owner=me', 'owner'],
    ['createdAfter=2027-02-30', 'createdAfter'],
    ['customFields=gold', 'customFields'],
    ['cursor=bm90IGEgY3Vyc29y', 'cursor'],
    [`search=${'x'.repeat(201)}`, 'search'],
  ])('refuses ?%s with 400', async (query, path) => {
    const { status, body } = await reader.rest.accountList!({ query })
    expect([status, body.code, body.errors[0].path]).toEqual([400, 'VALIDATION_FAILED', path])
  })

  it('accepts 100 ids and a search of 200 characters, and refuses 101 ids', async () => {
    const some = Array.from({ length: 100 }, newId)
    expect((await reader.rest.accountList!({ query: { ids: some.join(',') } })).body.total).toBe(0)
    expect((await reader.rest.accountList!({ query: { search: '😀'.repeat(200) } })).body.total).toBe(0)
    expect((await reader.rest.accountList!({ query: { ids: [...some, newId()].join(',') } })).status).toBe(400)
  })
})

describe('accountStats', () => {
  it('counts the live accounts that the caller sees', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Figures') })
    expect((await own.rest.accountStats!()).body).toEqual({
      total: 0,
      byType: { PROSPECT: 0, CUSTOMER: 0, PARTNER: 0, RESELLER: 0, COMPETITOR: 0, OTHER: 0 },
      byStatus: { ACTIVE: 0, INACTIVE: 0, PENDING: 0, CHURNED: 0 },
      byRating: { HOT: 0, WARM: 0, COLD: 0 },
      byChurnRisk: { HIGH: 0, MEDIUM: 0, LOW: 0, NONE: 0 },
      byIndustry: {},
      otherIndustries: 0,
      strategic: 0,
      totalAnnualRevenue: 0,
      averageHealthScore: null,
    })
    const all = await each(
      [
        {
          type: 'CUSTOMER',
          industry: 'Retail',
          rating: 'HOT',
          churnRisk: 'LOW',
          annualRevenue: 100.25,
          healthScore: 50,
          isStrategic: true,
        },
        { type: 'CUSTOMER', industry: 'Retail', rating: 'COLD', annualRevenue: 200.5, healthScore: 75 },
        { type: 'PARTNER', industry: '__proto__', accountStatus: 'CHURNED', churnRisk: 'LOW', healthScore: 75 },
        {},
        { type: 'OTHER', annualRevenue: 1e9, isStrategic: true },
      ],
      (body) => account(own, body),
    )
    await own.rest.accountDelete!({ id: all[4].id })
    expect((await own.rest.accountStats!()).body).toEqual({
      total: 4,
      byType: { PROSPECT: 0, CUSTOMER: 2, PARTNER: 1, RESELLER: 0, COMPETITOR: 0, OTHER: 0 },
      byStatus: { ACTIVE: 3, INACTIVE: 0, PENDING: 0, CHURNED: 1 },
      byRating: { HOT: 1, WARM: 0, COLD: 1 },
      byChurnRisk: { HIGH: 0, MEDIUM: 0, LOW: 2, NONE: 0 },
      byIndustry: JSON.parse('{"Retail": 2, "__proto__": 1}'),
      otherIndustries: 0,
      strategic: 1,
      totalAnnualRevenue: 300.75,
      averageHealthScore: 66.67,
    })
  })
})

describe('accountUpdate', () => {
  it('changes the named fields, and the event has the previous values', async () => {
    const before = await account(member, { industry: 'Retail', tags: ['a'], rating: 'HOT' })
    platform.advanceClock(60_000)
    const second = await platform.member()
    const { status, body, headers } = await second.rest.accountUpdate!({
      id: before.id,
      body: { name: 'Renamed', tags: ['b', 'c'], rating: null },
    })

    const after = {
      ...before,
      name: 'Renamed',
      tags: ['b', 'c'],
      rating: null,
      version: 2,
      updatedAt: platform.now.toISOString(),
      updatedById: second.userId,
    }
    expect([status, body, headers.get('etag')]).toEqual([200, after, '"2"'])
    expect((await member.rest.account!({ id: before.id })).body).toEqual(after)
    const [, event] = await platform.eventsOf(before.id)
    expect(event).toMatchObject({ type: 'account.updated', actorId: second.userId })
    expect(event!.data).toEqual({
      object: 'account',
      id: before.id,
      record: after,
      previous: before,
      changedFields: ['tags', 'name', 'rating'],
      actorId: second.userId,
    })
  })

  it('merges custom fields; null clears one', async () => {
    const { id } = await account(member, { customFields: { tier: 'gold', seats: 5, region: { code: 'N' } } })
    const { body } = await member.rest.accountUpdate!({
      id,
      body: { customFields: { seats: null, tier: 'silver', added: [1] } },
    })
    expect(body.customFields).toEqual({ tier: 'silver', region: { code: 'N' }, added: [1] })
  })

  it.each<[string, object]>([
    ['names no field', {}],
    ['repeats the stored values', { name: 'Northwind Traders', tags: [], rating: null, annualRevenue: 10.5 }],
    ['writes the same JSON in another order', { metadata: { b: { d: 2, c: 1 }, a: [1] } }],
    ['writes the same time with another offset', { lastActivityDate: '2027-01-15T10:00:00+02:00' }],
    ['clears custom fields that do not exist', { customFields: { nothing: null } }],
  ])('is no change and no event when it %s', async (_, body) => {
    const created = await account(member, {
      metadata: { a: [1], b: { c: 1, d: 2 } },
      lastActivityDate: '2027-01-15T08:00:00Z',
      annualRevenue: 10.5,
    })
    const answer = await unchanged(platform, () => member.rest.accountUpdate!({ id: created.id, body }))
    expect([answer.status, answer.body.version]).toEqual([200, 1])
  })

  it('treats the id of the current owner in upper case as no change', async () => {
    const { id } = await account(member)
    const { body } = await unchanged(platform, () =>
      member.rest.accountUpdate!({ id, body: { ownerId: member.userId.toUpperCase() } }),
    )
    expect(body.version).toBe(1)
  })

  it.each(['"1"', 'W/"1"', '*', undefined])('accepts If-Match: %s while the version is 1', async (version) => {
    const { id } = await account(member)
    const headers: Record<string, string> = version === undefined ? {} : { 'If-Match': version }
    expect((await member.rest.accountUpdate!({ id, body: { name: 'Renamed' }, headers })).body.version).toBe(2)
  })

  it('refuses another version with 409 and changes nothing', async () => {
    const { id } = await account(member)
    await member.rest.accountUpdate!({ id, body: { name: 'Renamed' } })
    const stale = { id, headers: { 'If-Match': '"1"' } }
    const { status, body } = await unchanged(platform, () =>
      member.rest.accountUpdate!({ ...stale, body: { name: 'Again' } }),
    )
    expect([status, body.code, body.currentVersion]).toEqual([409, 'VERSION_CONFLICT', 2])
    expect(await refused(platform, () => member.rest.accountDelete!(stale))).toEqual([409, 'VERSION_CONFLICT'])
  })

  it.each([
    'id',
    'organizationId',
    'version',
    'createdAt',
    'updatedAt',
    'createdById',
    'updatedById',
    'deletedAt',
    '__proto__x',
  ])('refuses %s with 400', async (name) => {
    const { id } = await account(member)
    expect(
      await refusedInputs(platform, () => member.rest.accountUpdate!({ id, body: { [name]: 'other', name: 'X' } })),
    ).toEqual(
      name === '__proto__x'
        ? [400, 'UNKNOWN_FIELD', `${name} UNKNOWN_FIELD`]
        : [400, 'VALIDATION_FAILED', `${name} READ_ONLY`],
    )
  })

  it.each([
    [{ name: null }, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ accountStatus: null }, 'accountStatus'],
    [{ healthScore: 100.1 }, 'healthScore'],
    [{ numberOfEmployees: 1.5 }, 'numberOfEmployees'],
    [{ tags: null }, 'tags'],
    [{ customFields: null }, 'customFields'],
  ])('refuses %j with 400', async (body, path) => {
    const { id } = await account(member)
    const answer = await unchanged(platform, () => member.rest.accountUpdate!({ id, body }))
    expect([answer.status, answer.body.code, answer.body.errors[0].path]).toEqual([400, 'VALIDATION_FAILED', path])
  })

  it('refuses to make an account its own ancestor', async () => {
    const top = await account(member)
    const middle = await account(member, { parentAccountId: top.id })
    const bottom = await account(member, { parentAccountId: middle.id })
    for (const parentAccountId of [top.id, middle.id, bottom.id, bottom.id.toUpperCase()]) {
      expect(
        await refusedInputs(platform, () => member.rest.accountUpdate!({ id: top.id, body: { parentAccountId } })),
      ).toEqual([400, 'VALIDATION_FAILED', 'parentAccountId CIRCULAR'])
    }
    expect((await member.rest.accountUpdate!({ id: bottom.id, body: { parentAccountId: top.id } })).status).toBe(200)
  })
})

describe('accountDelete', () => {
  it('removes the account from every list and emits one event', async () => {
    const { id } = await account(member, { name: 'Gone soon' })
    const { status, body } = await member.rest.accountDelete!({ id, headers: { 'If-Match': '"1"' } })

    expect([status, body]).toEqual([204, null])
    expect((await member.rest.accountList!({ query: { search: 'Gone soon' } })).body.total).toBe(0)
    const [, event] = await platform.eventsOf(id)
    expect(event).toMatchObject({
      type: 'account.deleted',
      data: { previous: null, changedFields: null, record: { id, version: 2, deletedAt: platform.now.toISOString() } },
    })
    expect(await refused(platform, () => member.rest.accountDelete!({ id }))).toEqual([404, 'NOT_FOUND'])
    expect(await refused(platform, () => member.rest.accountUpdate!({ id, body: { name: 'X' } }))).toEqual([
      404,
      'NOT_FOUND',
    ])
  })
})

describe('accountListDeleted', () => {
  it('returns an array, most recently deleted first, in pages', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Deleted') })
    const all = await each(['A', 'B', 'C', 'D'], (name) => account(own, { name }))
    for (const index of [2, 0, 1]) {
      platform.advanceClock(1000)
      await own.rest.accountDelete!({ id: all[index].id })
    }
    const names = async (query: object) =>
      (await own.rest.accountListDeleted!({ query: query as never })).body.map(({ name }: { name: string }) => name)
    expect(await names({})).toEqual(['B', 'A', 'C'])
    expect(await names({ limit: 2 })).toEqual(['B', 'A'])
    expect(await names({ limit: 2, page: 2 })).toEqual(['C'])
    expect((await own.rest.accountListDeleted!({ query: { limit: 101 } })).status).toBe(400)
    expect((await stranger.rest.accountListDeleted!()).body).toEqual([])
  })

  it('with deletedAfter returns those that were deleted after the time only, in REST and GraphQL', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Deleted after') })
    const times: string[] = []
    for (const { id } of await each(['A', 'B', 'C'], (name) => account(own, { name }))) {
      platform.advanceClock(1000)
      times.push(platform.now.toISOString())
      await own.rest.accountDelete!({ id })
    }
    const document =
      'query ($deletedAfter: DateTime) { accountListDeleted(deletedAfter: $deletedAfter, limit: 5) { name } }'
    const names = async (deletedAfter: string) => {
      const { body } = await own.rest.accountListDeleted!({ query: { deletedAfter } as never })
      const { body: graph } = await own.graphql(document, { deletedAfter })
      expect(graph.data.accountListDeleted).toEqual(body.map(({ name }: { name: string }) => ({ name })))
      return body.map(({ name }: { name: string }) => name)
    }
    expect(await names('1970-01-01T00:00:00Z')).toEqual(['C', 'B', 'A'])
    expect(await names(times[0]!)).toEqual(['C', 'B'])
    expect(await names(times[2]!)).toEqual([])
    const { status, body } = await own.rest.accountListDeleted!({ query: { deletedAfter: 'yesterday' } as never })
    expect([status, body.errors[0].path]).toEqual([400, 'deletedAfter'])
    expect((await stranger.rest.accountListDeleted!({ query: { deletedAfter: times[0] } as never })).body).toEqual([])
  })
})

describe('accountRestore', () => {
  it('restores the account unchanged', async () => {
    const before = await account(member, { name: 'Back again', customFields: { tier: 'gold' } })
    await member.rest.accountDelete!({ id: before.id })
    platform.advanceClock(1000)
    const { status, body, headers } = await member.rest.accountRestore!({ id: before.id })

    expect([status, headers.get('etag')]).toEqual([200, '"3"'])
    expect(body).toEqual({ ...before, version: 3, updatedAt: platform.now.toISOString() })
    expect((await member.rest.account!({ id: before.id })).body).toEqual(body)
    expect(await platform.eventTypesOf(before.id)).toEqual(['account.created', 'account.deleted', 'account.restored'])
  })

  it('refuses a live account with 409 and an unknown one with 404', async () => {
    const { id } = await account(member)
    expect(await refused(platform, () => member.rest.accountRestore!({ id }))).toEqual([409, 'INVALID_STATE'])
    expect(await refused(platform, () => member.rest.accountRestore!({ id: newId() }))).toEqual([404, 'NOT_FOUND'])
    const foreign = await account(stranger)
    expect(await refused(platform, () => member.rest.accountRestore!({ id: foreign.id }))).toEqual([404, 'NOT_FOUND'])
  })
})

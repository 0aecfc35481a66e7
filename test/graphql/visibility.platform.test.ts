import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { updateUser } from '../../subgraphs/identity/public.ts'
import { account, product, supportCase } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs, values } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import type { Answer } from '../rest-client.ts'

const platform = usePlatform()

// User "own" sees its own records, "team" also those of its colleague, "all" those of every user. Each user owns an account with
// the
// name of the user; the account of the colleague is the parent of the others. Each account has a case with the name of its owner.
let own: Member
let team: Member
let colleague: Member
let all: Member
let readOnly: Member
let stranger: Member
const accounts: Record<string, { id: string }> = {}
const cases: Record<string, { id: string }> = {}

beforeAll(async () => {
  const organizationId = await platform.organization()
  own = await platform.member({ organizationId, visibility: 'OWN' })
  team = await platform.member({ organizationId, visibility: 'TEAM' })
  colleague = await platform.member({ organizationId, visibility: 'OWN' })
  all = await platform.member({ organizationId, role: 'MANAGER' })
  readOnly = await platform.member({ organizationId, role: 'READ_ONLY' })
  stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
  await platform.team(organizationId, [team.userId, colleague.userId])
  for (const [name, member] of Object.entries({ colleague, own, team, all })) {
    const parentAccountId = accounts.colleague?.id ?? null
    accounts[name] = await account(all, { name, ownerId: member.userId, parentAccountId, annualRevenue: 100 })
    cases[name] = await supportCase(all, { subject: name, ownerId: member.userId, accountId: accounts[name]!.id })
    platform.advanceClock(1000)
  }
})
afterAll(() => expectValidEvents(platform))

const viewers: [string, () => Member, string[]][] = [
  ['OWN', () => own, ['own']],
  ['TEAM', () => team, ['team', 'colleague']],
  ['ALL', () => all, ['all', 'team', 'own', 'colleague']],
  ['READ_ONLY with ALL', () => readOnly, ['all', 'team', 'own', 'colleague']],
  ['another organization', () => stranger, []],
]

describe.each(viewers)('a user (%s) sees', (_, memberOf, seen) => {
  const everybody = ['colleague', 'own', 'team', 'all']

  it('only visible records by id', async () => {
    for (const name of everybody) {
      const found = seen.includes(name) ? 200 : 404
      expect((await memberOf().rest.account!({ id: accounts[name]!.id })).status).toBe(found)
      expect((await memberOf().rest.case!({ id: cases[name]!.id })).status).toBe(found)
      expect((await memberOf().rest.caseCommentList!({ id: cases[name]!.id })).status).toBe(found)
    }
  })

  it('only visible records in lists, totals and searches', async () => {
    const { rest } = memberOf()
    for (const [list, name] of [
      [rest.accountList!, 'name'],
      [rest.caseList!, 'subject'],
    ] as const) {
      const whole = await list()
      expect([values(whole, name), whole.body.total]).toEqual([seen, seen.length])
      expect((await list({ query: { search: 'lea' } })).body.total).toBe(
        seen.filter((owner) => owner.includes('lea')).length,
      )
      expect((await list({ query: { sortBy: name, sortOrder: 'asc', limit: 1, page: 2 } })).body.data.length).toBe(
        seen.length > 1 ? 1 : 0,
      )
    }
    expect(
      (
        await rest.accountList!({
          query: {
            ids: Object.values(accounts)
              .map(({ id }) => id)
              .join(','),
          },
        })
      ).body.total,
    ).toBe(seen.length)
    expect((await rest.caseList!({ query: { accountId: accounts.colleague!.id } })).body.total).toBe(
      seen.includes('colleague') ? 1 : 0,
    )
  })

  it('only visible records in statistics', async () => {
    const { rest } = memberOf()
    expect((await rest.accountStats!()).body).toMatchObject({
      total: seen.length,
      totalAnnualRevenue: 100 * seen.length,
    })
    expect((await rest.caseStats!()).body).toMatchObject({
      total: seen.length,
      open: seen.length,
      unassigned: seen.length,
    })
  })

  it('only visible records through edges', async () => {
    const { body } = await memberOf().graphql(
      `{ accountList { data { name parent { name } children { totalCount nodes { name } } cases { totalCount nodes { subject account { name } } } } } }`,
    )
    const parent = seen.includes('colleague') ? { name: 'colleague' } : null
    expect(body.data.accountList.data).toEqual(
      seen.map((name) => {
        const children = name === 'colleague' ? seen.filter((child) => child !== 'colleague') : []
        return {
          name,
          parent: name === 'colleague' ? null : parent,
          children: { totalCount: children.length, nodes: children.map((child) => ({ name: child })) },
          cases: { totalCount: 1, nodes: [{ subject: name, account: { name } }] },
        }
      }),
    )
  })

  it.each<[string, (seen: string[]) => string[]]>([
    [
      '{ parent: { name: { eq: "colleague" } } }',
      (seen) => (seen.includes('colleague') ? seen.filter((name) => name !== 'colleague') : []),
    ],
    [
      '{ not: { parent: { name: { eq: "colleague" } } } }',
      (seen) => (seen.includes('colleague') ? ['colleague'] : seen),
    ],
    [
      '{ children: { some: { name: { eq: "own" } } } }',
      (seen) => (seen.includes('colleague') && seen.includes('own') ? ['colleague'] : []),
    ],
    [
      '{ children: { none: { name: { eq: "own" } } } }',
      (seen) => seen.filter((name) => name !== 'colleague' || !seen.includes('own')),
    ],
    [
      '{ children: { every: { name: { eq: "team" } } } }',
      (seen) => seen.filter((name) => name !== 'colleague' || seen.length === 2),
    ],
  ])('in the filter %s', async (filter, expected) => {
    const { body } = await memberOf().graphql(`{ accountList(filter: ${filter}) { total data { name } } }`)
    expect(body.data.accountList).toEqual({
      total: expected(seen).length,
      data: expected(seen).map((name) => ({ name })),
    })
  })

  it('only visible records among deleted records', async () => {
    const { id } = await account(own, { name: 'gone' })
    await own.rest.accountDelete!({ id })
    const isSeen = seen.includes('own')
    expect((await memberOf().rest.accountListDeleted!()).body.some((record: { id: string }) => record.id === id)).toBe(
      isSeen,
    )
    if (!isSeen)
      expect(await refused(platform, () => memberOf().rest.accountRestore!({ id }))).toEqual([404, 'NOT_FOUND'])
  })

  it('only visible records to change: others answer 404', async () => {
    if (memberOf() === readOnly) return
    for (const name of everybody.filter((owner) => !seen.includes(owner))) {
      for (const write of writes(memberOf(), name)) expect(await refused(platform, write)).toEqual([404, 'NOT_FOUND'])
    }
  })

  it('only visible records to reference: others are unknown', async () => {
    if (memberOf() === readOnly) return
    for (const name of everybody.filter((owner) => !seen.includes(owner))) {
      const { id } = accounts[name]!
      expect(
        await refusedInputs(platform, () =>
          memberOf().rest.accountCreate!({ body: { name: 'x', parentAccountId: id } }),
        ),
      ).toEqual([400, 'VALIDATION_FAILED', 'parentAccountId UNKNOWN_REFERENCE'])
      expect(
        await refusedInputs(platform, () => memberOf().rest.caseCreate!({ body: { subject: 'x', accountId: id } })),
      ).toEqual([400, 'VALIDATION_FAILED', 'accountId UNKNOWN_REFERENCE'])
    }
  })
})

/** Every write to the account and the case with this name. */
function writes({ rest, graphql }: Member, name: string): (() => Promise<Answer>)[] {
  const account = { id: accounts[name]!.id }
  const supportCase = { id: cases[name]!.id }
  const failed = async (answer: Promise<Answer>): Promise<Answer> => {
    const { body, ...rest } = await answer
    const { code } = body.errors[0].extensions
    return { ...rest, status: code === 'NOT_FOUND' ? 404 : code === 'PERMISSION_DENIED' ? 403 : 0, body: { code } }
  }
  return [
    () => rest.accountUpdate!({ ...account, body: { name: 'x' } }),
    () => rest.accountDelete!(account),
    () => rest.accountRestore!(account),
    () => rest.caseUpdate!({ ...supportCase, body: { status: 'CLOSED' } }),
    () => rest.caseSetStatus!({ ...supportCase, body: { status: 'CLOSED' } }),
    () => rest.caseAssign!({ ...supportCase, body: { assignedToId: null } }),
    () => rest.caseSummarize!(supportCase),
    () => rest.caseCommentCreate!({ ...supportCase, body: { body: 'x' } }),
    () => rest.caseDelete!(supportCase),
    () => rest.caseRestore!(supportCase),
    () => failed(graphql('mutation ($id: ID!) { accountUpdate(id: $id, input: { name: "x" }) { id } }', account)),
    () => failed(graphql('mutation ($id: ID!) { accountDelete(id: $id) }', account)),
    () => failed(graphql('mutation ($id: ID!) { caseSetStatus(id: $id, status: OPEN) { id } }', supportCase)),
  ]
}

describe('an assignee', () => {
  it('sees and may change the case while it is assigned', async () => {
    const { id } = cases.all!
    expect((await own.rest.case!({ id })).status).toBe(404)
    await all.rest.caseAssign!({ id, body: { assignedToId: own.userId } })
    expect((await own.rest.case!({ id })).status).toBe(200)
    expect(values(await own.rest.caseList!(), 'subject')).toEqual(['all', 'own'])
    expect((await own.rest.caseCommentCreate!({ id, body: { body: 'x', isInternal: true } })).status).toBe(201)
    const { body } = await own.graphql(
      'query ($id: ID!) { case(id: $id) { subject account { name } comments { totalCount } } }',
      { id },
    )
    expect(body.data.case).toEqual({ subject: 'all', account: null, comments: { totalCount: 1 } })
    expect((await own.rest.caseAssign!({ id, body: { assignedToId: null } })).status).toBe(200)
    expect((await own.rest.case!({ id })).status).toBe(404)
  })
})

describe('an owner', () => {
  it('may give a record to another user, and no longer sees it', async () => {
    const { id } = await account(own)
    expect((await own.rest.accountUpdate!({ id, body: { ownerId: all.userId } })).status).toBe(200)
    expect((await own.rest.account!({ id })).status).toBe(404)
    expect((await all.rest.accountDelete!({ id })).status).toBe(204)
  })

  it('sees more or fewer records as soon as its visibility changes', async () => {
    const someone = await platform.member({ organizationId: all.organizationId, visibility: 'OWN' })
    expect((await someone.rest.accountList!()).body.total).toBe(0)
    await updateUser(platform.services, someone.organizationId, someone.userId, { visibility: 'ALL' })
    await expect
      .poll(async () => (await someone.rest.accountList!()).body.total, { interval: 5, timeout: 2000 })
      .toBe(4)
  })
})

describe('products', () => {
  it('are visible to every user of the organization, and to no other organization', async () => {
    const { id, sku } = await product(all, { name: 'shared' })
    for (const member of [own, team, readOnly]) {
      expect((await member.rest.product!({ id })).status).toBe(200)
      expect((await member.rest.productList!({ query: { search: 'shared' } })).body.total).toBe(1)
      expect((await member.rest.productStats!()).body).toEqual((await all.rest.productStats!()).body)
    }
    expect((await stranger.rest.product!({ id })).status).toBe(404)
    expect((await stranger.rest.productBySku!({ sku })).status).toBe(404)
    expect((await stranger.rest.productList!()).body.total).toBe(0)
    expect(await refused(platform, () => stranger.rest.productUpdate!({ id, body: { name: 'x' } }))).toEqual([
      404,
      'NOT_FOUND',
    ])
    expect(await refused(platform, () => stranger.rest.productDelete!({ id }))).toEqual([404, 'NOT_FOUND'])
    expect((await own.rest.productUpdate!({ id, body: { name: 'x' } })).status).toBe(200)
  })
})

describe('a user with READ_ONLY', () => {
  it('gets 403 for every write', async () => {
    const { rest } = readOnly
    const { id, sku } = await product(all)
    const more: (() => Promise<Answer>)[] = [
      () => rest.accountCreate!({ body: { name: 'x' } }),
      () => rest.caseCreate!({ body: { subject: 'x' } }),
      () => rest.productCreate!({ body: { name: 'x', sku, listPrice: 1 } }),
      () => rest.productUpdate!({ id, body: { name: 'x' } }),
      () => rest.productDelete!({ id }),
      () => rest.productRestore!({ id }),
      () => rest.productBulkUpdate!({ body: { items: [{ id, name: 'x' }] } }),
      () => rest.productBulkDelete!({ body: { ids: [id] } }),
    ]
    for (const write of [...more, ...writes(readOnly, 'all')])
      expect(await refused(platform, write)).toEqual([403, 'PERMISSION_DENIED'])
  })
})

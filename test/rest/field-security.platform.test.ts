import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile, updateProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, product, supportCase } from '../builders.ts'
import { refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'
import {
  codesOf,
  filtered,
  kinds,
  named,
  one,
  places,
  sorted,
  text,
  unrelated,
  type Kind,
} from './field-security.fixture.ts'

const platform = usePlatform()
let writer: Member
let profiles = 0

beforeAll(async () => {
  writer = await platform.member()
})

/** A member with a profile of these restrictions. */
async function restricted(fields: object): Promise<Member & { profileId: string }> {
  const member = await platform.member()
  const ctx = systemContext(platform.services, member.organizationId)
  const { id: profileId } = await createProfile(ctx, { name: `Profile ${++profiles}`, fields })
  await assignProfile(ctx, member.userId, profileId)
  return { ...member, profileId }
}

describe('a hidden field', () => {
  it.each(named)(
    '%s is absent from every REST response, and null or empty in GraphQL',
    async (name, { value, empty = null }) => {
      const record = await account(writer, { [name]: value })
      const gone = await account(writer, { [name]: value })
      await writer.rest.accountDelete!({ id: gone.id })
      const member = await restricted({ account: { [name]: 'HIDDEN' } })
      const { rest } = member

      const answers = [
        (await rest.account!({ id: record.id })).body,
        ...(await rest.accountList!({ query: { limit: 100 } })).body.data,
        ...(await rest.accountListDeleted!()).body,
        (await rest.accountCreate!({ body: { name: 'New' } })).body,
        (await rest.accountUpdate!({ id: record.id, body: { industry: 'Fishing' } })).body,
        (await rest.accountRestore!({ id: gone.id })).body,
      ] as Record<string, unknown>[]
      expect(answers.length).toBeGreaterThanOrEqual(6)
      expect(answers.filter((answer) => !Object.hasOwn(answer, 'id') || Object.hasOwn(answer, name))).toEqual([])
      expect(answers.at(-2)).toMatchObject({ industry: 'Fishing' })

      const { body } = await member.graphql(
        `query($id: ID!) { account(id: $id) { ${name} } accountList { data { ${name} } }
        accountConnection { nodes { ${name} } edges { node { ${name} } } } accountListDeleted { ${name} } }`,
        { id: record.id },
      )
      expect(body.errors).toBeUndefined()
      const { account: read, accountList, accountConnection, accountListDeleted } = body.data
      const all = [read, ...accountList.data, ...accountConnection.nodes, ...accountListDeleted]
      const nodes = (accountConnection.edges as { node: Record<string, unknown> }[]).map(({ node }) => node)
      expect([...all, ...nodes].filter((row) => JSON.stringify(row[name]) !== JSON.stringify(empty))).toEqual([])
      expect((await writer.rest.account!({ id: record.id })).body[name]).toEqual(value)
    },
  )

  it.each(unrelated)(
    '%s cannot be used in any filter or order',
    async (name, { literal, operator, isSorted = true }) => {
      const member = await restricted({ account: { [name]: 'HIDDEN' } })
      const condition = `{ ${name}: { ${operator}: ${literal} } }`
      for (const [filter, path] of places(name, condition)) {
        expect(codesOf(await member.graphql(filtered(filter)))).toEqual(['FIELD_NOT_READABLE', path])
      }
      if (isSorted) expect(codesOf(await member.graphql(sorted(name)))).toEqual(['FIELD_NOT_READABLE', 'orderBy'])
      // A condition without an operand filters nothing: stored documents name every parameter.
      expect(codesOf(await member.graphql(filtered(`{ ${name}: {} }`)))).toEqual([])
    },
  )

  it.each(named)('%s is refused in every input, with any value', async (name, { value, other }) => {
    const record = await account(writer, { [name]: value })
    for (const level of ['HIDDEN', 'READ']) {
      const { rest } = await restricted({ account: { [name]: level } })
      const expected = [403, 'FIELD_NOT_WRITABLE', `${name} FIELD_NOT_WRITABLE`]
      for (const given of [value, other, kinds[name]!.empty ?? null]) {
        const changing = () => rest.accountUpdate!({ id: record.id, body: { [name]: given, industry: 'x' } })
        expect(await refusedInputs(platform, changing)).toEqual(expected)
      }
      const creating = () => rest.accountCreate!({ body: { name: 'New', [name]: other } })
      expect(await refusedInputs(platform, creating)).toEqual(expected)
    }
  })
})

describe('a READ field', () => {
  it.each([
    ...named,
    ['name', text('Northwind')],
    ['accountStatus', { ...kinds.rating!, value: 'PENDING', literal: 'PENDING' }],
  ] as [string, Kind][])(
    '%s can be read, filtered and sorted by',
    async (name, { value, literal, operator, isSorted = true }) => {
      const record = await account(writer, { [name]: value })
      const member = await restricted({ account: { [name]: 'READ' } })
      const expected = value
      expect((await member.rest.account!({ id: record.id })).body[name]).toEqual(expected)
      expect((await member.graphql(one(name), { id: record.id })).body.data.account[name]).toEqual(expected)
      expect(codesOf(await member.graphql(filtered(`{ ${name}: { ${operator}: ${literal} } }`)))).toEqual([])
      if (isSorted) expect(codesOf(await member.graphql(sorted(name)))).toEqual([])
    },
  )

  it('can be written if the profile says WRITE or does not name it', async () => {
    const { rest } = await restricted({ account: { phone: 'WRITE', fax: 'READ' } })
    const created = await rest.accountCreate!({ body: { name: 'New', phone: '1', rating: 'HOT' } })
    expect([created.status, created.body.phone, created.body.rating]).toEqual([201, '1', 'HOT'])
  })
})

describe('free-form fields', () => {
  it('can be hidden: one custom field, all custom fields, and metadata', async () => {
    const values = { customFields: { margin: 3, tier: 'gold', note: "it's" }, metadata: { a: 1 } }
    const record = await account(writer, values)
    const some = await restricted({
      account: { 'customFields.margin': 'HIDDEN', "customFields.it's": 'HIDDEN', metadata: 'HIDDEN' },
    })
    expect((await some.rest.account!({ id: record.id })).body.customFields).toEqual({ tier: 'gold', note: "it's" })
    const refused = { customFields: '{ customFields: { margin: 3 } }', metadata: '{ metadata: {} }' }
    expect(codesOf(await some.graphql(filtered(refused.customFields)))).toEqual([
      'FIELD_NOT_READABLE',
      'filter.customFields.margin',
    ])
    expect(codesOf(await some.graphql(filtered(refused.metadata)))).toEqual(['FIELD_NOT_READABLE', 'filter.metadata'])
    expect(codesOf(await some.graphql(filtered('{ customFields: { tier: "gold" } }')))).toEqual([])
    const changing = (customFields: object) => () => some.rest.accountUpdate!({ id: record.id, body: { customFields } })
    expect(await refusedInputs(platform, changing({ margin: null, tier: 'silver' }))).toEqual([
      403,
      'FIELD_NOT_WRITABLE',
      'customFields.margin FIELD_NOT_WRITABLE',
    ])
    expect((await changing({ tier: 'silver' })()).body.customFields).toEqual({ tier: 'silver', note: "it's" })
    expect((await writer.rest.account!({ id: record.id })).body.customFields).toEqual({
      margin: 3,
      tier: 'silver',
      note: "it's",
    })

    const none = await restricted({ account: { customFields: 'HIDDEN' } })
    expect(Object.hasOwn((await none.rest.account!({ id: record.id })).body as object, 'customFields')).toBe(false)
    expect((await none.graphql(one('customFields'), { id: record.id })).body.data.account.customFields).toEqual({})
    expect(codesOf(await none.graphql(filtered('{ customFields: { tier: "x" } }')))).toEqual([
      'FIELD_NOT_READABLE',
      'filter.customFields',
    ])
  })
})

describe('values derived from hidden fields', () => {
  it('are not searched', async () => {
    await account(writer, { domain: 'hidden-needle.example' })
    const found = async (member: Member) =>
      (await member.rest.accountList!({ query: { search: 'hidden-needle' } })).body.total
    expect(await found(writer)).toBe(1)
    expect(await found(await restricted({ account: { domain: 'HIDDEN' } }))).toBe(0)
  })

  it('make statistics null that need them; other statistics stay', async () => {
    await account(writer, { rating: 'HOT', annualRevenue: 7, healthScore: 9 })
    const { rest } = await restricted({
      account: { rating: 'HIDDEN', annualRevenue: 'HIDDEN', healthScore: 'HIDDEN', industry: 'HIDDEN' },
      case: { slaDueAt: 'HIDDEN', assignedToId: 'HIDDEN', firstResponseAt: 'HIDDEN', resolvedAt: 'HIDDEN' },
    })
    const whole = (await writer.rest.accountStats!()).body
    expect((await rest.accountStats!()).body).toEqual({
      ...whole,
      byRating: null,
      byIndustry: null,
      otherIndustries: null,
      totalAnnualRevenue: null,
      averageHealthScore: null,
    })
    const cases = (await writer.rest.caseStats!()).body
    const none = { overdue: null, unassigned: null, slaBreached: null }
    const averages = {
      averageFirstResponseMinutes: null,
      averageResolutionHours: null,
      avgFirstResponseMinutes: null,
      avgResolutionHours: null,
      reopenRate: null,
    }
    expect((await rest.caseStats!()).body).toEqual({ ...cases, ...none, ...averages })
    const assignees = (await rest.caseAssignees!()).body as { openCases: unknown }[]
    expect(assignees.filter(({ openCases }) => openCases !== null)).toEqual([])
  })

  it('cannot be read with a cursor of a user who sees the field', async () => {
    const member = await restricted({ account: { annualRevenue: 'HIDDEN' } })
    await account(writer)
    await account(writer)
    const asked = '(orderBy: [{ field: annualRevenue }], first: 1'
    const { body } = await writer.graphql(`{ accountConnection${asked}) { pageInfo { endCursor } } }`)
    const after = body.data.accountConnection.pageInfo.endCursor as string
    expect(codesOf(await member.graphql(`{ accountConnection${asked}, after: "${after}") { nodes { id } } }`))).toEqual(
      ['FIELD_NOT_READABLE', 'orderBy'],
    )
    expect(
      codesOf(await member.graphql(`{ accountConnection(first: 1, after: "${after}") { nodes { id } } }`)),
    ).toEqual(['VALIDATION_FAILED', 'after'])
  })

  it('are hidden in edges that depend on the field, in both directions and across subgraphs', async () => {
    const parent = await account(writer)
    const child = await account(writer, { parentAccountId: parent.id })
    const about = await supportCase(writer, { accountId: parent.id })
    const member = await restricted({ account: { parentAccountId: 'HIDDEN' }, case: { accountId: 'HIDDEN' } })
    const document = `query($child: ID!, $parent: ID!, $case: ID!) {
      child: account(id: $child) { parent { id } }
      parent: account(id: $parent) { children { nodes { id } totalCount } cases { nodes { id } totalCount } }
      case(id: $case) { accountId account { name } } }`
    const ids = { child: child.id, parent: parent.id, case: about.id }
    const whole = { nodes: [{ id: child.id }], totalCount: 1 }
    const nobody = { nodes: [], totalCount: 0 }
    expect((await writer.graphql(document, ids)).body.data).toEqual({
      child: { parent: { id: parent.id } },
      parent: { children: whole, cases: { nodes: [{ id: about.id }], totalCount: 1 } },
      case: { accountId: parent.id, account: { name: parent.name } },
    })
    expect((await member.graphql(document, ids)).body).toEqual({
      data: {
        child: { parent: null },
        parent: { children: nobody, cases: nobody },
        case: { accountId: null, account: null },
      },
    })
    for (const filter of [
      '{ parent: {} }',
      '{ children: { some: {} } }',
      '{ children: { every: { name: { eq: "x" } } } }',
    ])
      expect(codesOf(await member.graphql(filtered(filter)))[0]).toBe('FIELD_NOT_READABLE')
    const listed = await member.rest.caseList!({ query: { accountId: parent.id } })
    expect([listed.status, listed.body.code, listed.body.errors[0].path]).toEqual([
      403,
      'FIELD_NOT_READABLE',
      'accountId',
    ])
  })

  it('are not summarized', async () => {
    const { id } = await supportCase(writer, { description: 'The secret recipe.' })
    const { rest } = await restricted({ case: { description: 'HIDDEN' } })
    expect(await refusedInputs(platform, () => rest.caseSummarize!({ id }))).toEqual([
      403,
      'FIELD_NOT_READABLE',
      'description FIELD_NOT_READABLE',
      'aiSummary FIELD_NOT_READABLE',
    ])
    await writer.rest.caseSummarize!({ id })
    const member = await restricted({ case: { description: 'HIDDEN' } })
    expect(
      (await member.graphql('query($id: ID!) { case(id: $id) { aiSummary } }', { id })).body.data.case.aiSummary,
    ).toBeNull()
    const inRest = async (reader: Member) => {
      const { body } = await reader.rest.case!({ id })
      const { body: listed } = await reader.rest.caseList!({ query: { limit: 100 } })
      return [body, listed.data.find((one: { id: unknown }) => one.id === id)].map((one) => 'aiSummary' in one)
    }
    expect([await inRest(member), await inRest(writer)]).toEqual([
      [false, false],
      [true, true],
    ])
    // A level for the derived field itself does not make it readable.
    const both = await restricted({ case: { description: 'HIDDEN', aiSummary: 'READ' } })
    expect(await inRest(both)).toEqual([false, false])
  })
})

describe('verbs', () => {
  it('are refused if their input is not writable; their side effects are allowed', async () => {
    const { id } = await supportCase(writer)
    const fixed = await restricted({ case: { status: 'READ', assignedToId: 'READ' } })
    const setting = () => fixed.rest.caseSetStatus!({ id, body: { status: 'OPEN' } })
    expect(await refusedInputs(platform, setting)).toEqual([403, 'FIELD_NOT_WRITABLE', 'status FIELD_NOT_WRITABLE'])
    const assigning = () => fixed.rest.caseAssign!({ id, body: { assignedToId: writer.userId } })
    expect(await refusedInputs(platform, assigning)).toEqual([
      403,
      'FIELD_NOT_WRITABLE',
      'assignedToId FIELD_NOT_WRITABLE',
    ])
    const follows = await restricted({
      case: { resolvedAt: 'READ', closedAt: 'HIDDEN', firstResponseAt: 'READ', priority: 'READ' },
    })
    const resolved = await follows.rest.caseSetStatus!({ id, body: { status: 'RESOLVED' } })
    expect([resolved.status, resolved.body.resolvedAt]).toEqual([200, platform.now.toISOString()])
    expect((await follows.rest.caseCommentCreate!({ id, body: { body: 'Done.' } })).status).toBe(201)
    expect((await follows.rest.case!({ id })).body.firstResponseAt).toBe(platform.now.toISOString())
    expect((await follows.rest.caseCreate!({ body: { subject: 'New' } })).status).toBe(201)
  })

  it('of many records refuse each item separately', async () => {
    const [first, second] = [await product(writer), await product(writer)]
    const { rest } = await restricted({ product: { costPrice: 'HIDDEN', unitPrice: 'READ' } })
    const items = [
      { id: first.id, costPrice: 1 },
      { id: second.id, description: 'Fine' },
      { id: second.id, unitPrice: null },
    ]
    const { body } = await rest.productBulkUpdate!({ body: { items } })
    const outcome = (body.results as { status: string; code: string; errors: { path: string }[] | null }[]).map(
      ({ status, code, errors }) => [status, code, errors?.[0]?.path],
    )
    expect(outcome).toEqual([
      ['FAILED', 'FIELD_NOT_WRITABLE', 'costPrice'],
      ['UPDATED', null, undefined],
      ['FAILED', 'FIELD_NOT_WRITABLE', 'unitPrice'],
    ])
  })
})

describe('a caller', () => {
  it('cannot distinguish two records that differ only in hidden fields', async () => {
    const organizationId = await platform.organization('Twins')
    const [author, member] = [await platform.member({ organizationId }), await platform.member({ organizationId })]
    const ctx = systemContext(platform.services, organizationId)
    const fields = Object.fromEntries(named.map(([name]) => [name, 'HIDDEN']))
    const { id } = await createProfile(ctx, { name: 'Twins', fields: { account: { ...fields, domain: 'HIDDEN' } } })
    await assignProfile(ctx, member.userId, id)
    const recordWith = (which: 'value' | 'other') => ({
      ...Object.fromEntries(named.map(([name, kind]) => [name, kind[which]])),
      domain: `${which}.example`,
    })
    const [one, other] = [await account(author, recordWith('value')), await account(author, recordWith('other'))]

    const { parameters } = platform.contract.operations.find((operation) => operation.id === 'accountList')!
    const probes = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
    const candidates = [
      'HOT',
      'COLD',
      '+47 22 11',
      'another',
      'value.example',
      'vip',
      '12',
      '5000',
      '2027-01-05T00:00:00Z',
    ]
    const sorts = Object.keys(fields).map((name) => `sortBy=${name}`)
    const queries = [
      ...sorts,
      ...probes.flatMap((name) => candidates.map((value) => `${name}=${encodeURIComponent(value)}`)),
    ]
    let answered = 0
    for (const query of queries) {
      const { status, body } = await member.rest.accountList!({ query })
      if (status !== 200) continue
      answered++
      const ids = (body.data as { id: string }[]).map((row) => row.id).filter((row) => [one.id, other.id].includes(row))
      expect([query, ids.length === 1]).toEqual([query, false])
    }
    expect(answered).toBeGreaterThan(10)
    const strip = ({ id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...rest }: Record<string, unknown>) => rest
    const read = async (of: { id: string }) =>
      strip((await member.rest.account!({ id: of.id })).body as Record<string, unknown>)
    expect(await read(one)).toEqual(await read(other))
  })
})

describe('a profile', () => {
  it('applies to every credential of its user, and changes take effect immediately', async () => {
    const member = await restricted({ account: { phone: 'HIDDEN' } })
    const { id } = await account(writer, { phone: '1' })
    const session = restClient(platform.contract, platform.url, {
      Authorization: `Bearer ${await sessionOf(platform, member)}`,
    })
    const phones = async () => [
      (await member.rest.account!({ id })).body.phone,
      (await session.account!({ id })).body.phone,
    ]
    expect(await phones()).toEqual([undefined, undefined])
    const ctx = systemContext(platform.services, member.organizationId)
    await updateProfile(ctx, member.profileId, { fields: {} })
    platform.advanceClock(1000)
    expect(await phones()).toEqual(['1', '1'])
    await updateProfile(ctx, member.profileId, { fields: { account: { phone: 'HIDDEN' } } })
    platform.advanceClock(1000)
    expect(await phones()).toEqual([undefined, undefined])
  })

  it('applies to replayed responses of an Idempotency-Key', async () => {
    const member = await restricted({})
    const call = { body: { name: 'New', phone: '1' }, headers: { 'Idempotency-Key': `once-${member.userId}` } }
    expect((await member.rest.accountCreate!(call)).body.phone).toBe('1')
    expect((await member.rest.accountCreate!(call)).headers.get('idempotent-replayed')).toBe('true')
    const ctx = systemContext(platform.services, member.organizationId)
    await updateProfile(ctx, member.profileId, { fields: { account: { phone: 'HIDDEN' } } })
    platform.advanceClock(1000)
    const { status, body } = await member.rest.accountCreate!(call)
    expect([status, body.code]).toEqual([403, 'PERMISSION_DENIED'])
  })

  it('does not change stored events, because fields are withheld at delivery', async () => {
    const { rest } = await restricted({ account: { rating: 'HIDDEN' } })
    const { id } = await account(writer, { rating: 'HOT' })
    await rest.accountUpdate!({ id, body: { industry: 'Fishing' } })
    const [, updated] = await platform.eventsOf(id as string)
    expect(updated!.data).toMatchObject({ record: { rating: 'HOT' }, changedFields: ['industry'] })
  })
})

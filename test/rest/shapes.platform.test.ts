import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, contact, opportunity, order, product, supportCase } from '../builders.ts'
import { restContract } from '../contract-of-rest.ts'
import { object } from '../extensions/custom-objects.fixture.ts'
import { refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { restAreas, prefixOf } from '../rest-areas.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'
import { statementsOf } from '../statements.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member()
})

const userOf = async ({ rest, userId }: Member) =>
  (await rest.userLookup!({ query: { ids: userId } })).body.data[0] as Record<string, unknown>

/** Another member of the organization, with a profile that restricts fields. */
async function restricted(fields: object): Promise<Member> {
  const other = await platform.member({ organizationId: member.organizationId })
  const ctx = systemContext(platform.services, other.organizationId)
  const { id } = await createProfile(ctx, { name: `Profile of ${other.userId}`, fields })
  await assignProfile(ctx, other.userId, id)
  return other
}

describe('fields', () => {
  it('answers only the named properties and the id, in the order of the record', async () => {
    const { id } = await account(member, { name: 'Halvorsen', industry: 'Maritime', phone: '+47 1' })
    const read = await member.rest.account!({ id, query: 'fields=ownerId,name' })
    expect(read.body).toEqual({ id, ownerId: member.userId, name: 'Halvorsen' })
    expect(Object.keys(read.body)).toEqual(['id', 'ownerId', 'name'])
    expect(read.headers.get('etag')).toBe('"1"')
    const list = await member.rest.accountList!({ query: { ids: id, fields: 'industry' } })
    expect(list.body).toEqual({
      data: [{ id, industry: 'Maritime' }],
      page: 1,
      limit: 20,
      total: 1,
      totalPages: 1,
      hasMore: false,
      nextCursor: null,
    })
    await member.rest.accountDelete!({ id })
    expect((await member.rest.accountListDeleted!({ query: { fields: 'name' } })).body).toEqual([
      { id, name: 'Halvorsen' },
    ])
  })

  it('selects structured columns as a whole, and custom fields unless the request leaves them out', async () => {
    const { id, lineItems } = await order(member, { lineItems: [{ name: 'Buoy', quantity: 2, unitPrice: 10 }] })
    expect((await member.rest.order!({ id, query: 'fields=lineItems,customFields' })).body).toEqual({
      id,
      lineItems,
      customFields: {},
    })
    const query = 'fields=status,customFields&withCustomFields=false'
    expect((await member.rest.orderList!({ query })).body.data).toEqual([{ id, status: 'DRAFT' }])
  })

  it('reads nothing else, and cursors lead on', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Pages') })
    for (const name of ['C', 'B', 'A']) await account(own, { name })
    const names: string[] = []
    let cursor: string | null = ''
    const statements = await statementsOf(platform, async () => {
      while (cursor !== null) {
        const query: Record<string, string> = { fields: 'name', sortBy: 'name', sortOrder: 'asc', limit: '2' }
        const { body } = await own.rest.accountList!({ query: { ...query, ...(cursor && { cursor }) } })
        names.push(...(body.data as { name: string }[]).map(({ name }) => name))
        cursor = body.nextCursor
      }
    })
    expect(names).toEqual(['A', 'B', 'C'])
    expect(statements.filter((text) => /industry|billing_street/.test(text))).toEqual([])
  })

  it.each([
    ['fields=id,nmae', 'fields.1', 'nmae is not a field of this record; did you mean name?'],
    ['fields=owner', 'fields.0', 'owner is not a field of this record; did you mean ownerId?'],
    ['fields=__typename', 'fields.0', '__typename is not a field of this record; remove it.'],
    ['expand=ownr', 'expand.0', 'ownr is not a related record of this one; did you mean owner?'],
    ['expand=contacts', 'expand.0', 'contacts is not a related record of this one; remove it.'],
  ])('refuses %s with the nearest name and reads nothing', async (query, path, message) => {
    const { id } = await account(member)
    for (const call of [
      () => member.rest.account!({ id, query }),
      () => member.rest.accountList!({ query }),
      () => member.rest.accountListDeleted!({ query }),
    ]) {
      let answer: Awaited<ReturnType<typeof call>> | undefined
      const statements = await statementsOf(platform, async () => (answer = await call()), /crm[._]account/)
      expect(answer!.status).toBe(400)
      expect(answer!.body).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: [{ path, code: 'NOT_ALLOWED', message }],
      })
      expect(statements).toEqual([])
    }
  })

  it.each([
    ['fields=', 'fields', 'TOO_FEW'],
    [`fields=${'name,'.repeat(100)}id`, 'fields', 'TOO_MANY'],
    ['expand=owner,createdBy,updatedBy,parent,owner,parent', 'expand', 'TOO_MANY'],
    ['fields=name&fields[name]=x', 'fields[name]', 'UNKNOWN_FIELD'],
  ])('refuses %s', async (query, path, code) => {
    expect(await refusedInputs(platform, () => member.rest.accountList!({ query }))).toEqual([
      400,
      code === 'UNKNOWN_FIELD' ? code : 'VALIDATION_FAILED',
      `${path} ${code}`,
    ])
  })

  it('leaves out a hidden field, as without it', async () => {
    const { id } = await account(member, { name: 'Fjord', phone: '+47 2' })
    const other = await restricted({ account: { phone: 'HIDDEN' } })
    expect((await other.rest.account!({ id, query: 'fields=name,phone' })).body).toEqual({ id, name: 'Fjord' })
    expect((await member.rest.account!({ id, query: 'fields=name,phone' })).body.phone).toBe('+47 2')
  })

  it('answers 404 for the record of another organization', async () => {
    const { id } = await account(member)
    const stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
    expect((await stranger.rest.account!({ id, query: 'fields=name&expand=owner' })).status).toBe(404)
  })
})

describe('expand', () => {
  it('adds related records under their names, next to what fields names', async () => {
    const customer = await account(member, { name: 'Halvorsen' })
    const person = await contact(member, { lastName: 'Lund', accountId: customer.id })
    const { id } = await supportCase(member, { accountId: customer.id, contactId: person.id })
    const { body } = await member.rest.case!({ id, query: 'fields=subject&expand=contact,account,opportunity,owner' })
    expect(body).toEqual({
      id,
      subject: 'Labels print without a barcode',
      account: (await member.rest.account!({ id: customer.id })).body,
      contact: (await member.rest.contact!({ id: person.id })).body,
      opportunity: null,
      owner: await userOf(member),
    })
    const whole = await member.rest.case!({ id, query: 'expand=owner,owner' })
    expect(whole.body).toEqual({ ...(await member.rest.case!({ id })).body, owner: await userOf(member) })
  })

  it('reads the related records of a list together', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Lists') })
    const customers = await Promise.all(['A', 'B', 'C'].map((name) => account(own, { name })))
    for (const { id } of customers) await opportunity(own, { accountId: id })
    const list = (limit: number) => () =>
      own.rest.opportunityList!({ query: { limit, expand: 'account,owner,primaryContact', includeTotal: false } })
    await list(1)()
    const one = await statementsOf(platform, list(1))
    let answer: Awaited<ReturnType<ReturnType<typeof list>>>
    const three = await statementsOf(platform, async () => (answer = await list(3)()))
    expect(three.length).toBe(one.length)
    expect(answer!.body.data.map(({ account: { name } }: { account: { name: string } }) => name).sort()).toEqual([
      'A',
      'B',
      'C',
    ])
  })

  it('needs the scope of the related type, which the refusal names', async () => {
    const { id } = await supportCase(member)
    const { organizationId } = member
    const key = await platform.member({ organizationId, scopes: ['READ_CASES'] })
    const refused = await key.rest.case!({ id, query: 'expand=account' })
    expect(refused.status).toBe(403)
    expect(JSON.stringify(refused.body)).toContain('READ_ACCOUNTS')
    expect((await key.rest.case!({ id, query: 'fields=status&expand=owner' })).body).toEqual({
      id,
      status: 'NEW',
      owner: await userOf(member),
    })
  })

  it('is null for a record that the caller does not see', async () => {
    const customer = await account(member)
    const own = await platform.member({ organizationId: member.organizationId, visibility: 'OWN' })
    const { id } = await supportCase(member, { accountId: customer.id, assignedToId: own.userId })
    const { body } = await own.rest.case!({ id, query: 'fields=accountId&expand=account' })
    expect(body).toEqual({ id, accountId: customer.id, account: null })
  })

  it('leaves out hidden fields of the related record, and the record of a hidden id', async () => {
    const customer = await account(member, { phone: '+47 3' })
    const { id } = await supportCase(member, { accountId: customer.id })
    const noPhone = await restricted({ account: { phone: 'HIDDEN' } })
    const { phone: _, ...rest } = (await member.rest.account!({ id: customer.id })).body
    const query = 'fields=accountId&expand=account'
    expect((await noPhone.rest.case!({ id, query })).body).toEqual({ id, accountId: customer.id, account: rest })
    const noOwner = await restricted({ case: { assignedToId: 'HIDDEN' } })
    await member.rest.caseUpdate!({ id, body: { assignedToId: member.userId } })
    expect((await noOwner.rest.case!({ id, query: 'fields=assignedToId&expand=assignedTo' })).body).toEqual({
      id,
      assignedTo: null,
    })
  })

  it('has an ETag that changes with the related record, and If-Match takes it', async () => {
    const customer = await account(member)
    const { id } = await supportCase(member, { accountId: customer.id })
    const get = (query: string, etag?: string | null) =>
      member.rest.case!({ id, query, ...(etag && { headers: { 'if-none-match': etag } }) })
    const expanded = (await get('expand=account')).headers.get('etag')!
    expect(expanded).toMatch(/^"1-[0-9a-z]{1,12}"$/)
    const whole = (await get('fields=subject')).headers.get('etag')
    expect([(await get('fields=subject', whole)).status, (await get('expand=account', expanded)).status]).toEqual([
      304, 304,
    ])
    expect((await get('expand=account', whole)).status).toBe(200)
    await member.rest.accountUpdate!({ id: customer.id, body: { name: 'Renamed' } })
    const changed = await get('expand=account', expanded)
    expect([changed.status, changed.body.account.name]).toEqual([200, 'Renamed'])
    expect((await get('fields=subject', whole)).status).toBe(304)
    const headers = { 'if-match': changed.headers.get('etag')! }
    expect((await member.rest.caseUpdate!({ id, headers, body: { priority: 'HIGH' } })).body.version).toBe(2)
  })

  it('is accepted when it is sent back, and refused if it is another record', async () => {
    const customer = await account(member)
    const { id } = await supportCase(member, { accountId: customer.id })
    const { body } = await member.rest.case!({ id, query: 'expand=account,owner,contact' })
    const sent = await member.rest.caseUpdate!({ id, body: { ...body, subject: 'Other' } })
    expect([sent.status, sent.body.subject]).toEqual([200, 'Other'])
    const other = { ...body.account, id: (await account(member)).id }
    const change = () => member.rest.caseUpdate!({ id, body: { account: other, subject: 'Third' } })
    expect(await refusedInputs(platform, change)).toEqual([400, 'VALIDATION_FAILED', 'account READ_ONLY'])
  })

  it('costs what the related records cost: 100 of each of 5 relations are allowed', async () => {
    const query = { limit: 100, expand: 'owner,account,contact,lead,opportunity' }
    expect((await member.rest.taskList!({ query })).status).toBe(200)
  })

  it('has no part in a change', async () => {
    const { id } = await account(member)
    const change = () => member.rest.accountUpdate!({ id, query: 'expand=owner', body: { name: 'X' } })
    expect(await refusedInputs(platform, change)).toEqual([400, 'UNKNOWN_FIELD', 'expand UNKNOWN_FIELD'])
  })
})

it('are parameters of reads and lists under other paths', async () => {
  const { id, name } = await product(member, { sku: 'FIELDS-1' })
  const bySku = await member.rest.productBySku!({ sku: 'FIELDS-1', query: 'fields=name&expand=owner' })
  expect(bySku.body).toEqual({ id, name, owner: await userOf(member) })
  for (const list of ['emailThreadAwaitingResponse', 'sequenceEnrollmentsForRecord', 'sequenceEnrollments'] as const) {
    const { parameters } = restContract().operations.find((operation) => operation.id === list)!
    expect(parameters.flatMap((parameter) => parameter['x-shape'] ?? [])).toEqual(['fields', 'expand'])
  }
  const record = { entityType: 'CONTACT', entityId: (await contact(member)).id, fields: 'status', expand: 'sequence' }
  expect((await member.rest.sequenceEnrollmentsForRecord!({ query: record })).body.data).toEqual([])
  const awaiting = await member.rest.emailThreadAwaitingResponse!({ query: 'fields=subject' })
  expect([awaiting.status, awaiting.body.data]).toEqual([200, []])
})

describe('every record type', () => {
  let admin: Member['rest']
  /** The custom object whose records are listed. */
  let name: string

  beforeAll(async () => {
    const owner = await platform.member({ organizationId: member.organizationId, role: 'OWNER' })
    admin = restClient(platform.contract, platform.url, { authorization: `Bearer ${await sessionOf(platform, owner)}` })
    name = String((await object(owner))['name'])
  })

  const isList = (id: string): boolean =>
    restAreas.some((area) => new RegExp(`^${prefixOf(area)}List(Deleted)?$`).test(id))
  const lists = restContract().operations.filter(({ id }) => isList(id))

  it.each(lists.map(({ id, shaping, parameters }) => [id, shaping!, parameters] as const))(
    '%s answers its examples, every relation that it documents, and each field',
    async (id, { relations, fields }, parameters) => {
      const shapes = parameters.filter((parameter) => parameter['x-shape'])
      const examples = shapes.map(({ name, example }) => [name, (example as string[]).join()])
      expect((await admin[id]!({ name, query: Object.fromEntries(examples) })).status).toBe(200)
      const names = [...relations.keys()]
      for (let index = 0; index < names.length; index += 5) {
        const expand = names.slice(index, index + 5).join()
        expect((await admin[id]!({ name, query: { expand } })).status).toBe(200)
      }
      expect((await admin[id]!({ name, query: { fields: fields.join() } })).status).toBe(200)
    },
  )
})

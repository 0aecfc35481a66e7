import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, contact } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { statementsOf } from '../statements.ts'

const platform = usePlatform()
let member: Member
let colleague: Member
let manager: Member
let stranger: Member

beforeAll(async () => {
  member = await platform.member()
  colleague = await platform.member()
  manager = await platform.member({ role: 'MANAGER' })
  stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
})
afterAll(() => expectValidEvents(platform))

const aTemplate = (values: object = {}) => ({
  name: 'After the visit',
  subject: 'Slots for {{account.name | your terminal}}',
  bodyHtml: '<p>Hello {{contact.firstName | there}}, until {{offer.deadline}}. {{sender.name}}</p>',
  ...values,
})

async function template(by: Member, values: object = {}) {
  const { status, body } = await by.rest.emailTemplateCreate!({ body: aTemplate(values) })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

describe('emailTemplateCreate', () => {
  it('returns the whole template with its defaults and emits one event', async () => {
    const { status, body, headers } = await member.rest.emailTemplateCreate!({ body: aTemplate() })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      ...aTemplate(),
      bodyText: null,
      category: 'OTHER',
      status: 'DRAFT',
      variables: [],
      language: null,
      isShared: false,
      ownerId: member.userId,
      version: 1,
    })
    expect([headers.get('etag'), headers.get('location')]).toEqual(['"1"', `/v1/email-templates/${body.id}`])
    expect(await platform.eventTypesOf(body.id)).toEqual(['email_template.created'])
    expect((await member.rest.emailTemplate!({ id: body.id })).body).toEqual(body)
  })

  it.each([
    ['bodyHtml', { bodyHtml: '{{ a' }, 'TEMPLATE_SYNTAX'],
    ['bodyHtml', { bodyHtml: '{% include "x" %}' }, 'TEMPLATE_SYNTAX'],
    ['subject', { subject: '{% if a %}' }, 'TEMPLATE_SYNTAX'],
    ['bodyText', { bodyText: '{{a | nope: 1}}' }, 'TEMPLATE_SYNTAX'],
    ['variables.0.name', { variables: [{ name: 'two words' }] }, 'WRONG_FORMAT'],
    ['variables.0.name', { variables: [{ name: '__proto__.1x' }] }, 'WRONG_FORMAT'],
    ['variables.1.name', { variables: [{ name: 'a' }, { name: 'a' }] }, 'NOT_UNIQUE'],
    ['language', { language: 'not a language' }, 'WRONG_FORMAT'],
  ])('refuses %s in %j with 400 and stores nothing', async (path, values, code) => {
    const create = () => member.rest.emailTemplateCreate!({ body: aTemplate(values) })
    expect(await refusedInputs(platform, create)).toEqual([400, 'VALIDATION_FAILED', `${path} ${code}`])
  })

  it('bounds bodies at 100,000 characters and variables at 50', async () => {
    expect(
      (await member.rest.emailTemplateCreate!({ body: aTemplate({ bodyHtml: 'x'.repeat(100_000) }) })).status,
    ).toBe(201)
    expect(
      (await member.rest.emailTemplateCreate!({ body: aTemplate({ bodyHtml: 'x'.repeat(100_001) }) })).status,
    ).toBe(400)
    const variables = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `v${index}` }))
    expect((await member.rest.emailTemplateCreate!({ body: aTemplate({ variables: variables(50) }) })).status).toBe(201)
    expect((await member.rest.emailTemplateCreate!({ body: aTemplate({ variables: variables(51) }) })).status).toBe(400)
  })
})

describe('emailTemplateList', () => {
  it('filters by category, status and search, and pages by pageSize', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Lists') })
    const sales = await template(own, { name: 'Quay price list', category: 'SALES', status: 'ACTIVE' })
    const billing = await template(own, { name: 'Reminder', category: 'BILLING', subject: 'The quay invoice' })
    const ids = async (query: Record<string, string | number>) =>
      (await own.rest.emailTemplateList!({ query })).body.data.map(({ id }: { id: string }) => id)
    expect(await ids({ category: 'SALES' })).toEqual([sales.id])
    expect(await ids({ status: 'DRAFT' })).toEqual([billing.id])
    expect(await ids({ search: 'quay' })).toEqual([billing.id, sales.id])
    expect(await ids({ search: 'price list' })).toEqual([sales.id])
    const { body } = await own.rest.emailTemplateList!({ query: { page: 2, pageSize: 1 } })
    expect(body).toMatchObject({ page: 2, limit: 1, total: 2, totalPages: 2, hasMore: false })
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([sales.id])
  })

  it('refuses pageSize above 100, and limit together with pageSize', async () => {
    expect((await member.rest.emailTemplateList!({ query: { pageSize: 101 } })).status).toBe(400)
    expect((await member.rest.emailTemplateList!({ query: { pageSize: 2, limit: 2 } })).status).toBe(400)
  })
})

describe('the email templates that a caller sees', () => {
  let own: Member
  let other: Member

  beforeAll(async () => {
    const organizationId = await platform.organization('Totals')
    own = await platform.member({ organizationId })
    other = await platform.member({ organizationId, role: 'MANAGER' })
    await template(own, { category: 'SALES', status: 'ACTIVE' })
    await template(own, { category: 'SALES', isShared: true })
    await template(own, { language: 'de' })
    await template(other, { category: 'SALES', isShared: true })
    await template(other, { category: 'BILLING' })
    await template(other, { category: 'BILLING' })
    const deleted = await template(own, { isShared: true })
    await own.rest.emailTemplateDelete!({ id: deleted.id })
    const given = await template(own, { category: 'SUPPORT' })
    await own.rest.emailTemplateUpdate!({ id: given.id, body: { isShared: true, category: 'BILLING' } })
    await template(member, { isShared: true })
  })

  const total = async (by: Member, query: Readonly<Record<string, string | boolean>>) =>
    (await by.rest.emailTemplateList!({ query })).body.total as number

  it.each<[query: Readonly<Record<string, string | boolean>>, ofOwn: number, ofOther: number]>([
    [{}, 5, 5],
    [{ category: 'SALES' }, 3, 2],
    [{ category: 'BILLING' }, 1, 3],
    [{ isShared: true }, 3, 3],
    [{ isShared: false }, 2, 2],
    [{ category: 'SALES', status: 'ACTIVE' }, 1, 0],
    [{ category: 'SALES', status: 'DRAFT', isShared: true }, 2, 2],
    [{ language: 'de' }, 1, 0],
    [{ page: '9' }, 5, 5],
  ])('are counted exactly with %j', async (query, ofOwn, ofOther) => {
    expect([await total(own, query), await total(other, query)]).toEqual([ofOwn, ofOther])
    const { userId } = own
    const ofOwner = { ...query, ownerId: userId }
    const found = (await own.rest.emailTemplateList!({ query: { ...ofOwner, pageSize: '100', page: '1' } })).body
    expect(await total(own, ofOwner)).toBe(found.data.length)
  })

  it('are looked for among the own ones where the filter excludes shared ones', async () => {
    const query = { isShared: false, includeTotal: false }
    const found = async (by: Member, more: object = {}) =>
      (await by.rest.emailTemplateList!({ query: { ...query, ...more } })).body.data.map(
        ({ ownerId }: { ownerId: string }) => ownerId,
      )
    expect(await found(own)).toEqual([own.userId, own.userId])
    expect(await found(own, { category: 'SALES' })).toEqual([own.userId])
    expect(await found(other)).toEqual([other.userId, other.userId])
    expect(await found(other, { ownerId: own.userId })).toEqual([])
    const statements = await statementsOf(platform, () => found(own), /email_template/)
    // The one that reads the first rows begins with the index by owner.
    expect(statements[0]).toMatch(
      /from \(select t\.\* from tenant\.outreach_email_template t where [^(]* and t\.owner_id = \$\d order by t\.created_at desc/,
    )
  })

  it('are counted by the maintained totals, as in the statistics', async () => {
    const read = async () => {
      await total(own, { category: 'SALES', ownerId: own.userId })
      expect((await own.rest.emailTemplateStats!({})).body).toMatchObject({ total: 5, shared: 3 })
    }
    // The page, as far as the first rows have it, all matching rows, because it is not full, and the statistics.
    const statements = await statementsOf(platform, read, /email_template/)
    expect(statements).toHaveLength(3)
    for (const statement of statements) expect(statement).toContain('from outreach.email_template_totals t')
    expect(statements[2]).not.toContain('outreach_email_template t')
  })
})

describe('visibility', () => {
  it('a template is private until it is shared, in every operation', async () => {
    const { id } = await template(member, { name: 'Private words' })
    for (const other of [colleague, manager]) {
      expect((await other.rest.emailTemplate!({ id })).status).toBe(404)
      expect((await other.rest.emailTemplatePreview!({ id, body: {} })).status).toBe(404)
      expect((await other.rest.emailTemplateClone!({ id })).status).toBe(404)
      expect((await other.rest.emailTemplateUpdate!({ id, body: { name: 'Mine' } })).status).toBe(404)
      expect((await other.rest.emailTemplateReplace!({ id, body: aTemplate() })).status).toBe(404)
      expect((await other.rest.emailTemplateDelete!({ id })).status).toBe(404)
      const { body } = await other.rest.emailTemplateList!({ query: { search: 'Private words' } })
      expect(body).toMatchObject({ total: 0, data: [] })
    }
    const before = (await colleague.rest.emailTemplateStats!()).body
    expect((await member.rest.emailTemplateUpdate!({ id, body: { isShared: true } })).status).toBe(200)
    expect((await colleague.rest.emailTemplate!({ id })).body.name).toBe('Private words')
    const after = (await colleague.rest.emailTemplateStats!()).body
    expect([after.total - before.total, after.shared - before.shared]).toEqual([1, 1])
    expect((await stranger.rest.emailTemplate!({ id })).status).toBe(404)
  })

  it('a shared template is changed by its owner and by managers; others are refused with 403', async () => {
    const { id } = await template(member, { isShared: true })
    for (const call of [
      () => colleague.rest.emailTemplateUpdate!({ id, body: { name: 'Mine' } }),
      () => colleague.rest.emailTemplateReplace!({ id, body: aTemplate({ name: 'Mine' }) }),
      () => colleague.rest.emailTemplateDelete!({ id }),
    ])
      expect(await refused(platform, call)).toEqual([403, 'PERMISSION_DENIED'])
    expect((await manager.rest.emailTemplateUpdate!({ id, body: { name: 'Ours' } })).body.name).toBe('Ours')
  })

  it('a replay of an answer is refused after the template became private', async () => {
    const { id } = await template(member, { isShared: true })
    const headers = { 'Idempotency-Key': 'preview-of-shared' }
    expect((await colleague.rest.emailTemplatePreview!({ id, body: {}, headers })).status).toBe(200)
    expect((await member.rest.emailTemplateUpdate!({ id, body: { isShared: false } })).status).toBe(200)
    expect((await colleague.rest.emailTemplatePreview!({ id, body: {}, headers })).status).toBe(404)
  })

  it('a preview with a record and an Idempotency-Key is answered once', async () => {
    const { id } = await template(member, { subject: 'Hello {{contact.firstName}}' })
    const { body: contact } = await member.rest.contactCreate!({ body: { firstName: 'Ida', lastName: 'Berg' } })
    const headers = { 'Idempotency-Key': 'preview-with-record' }
    const preview = () => member.rest.emailTemplatePreview!({ id, body: { contactId: contact.id }, headers })
    const first = await preview()
    expect([first.status, first.body.subject]).toEqual([200, 'Hello Ida'])
    await member.rest.contactUpdate!({ id: contact.id, body: { firstName: 'Eva' } })
    expect((await preview()).body).toEqual(first.body)
  })
})

describe('emailTemplateReplace', () => {
  it('sets every field that the body does not name to its default', async () => {
    const created = await template(member, {
      category: 'SALES',
      status: 'ACTIVE',
      tags: ['a'],
      bodyText: 'x',
      language: 'en',
      isShared: true,
      externalId: 'E-1',
      metadata: { a: 1 },
      customFields: { tier: 'gold' },
      variables: [{ name: 'a' }],
    })
    const given = { name: 'New', subject: 'S', bodyHtml: '<p>B</p>', customFields: { size: 3 } }
    const { status, body, headers } = await member.rest.emailTemplateReplace!({ id: created.id, body: given })
    expect(status).toBe(200)
    expect(headers.get('etag')).toBe('"2"')
    expect(body).toEqual({
      ...created,
      ...given,
      bodyText: null,
      category: 'OTHER',
      status: 'DRAFT',
      language: null,
      isShared: false,
      tags: [],
      variables: [],
      externalId: null,
      metadata: null,
      version: 2,
      updatedAt: body.updatedAt,
    })
    expect(await platform.eventTypesOf(created.id)).toEqual(['email_template.created', 'email_template.updated'])
  })

  it('refuses a missing field with 400 and another version with 409', async () => {
    const { id } = await template(member)
    const replace = (call: object) => () => member.rest.emailTemplateReplace!({ id, ...call })
    expect(await refused(platform, replace({ body: { name: 'New', subject: 'S' } }))).toEqual([
      400,
      'VALIDATION_FAILED',
    ])
    const older = { body: aTemplate({ name: 'New' }), headers: { 'If-Match': '"7"' } }
    expect(await refused(platform, replace(older))).toEqual([409, 'VERSION_CONFLICT'])
  })
})

describe('emailTemplateClone', () => {
  it('copies a shared template of another user as an own private draft', async () => {
    const { id, ...source } = await template(member, {
      isShared: true,
      status: 'ACTIVE',
      tags: ['a'],
      category: 'SALES',
    })
    const { status, body, headers } = await colleague.rest.emailTemplateClone!({ id })
    expect([status, headers.get('etag')]).toEqual([201, '"1"'])
    expect(body).toMatchObject({
      name: `Copy of ${source.name}`,
      subject: source.subject,
      bodyHtml: source.bodyHtml,
      category: 'SALES',
      tags: ['a'],
      status: 'DRAFT',
      isShared: false,
      ownerId: colleague.userId,
    })
    const named = await colleague.rest.emailTemplateClone!({ id, body: { name: 'Mine' } })
    expect(named.body.name).toBe('Mine')
  })
})

describe('emailTemplatePreview', () => {
  it('fills in records, given values and defaults, and lists what is missing and unknown', async () => {
    const { id: accountId } = await account(member, { name: 'Baltic <Ferries>' })
    const { id: contactId } = await contact(member, { firstName: 'Ines', accountId })
    const { id } = await template(member, {
      bodyHtml:
        '<p>{{contact.firstName}} {{contact.title}} {{offer.deadline}} {{offer.code}} {{nothing.known}}</p><script>x</script>',
      variables: [
        { name: 'offer.deadline', required: true },
        { name: 'offer.code', required: true, defaultValue: 'X1' },
      ],
    })
    const { status, body } = await member.rest.emailTemplatePreview!({ id, body: { contactId } })
    expect(status).toBe(200)
    expect(body).toEqual({
      subject: 'Slots for Baltic <Ferries>',
      bodyHtml: '<p>Ines   X1 </p>',
      bodyText: 'Ines X1',
      missingVariables: ['contact.title', 'offer.deadline'],
      unknownVariables: ['nothing.known'],
    })
    const variables = { 'contact.firstName': 'Ada', 'offer.deadline': 'Friday', contact: { title: 'CEO' } }
    const given = await member.rest.emailTemplatePreview!({ id, body: { contactId, variables } })
    expect(given.body).toMatchObject({ bodyHtml: '<p>Ada CEO Friday X1 </p>', missingVariables: [] })
  })

  it('refuses a contact of another organization', async () => {
    const { id: contactId } = await contact(stranger, { firstName: 'Secret' })
    const { id } = await template(member, { bodyHtml: '{{contact.firstName}}' })
    const preview = () => member.rest.emailTemplatePreview!({ id, body: { contactId } })
    expect(await refusedInputs(platform, preview)).toEqual([400, 'VALIDATION_FAILED', 'contactId UNKNOWN_REFERENCE'])
  })

  it('an expensive template answers 400 while others are served', async () => {
    const { id } = await template(member, {
      bodyHtml: '{% for i in (1..100000) %}{% for j in (1..100000) %}{% endfor %}{% endfor %}',
    })
    const { status, body } = await member.rest.emailTemplatePreview!({ id, body: {} })
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ path: 'bodyHtml', code: 'TOO_EXPENSIVE' }])
  })

  it('refuses values of more than 64,000 characters', async () => {
    const { id } = await template(member)
    const { status, body } = await member.rest.emailTemplatePreview!({
      id,
      body: { variables: { a: 'x'.repeat(64_000) } },
    })
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ path: 'variables', code: 'TOO_LONG' }])
  })
})

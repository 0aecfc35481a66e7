import { beforeEach, describe, expect, it } from 'vitest'
import { account, contact, opportunity } from '../builders.ts'
import { refused } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let ann: Member
let accountId: string
let dealId: string

beforeEach(async () => {
  ann = await platform.member({ organizationId: await platform.organization() })
  accountId = (await account(ann)).id
  dealId = (await opportunity(ann, { accountId })).id
})

const content = Buffer.from('# Agreement\nThe notice period is ninety days.\n').toString('base64')
const about = { account: () => ['ACCOUNT', accountId], deal: () => ['OPPORTUNITY', dealId] } as const
const add = async (name: string, values: object, by = ann): Promise<string> => {
  const { status, body } = await by.rest.knowledgeDocumentCreate!({ body: { name, content, ...values } })
  expect([status, body.errors]).toEqual([201, undefined])
  return body.id as string
}
const contract = (name: string, of: keyof typeof about = 'account', category: string | null = 'CONTRACT') => {
  const [recordType, recordId] = about[of]()
  return add(name, { recordType, recordId, ...(category && { category }) })
}
const listed = async (query: Record<string, string>, by = ann) => {
  const { status, body } = await by.rest.knowledgeDocumentList!({ query })
  return status === 200 ? body.data.map(({ name }: { name: string }) => name) : status
}
const contractsOf = async (by = ann, id = accountId) =>
  (await by.rest.customer360Documents!({ accountId: id })).body.contracts.map(({ name }: { name: string }) => name)

describe('the category of a document', () => {
  it('is OTHER unless it is given, is changed by those who see the document, and filters lists', async () => {
    const id = await contract('Terms.md', 'account', null)
    await contract('Master.md')
    expect([await listed({ category: 'CONTRACT' }), await listed({ category: 'OTHER' })]).toEqual([
      ['Master.md'],
      ['Terms.md'],
    ])
    platform.advanceClock(1_000)
    const { status, body } = await ann.rest.knowledgeDocumentUpdate!({ id, body: { category: 'CONTRACT' } })
    expect([status, body.category, body.updatedAt]).toEqual([200, 'CONTRACT', platform.now.toISOString()])
    expect((await ann.rest.knowledgeDocument!({ id })).body).toEqual(body)
    expect(await listed({ category: 'CONTRACT' })).toEqual(['Master.md', 'Terms.md'])
    const graph = await ann.graphql('{ knowledgeDocumentList(category: CONTRACT) { total data { category } } }')
    expect(graph.body.data.knowledgeDocumentList).toEqual({
      total: 2,
      data: [{ category: 'CONTRACT' }, { category: 'CONTRACT' }],
    })
  })

  it('is one of two', async () => {
    const id = await contract('Master.md')
    for (const category of ['SECRET', null]) {
      const { status, body } = await ann.rest.knowledgeDocumentUpdate!({ id, body: { category } })
      expect([status, body.errors[0].path]).toEqual([400, 'category'])
    }
    const { status } = await ann.rest.knowledgeDocumentCreate!({ body: { name: 'a.md', category: 'SECRET' } })
    expect([status, await listed({ category: 'SECRET' })]).toEqual([400, 400])
    expect((await ann.rest.knowledgeDocument!({ id })).body.category).toBe('CONTRACT')
  })

  it('is not changed by others: 404 out of sight, 403 for users who only read and keys without the scope', async () => {
    const id = await contract('Master.md')
    const { organizationId } = ann
    const change = (by: Member) =>
      refused(platform, () => by.rest.knowledgeDocumentUpdate!({ id, body: { category: 'OTHER' } }))
    expect(await change(await platform.member({ organizationId: await platform.organization() }))).toEqual([
      404,
      'NOT_FOUND',
    ])
    expect(await change(await platform.member({ organizationId, visibility: 'OWN' }))).toEqual([404, 'NOT_FOUND'])
    expect(await change(await platform.member({ organizationId, role: 'READ_ONLY' }))).toEqual([
      403,
      'PERMISSION_DENIED',
    ])
    expect(await change(await platform.member({ organizationId, scopes: ['WRITE_ACCOUNTS'] }))).toEqual([
      403,
      'API_KEY_SCOPE_INSUFFICIENT',
    ])
    expect((await ann.rest.knowledgeDocument!({ id })).body.category).toBe('CONTRACT')
  })
})

describe('the contracts of a customer', () => {
  it('are those of the account and its deals, the newest first, and of nothing else', async () => {
    const person = await contact(ann, { accountId })
    const other = (await account(ann)).id
    const first = await contract('Master.md')
    await contract('Order form.md', 'deal')
    await contract('Terms.md', 'account', null)
    await add('Person.md', { recordType: 'CONTACT', recordId: person.id, category: 'CONTRACT' })
    await add('Other.md', { recordType: 'ACCOUNT', recordId: other, category: 'CONTRACT' })
    await add('Shared.md', { isShared: true, category: 'CONTRACT' })
    const { body } = await ann.rest.customer360Documents!({ accountId })
    expect([body.contracts.length, body.warnings]).toEqual([2, []])
    expect(body.contracts[1]).toEqual({
      id: first,
      name: 'Master.md',
      format: 'MARKDOWN',
      recordType: 'ACCOUNT',
      recordId: accountId,
      bytes: 46,
      contentUrl: `/v1/documents/${first}/content`,
      createdAt: platform.now.toISOString(),
    })
    expect(body.contracts[0]).toMatchObject({ name: 'Order form.md', recordType: 'OPPORTUNITY', recordId: dealId })
    expect(await listed({ accountId })).toEqual(['Terms.md', 'Order form.md', 'Master.md'])
    expect([await listed({ accountId: other }), await contractsOf(ann, other)]).toEqual([['Other.md'], ['Other.md']])
  })

  it('are those about records that the caller sees', async () => {
    await contract('Master.md')
    await contract('Order form.md', 'deal')
    const own = await platform.member({ organizationId: ann.organizationId, visibility: 'OWN' })
    await ann.rest.accountUpdate!({ id: accountId, body: { ownerId: own.userId } })
    expect([await contractsOf(own), await listed({ accountId }, own)]).toEqual([['Master.md'], ['Master.md']])
    const foreign = await platform.member({ organizationId: await platform.organization() })
    expect(await listed({ accountId }, foreign)).toEqual([])
    await ann.rest.opportunityDelete!({ id: dealId })
    expect(await contractsOf()).toEqual(['Master.md'])
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, aLine, contact, invoice, lead, opportunity, product, quote } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { statementsOf } from '../statements.ts'

const platform = usePlatform()
let all: Member
let own: Member

beforeAll(async () => {
  all = await platform.member()
  own = await platform.member({ organizationId: all.organizationId, visibility: 'OWN' })
})

const read = async (who: Member, query: string, variables: object = {}) => {
  const { body } = await who.graphql(query, variables)
  expect(body.errors).toBe(undefined)
  return body.data
}

describe('the record that an id names', () => {
  it('is beside the id, in columns, parts, lists and figures', async () => {
    const ann = await contact(all, { lastName: 'Ann' })
    const dock = await product(all, { name: 'Dock' })
    const deal = await opportunity(all, {
      contactRoles: [{ contactId: ann.id, role: 'DECISION_MAKER' }],
      lineItems: [{ productId: dock.id, quantity: 2 }],
    })
    const offer = await quote(all, { lineItems: [{ productId: dock.id, quantity: 1 }, aLine()] })
    const found = await read(
      all,
      `query($deal: ID!, $offer: ID!) {
        opportunity(id: $deal) {
          contacts { lastName } contactRoles { contactId contact { lastName } } lineItems { productId product { name } } }
        quote(id: $offer) { lineItems { product { id name } } revisionOf { id } }
        opportunityBoard { pipelineId pipeline { id isDefault } }
      }`,
      { deal: deal.id, offer: offer.id },
    )
    const pipeline = found.opportunityBoard.pipelineId
    expect(found).toEqual({
      opportunity: {
        contacts: [{ lastName: 'Ann' }],
        contactRoles: [{ contactId: ann.id, contact: { lastName: 'Ann' } }],
        lineItems: [{ productId: dock.id, product: { name: 'Dock' } }],
      },
      quote: { lineItems: [{ product: { id: dock.id, name: 'Dock' } }, { product: null }], revisionOf: null },
      opportunityBoard: { pipelineId: pipeline, pipeline: { id: pipeline, isDefault: true } },
    })
  })

  it('is null, and not in a list, where the caller does not see it', async () => {
    const mine = await contact(all, { lastName: 'Mine', ownerId: own.userId })
    const theirs = await contact(all, { lastName: 'Theirs' })
    const dock = await product(all)
    const { id } = await opportunity(all, {
      ownerId: own.userId,
      contactRoles: [{ contactId: theirs.id }, { contactId: mine.id }],
      lineItems: [{ productId: dock.id, quantity: 1 }],
    })
    await all.rest.productDelete!({ id: dock.id })
    const query = `query($id: ID!) { opportunity(id: $id) {
      contacts { id } contactRoles { contactId contact { id } } lineItems { product { id } } } }`
    expect(await read(own, query, { id })).toEqual({
      opportunity: {
        contacts: [{ id: mine.id }],
        contactRoles: [
          { contactId: theirs.id, contact: null },
          { contactId: mine.id, contact: { id: mine.id } },
        ],
        lineItems: [{ product: null }],
      },
    })
  })

  it('is hidden with its id', async () => {
    const { id } = await opportunity(all, { contactRoles: [{ contactId: (await contact(all)).id }] })
    const reader = await platform.member({ organizationId: all.organizationId })
    const ctx = systemContext(platform.services, all.organizationId)
    const fields = { opportunity: { contactRoles: 'HIDDEN' } } as const
    const profile = await createProfile(ctx, { name: 'Without roles', fields })
    await assignProfile(ctx, reader.userId, profile.id)
    const query = 'query($id: ID!) { opportunity(id: $id) { contacts { id } contactRoles { contact { id } } } }'
    await expect.poll(() => read(reader, query, { id })).toEqual({ opportunity: { contacts: [], contactRoles: [] } })
  })

  it('needs the scope of its type', async () => {
    const { id } = await opportunity(all)
    const key = await platform.member({ organizationId: all.organizationId, scopes: ['READ_OPPORTUNITIES'] })
    const { body } = await key.graphql('query($id: ID!) { opportunity(id: $id) { contacts { id } } }', { id })
    expect(body.errors[0].extensions).toMatchObject({
      code: 'API_KEY_SCOPE_INSUFFICIENT',
      missingScopes: ['READ_CONTACTS'],
    })
  })

  it('is read with all others in one statement', async () => {
    const deals = `{ opportunityList(limit: 50) { data { contactRoles { contact { lastName } } lineItems { product { id } } } } }`
    await opportunity(all, { contactRoles: [{ contactId: (await contact(all)).id }] })
    await opportunity(all, { lineItems: [{ productId: (await product(all)).id, quantity: 1 }] })
    await read(all, deals)
    const statements = await statementsOf(platform, () => read(all, deals))
    expect(statements.length, statements.join('\n')).toBe(3)
  })
})

describe('a list at a record', () => {
  it('has the records that refer to it', async () => {
    const customer = await account(all, { name: 'Fjordline' })
    const person = await contact(all, { accountId: customer.id })
    const someone = await lead(all)
    const billed = await invoice(all, { customerId: customer.id })
    const {
      accountList,
      invoiceList,
      contact: found,
    } = await read(
      all,
      `query($name: String!, $person: ID!) {
        accountList(filter: { name: { eq: $name } }) { data {
          payments { nodes { id } } triageCases { nodes { id } } emailThreads { nodes { id } } } }
        contact(id: $person) { sequenceEnrollments { nodes { id } } emailThreads { nodes { id } } convertedFromLead { id } }
        invoiceList(filter: { customer: { name: { eq: $name } } }) { data { id customer { name } } }
      }`,
      { name: 'Fjordline', person: person.id },
    )
    const none = { nodes: [] }
    expect(accountList.data).toEqual([{ payments: none, triageCases: none, emailThreads: none }])
    expect(found).toEqual({ sequenceEnrollments: none, emailThreads: none, convertedFromLead: null })
    expect(invoiceList.data).toEqual([{ id: billed.id, customer: { name: 'Fjordline' } }])
    expect(await read(all, 'query($id: ID!) { lead(id: $id) { emailThreads { totalCount } } }', someone)).toEqual({
      lead: { emailThreads: { totalCount: 0 } },
    })
  })
})

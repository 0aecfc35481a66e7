import { beforeAll, describe, expect, it } from 'vitest'
import { selectionFor } from '../../subgraphs/events/webhook/selection-for.ts'
import { WebhookReader } from '../../subgraphs/events/webhook/webhook-reader.ts'
import { findActingUser } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let owner: Member
beforeAll(async () => {
  owner = await platform.member({ role: 'OWNER' })
})

const settings = { name: 'ERP', url: 'https://erp.example.com/hooks', events: ['opportunity.*', 'account.updated'] }
const onOpportunity = 'fragment Webhook on Opportunity { name account { name owner { email } } }'

const creating = (selection: string, by = owner, input: object = {}) =>
  by.rest.webhookCreate!({ body: { ...settings, ...input, selection } })

const anOpportunity = async (by = owner) => {
  const account = (await by.rest.accountCreate!({ body: { name: 'Northwind' } })).body
  const body = { name: 'Dock', accountId: account.id, amount: 5, currency: 'USD', closeDate: '2027-03-01' }
  const created = await by.rest.opportunityCreate!({ body })
  expect([created.status, created.body.errors]).toEqual([201, undefined])
  return { id: created.body.id as string, accountId: account.id as string }
}

const selected = async (selection: string, recordId: string, { type = 'opportunity.updated', by = owner } = {}) => {
  const created = await creating(selection, by)
  expect([created.status, created.body.errors]).toEqual([201, undefined])
  const { organizationId, id } = created.body
  const webhook = (await new WebhookReader(platform.services).of(organizationId))(id)!
  const acting = (await findActingUser(platform.services.database, organizationId, webhook.ownerId))!
  const object = type.split('.')[0]!
  return selectionFor(platform.services, webhook, { object, type, recordId }, acting)
}

describe('selection of a webhook', () => {
  it('is what the owner of the webhook reads of the record, across subgraphs', async () => {
    const { id } = await anOpportunity()
    expect(await selected(onOpportunity, id)).toEqual({
      selection: { name: 'Dock', account: { name: 'Northwind', owner: { email: expect.stringContaining('@') } } },
    })
  })

  it('has one fragment for each type, and fragments that these use', async () => {
    const { id, accountId } = await anOpportunity()
    const text = `fragment Deal on Opportunity { name account { ...Short } }
      fragment Short on Account { id }
      fragment Firm on Account { name }`
    expect(await selected(text, id)).toEqual({ selection: { name: 'Dock', account: { id: accountId } } })
    expect(await selected(text, accountId, { type: 'account.updated' })).toEqual({ selection: { name: 'Northwind' } })
  })

  it('is absent for types without a fragment and for deletions', async () => {
    const { id, accountId } = await anOpportunity()
    expect(await selected(onOpportunity, accountId, { type: 'account.updated' })).toBeNull()
    expect(await selected(onOpportunity, id, { type: 'opportunity.deleted' })).toBeNull()
  })

  it('is null with the reason when the record is deleted or not visible to the owner of the webhook', async () => {
    const { id } = await anOpportunity()
    await owner.rest.opportunityDelete!({ id })
    const notFound = {
      selection: null,
      selectionErrors: [{ code: 'NOT_FOUND', message: expect.any(String), path: [] }],
    }
    expect(await selected(onOpportunity, id)).toEqual(notFound)

    const own = await platform.member({ role: 'ADMIN', visibility: 'OWN' })
    const { id: hidden } = await anOpportunity()
    const { id: visible } = await anOpportunity(own)
    expect(await selected(onOpportunity, hidden, { by: own })).toEqual(notFound)
    expect(await selected('fragment W on Opportunity { name }', visible, { by: own })).toEqual({
      selection: { name: 'Dock' },
    })
  })

  it('is null with the reason when the graph does not have its fields any longer', async () => {
    const { id } = await anOpportunity()
    const webhook = { id: newId(), ownerId: owner.userId, selection: 'fragment W on Opportunity { colour }' }
    const acting = (await findActingUser(platform.services.database, owner.organizationId, owner.userId))!
    const event = { object: 'opportunity', type: 'opportunity.updated', recordId: id }
    const result = await selectionFor(platform.services, webhook, event, acting)
    expect(result).toMatchObject({ selection: null, selectionErrors: [{ code: 'GRAPHQL_VALIDATION_FAILED' }] })
  })

  it.each([
    ['not graphql {', 'NOT_GRAPHQL'],
    ['{ opportunityList { total } }', 'NOT_A_FRAGMENT'],
    ['mutation { webhookDelete(id: 1) }', 'NOT_A_FRAGMENT'],
    ['fragment A on Opportunity { colour }', 'GRAPHQL_VALIDATION_FAILED'],
    ['fragment A on Opportunity { name @include(if: $x) }', 'GRAPHQL_VALIDATION_FAILED'],
    ['fragment A on Opportunity { ...B } fragment B on Opportunity { ...A }', 'NO_FRAGMENT'],
    ['fragment C on Opportunity { ...A } fragment A on Opportunity { ...A }', 'GRAPHQL_VALIDATION_FAILED'],
    ['fragment A on Opportunity { name } fragment B on Opportunity { id }', 'NOT_UNIQUE'],
    ['fragment A on Opportunity { name } fragment A on Account { id }', 'NOT_UNIQUE'],
    ['fragment A on Case { subject }', 'UNKNOWN_TYPE'],
    ['fragment A on Query { opportunityList { total } }', 'UNKNOWN_TYPE'],
    [
      `fragment A on Opportunity { account { contacts(first: 100) { nodes { account { name contacts(first: 100) { nodes { id } } } } } } }`,
      'GRAPHQL_LIMIT_EXCEEDED',
    ],
    [`fragment A on Opportunity { ${'name '.repeat(900)} }`, 'TOO_LONG'],
  ])('is refused with 400: %s', async (text, code) => {
    const { status, body } = await creating(text)
    expect([status, body.errors?.[0]?.path, body.errors?.[0]?.code]).toEqual([400, 'selection', code])
  })

  it('needs the scopes of everything that it selects', async () => {
    const limited = await platform.member({ role: 'ADMIN', scopes: ['WRITE_WEBHOOKS', 'READ_OPPORTUNITIES'] })
    const refused = await creating(onOpportunity, limited)
    expect([refused.status, refused.body.code]).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
    expect((await creating('fragment A on Opportunity { name }', limited)).status).toBe(201)
  })

  it('is checked again when the events change', async () => {
    const { body } = await creating(onOpportunity)
    const refused = await owner.rest.webhookUpdate!({ id: body.id, body: { events: ['account.*'] } })
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'selection'])
    const changed = await owner.rest.webhookUpdate!({ id: body.id, body: { events: ['account.*'], selection: null } })
    expect([changed.status, changed.body.selection]).toEqual([200, null])
  })
})

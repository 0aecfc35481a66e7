import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { validateEvents } from '../contract/validate-events.ts'
import { usePlatform, type Member } from '../platform.ts'
import { deliver, fanOut, pass } from './deliver.ts'
import { Receiver } from './receiver.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let receiver: Receiver
let owner: Member

beforeAll(async () => {
  receiver = await Receiver.start()
})
afterAll(() => receiver.close())
beforeEach(async () => {
  await platform.query('delete from events.delivery_queue')
  receiver.take()
  owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
})

const aWebhook = async (event: string, by: Member = owner): Promise<void> => {
  const body = { name: 'ERP', url: receiver.url, events: [event], debounceSeconds: 60 }
  expect((await by.rest.webhookCreate!({ body })).status).toBe(201)
}
const anAccount = async (input: object = {}): Promise<string> => {
  const { status, body } = await owner.rest.accountCreate!({ body: { name: 'Acme', ...input } })
  expect(status).toBe(201)
  return body.id as string
}
/** Each change is merged into the delivery that waits. */
const change = async (id: string, body: object, object: 'account' | 'opportunity' = 'account') => {
  expect((await owner.rest[`${object}Update`]!({ id, body })).status).toBe(200)
  await fanOut(platform.services, owner.organizationId)
}
/** The only delivery, after the time of the webhook. */
const delivered = async () => {
  await pass(platform.services, 61_000)
  await deliver(platform.services, owner.organizationId)
  const [one, ...others] = receiver.take()
  expect(others).toEqual([])
  const { type, data } = one!.body as { readonly type?: string; readonly data: Record<string, unknown> }
  expect(validateEvents([{ type: type!, version: 1, data }])).toEqual([])
  return { text: one!.text, data }
}

describe('updates that a webhook with `debounceSeconds` gets as one', () => {
  it('agree about what was before all of them', async () => {
    await aWebhook('opportunity.stage_changed')
    const body = { name: 'Dock', accountId: await anAccount(), amount: 5, currency: 'USD', closeDate: '2027-03-01' }
    const { id } = (await owner.rest.opportunityCreate!({ body })).body as { id: string }
    await change(id, { stage: 'QUALIFICATION' }, 'opportunity')
    await change(id, { stage: 'PROPOSAL' }, 'opportunity')
    expect((await delivered()).data).toMatchObject({
      previousStage: 'PROSPECTING',
      previous: { stage: 'PROSPECTING' },
      stage: 'PROPOSAL',
      record: { stage: 'PROPOSAL' },
    })
  })

  it('have nothing that the owner of the webhook may not see at the time of the last one', async () => {
    const admin = await platform.member({ role: 'ADMIN', organizationId: owner.organizationId })
    await aWebhook('account.updated', admin)
    const id = await anAccount({ phone: '+47 1111' })
    await change(id, { phone: '+47 2222', industry: 'Shipping' })
    const ctx = systemContext(platform.services, owner.organizationId)
    const profile = await createProfile(ctx, { name: 'Without phones', fields: { account: { phone: 'HIDDEN' } } })
    await assignProfile(ctx, admin.userId, profile.id)
    await change(id, { name: 'Other' })
    const { text, data } = await delivered()
    expect(data).toMatchObject({
      previous: { name: 'Acme', industry: null },
      record: { name: 'Other', industry: 'Shipping' },
      changedFields: ['industry', 'name'],
      redactedFields: ['phone'],
    })
    expect(text).not.toContain('+47')
  })

  it('leave out `previous` if they would be too large together', async () => {
    await aWebhook('account.updated')
    const text = 'x'.repeat(600_000)
    const id = await anAccount({ customFields: { text } })
    await change(id, { customFields: { text: null } })
    await change(id, { customFields: { other: text } })
    const { data } = await delivered()
    expect(data).toMatchObject({ record: { customFields: { other: text } }, omitted: ['previous'] })
    expect(data).not.toHaveProperty('previous')
  })
})

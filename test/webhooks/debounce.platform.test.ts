import { describe, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { validateEvents } from '../contract/validate-events.ts'
import type { Member } from '../platform.ts'
import { deliver, fanOut, pass } from './deliver.ts'
import { aWebhook, restrict, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used

const hook = (event: string, by: Member = used.owner) => aWebhook(used, { events: [event], debounceSeconds: 60 }, by)
const anAccount = async (input: object = {}): Promise<string> =>
  (await account(used.owner, { name: 'Acme', ...input })).id
/** Each change is merged into the delivery that waits. */
const change = async (id: string, body: object, object: 'account' | 'opportunity' = 'account') => {
  expect((await used.owner.rest[`${object}Update`]!({ id, body })).status).toBe(200)
  await fanOut(platform.services, used.owner.organizationId)
}
/** The only delivery, after the time of the webhook. */
const delivered = async () => {
  await pass(platform.services, 61_000)
  await deliver(platform.services, used.owner.organizationId)
  const [one, ...others] = used.receiver.take()
  expect(others).toEqual([])
  const { type, data } = one!.body as { readonly type?: string; readonly data: Record<string, unknown> }
  expect(validateEvents([{ type: type!, version: 1, data }])).toEqual([])
  return { text: one!.text, data }
}

describe('updates that a webhook with `debounceSeconds` gets as one', () => {
  it('agree about what was before all of them', async () => {
    await hook('opportunity.stage_changed')
    const body = { name: 'Dock', accountId: await anAccount(), amount: 5, currency: 'USD', closeDate: '2027-03-01' }
    const { id } = (await used.owner.rest.opportunityCreate!({ body })).body as { id: string }
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
    const admin = await platform.member({ role: 'ADMIN', organizationId: used.owner.organizationId })
    await hook('account.updated', admin)
    const id = await anAccount({ phone: '+47 1111' })
    await change(id, { phone: '+47 2222', industry: 'Shipping' })
    await restrict(used, admin, { phone: 'HIDDEN' })
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
    await hook('account.updated')
    const text = 'x'.repeat(600_000)
    const id = await anAccount({ customFields: { text } })
    await change(id, { customFields: { text: null } })
    await change(id, { customFields: { other: text } })
    const { data } = await delivered()
    expect(data).toMatchObject({ record: { customFields: { other: text } }, omitted: ['previous'] })
    expect(data).not.toHaveProperty('previous')
  })
})

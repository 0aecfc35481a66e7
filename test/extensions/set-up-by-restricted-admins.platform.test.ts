import { expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { usePlatform, type Member } from '../platform.ts'
import { useHookReceiver } from './hook-receiver.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
const receiver = useHookReceiver()

/** An owner, and an admin who does not see the revenue of accounts. */
async function ownerAndAdmin(): Promise<{ owner: Member; admin: Member }> {
  const organizationId = await platform.organization()
  const owner = await platform.member({ organizationId, role: 'OWNER' })
  const admin = await platform.member({ organizationId, role: 'ADMIN' })
  const ctx = systemContext(platform.services, organizationId)
  const profile = await createProfile(ctx, { name: 'Hidden', fields: { account: { annualRevenue: 'HIDDEN' } } })
  await assignProfile(ctx, admin.userId, profile.id)
  return { owner, admin }
}

it('a hook is set up only by those who see what it receives, and turned off and deleted by every admin', async () => {
  const { owner, admin } = await ownerAndAdmin()
  const body = { objectType: 'ACCOUNT', name: 'Checked elsewhere', url: receiver.url }
  const made = await owner.rest.beforeSaveHookCreate!({ body })
  expect(made.status).toBe(201)
  const { id } = made.body
  for (const answer of [
    await admin.rest.beforeSaveHookCreate!({ body: { ...body, name: 'Other' } }),
    await admin.rest.beforeSaveHookUpdate!({ id, body: { url: `${receiver.url}/other` } }),
    await admin.rest.beforeSaveHookUpdate!({ id, body: { isActive: true } }),
  ])
    expect([answer.status, answer.body.code]).toEqual([403, 'PERMISSION_DENIED'])
  expect((await owner.rest.beforeSaveHook!({ id })).body).toMatchObject({ url: receiver.url, version: 1 })
  expect((await admin.rest.beforeSaveHookUpdate!({ id, body: { isActive: false } })).status).toBe(200)
  expect((await admin.rest.beforeSaveHookDelete!({ id })).status).toBe(204)
})

it('a validation rule that is on names only fields that who sets it up may read', async () => {
  const { owner, admin } = await ownerAndAdmin()
  const ruleOf = (field: string) => ({
    entityType: 'ACCOUNT',
    name: field,
    conditions: [{ field, operator: 'GREATER_THAN', value: 5 }],
    errorMessage: 'Too much.',
  })
  const refused = await admin.rest.validationRuleCreate!({ body: ruleOf('annualRevenue') })
  expect(refused.status).toBe(400)
  expect(refused.body.errors[0].path).toBe('conditions.0.field')
  for (const [valueType, value] of [
    ['FIELD', 'annualRevenue'],
    ['FORMULA', 'annualRevenue / 1000'],
  ]) {
    const conditions = [{ field: 'numberOfEmployees', operator: 'GREATER_THAN', value, valueType }]
    const body = { ...ruleOf('annualRevenue'), name: `By ${valueType}`, conditions }
    expect((await admin.rest.validationRuleCreate!({ body })).status).toBe(400)
    expect((await owner.rest.validationRuleCreate!({ body })).status).toBe(201)
  }
  expect((await admin.rest.validationRuleCreate!({ body: ruleOf('numberOfEmployees') })).status).toBe(201)
  const made = await owner.rest.validationRuleCreate!({ body: ruleOf('annualRevenue') })
  const { id } = made.body
  const change = (body: object) => admin.rest.validationRuleUpdate!({ id, body })
  const changed = { conditions: [{ field: 'annualRevenue', operator: 'GREATER_THAN', value: 6 }] }
  expect((await change(changed)).status).toBe(400)
  expect((await change({ isActive: false })).status).toBe(200)
  expect((await change({ isActive: true })).status).toBe(400)
  expect((await admin.rest.validationRuleDelete!({ id })).status).toBe(204)
})

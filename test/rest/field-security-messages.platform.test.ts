import { expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { refusedInputs } from '../expectations.ts'
import { usePlatform } from '../platform.ts'

const platform = usePlatform()
const id = newId()

// Operation, hidden field, query that is sent, parameter that the refusal names.
const asked: [string, string, Record<string, string>, string][] = [
  ['accountList', 'account.industry', { industry: 'Fishing' }, 'industry'],
  ['accountList', 'account.type', { type: 'CUSTOMER' }, 'type'],
  ['accountList', 'account.ownerId', { owner: id }, 'owner'],
  ['accountList', 'account.parentAccountId', { parentAccountId: id }, 'parentAccountId'],
  ['accountList', 'account.annualRevenue', { sortBy: 'annualRevenue' }, 'sortBy'],
  ['accountList', 'account.annualRevenue', { sortBy: 'annualRevenue', sortOrder: 'asc', limit: '5' }, 'sortBy'],
  ['accountList', 'account.customFields.tier', { customFields: '{"tier":"gold"}' }, 'customFields.tier'],
  ['accountList', 'account.customFields.tier', { 'customFields[tier]': 'gold' }, 'customFields.tier'],
  ['accountList', 'account.customFields', { 'customFields[tier]': 'gold' }, 'customFields'],
  ['caseList', 'case.contactId', { contactId: id }, 'contactId'],
  ['caseList', 'case.assignedToId', { assignedToId: id }, 'assignedToId'],
  ['caseList', 'case.slaDueAt', { sortBy: 'slaDueAt' }, 'sortBy'],
  ['productList', 'product.customFields.tier', { 'customFields[tier]': 'gold' }, 'customFields.tier'],
]

it.each(asked)('%s names the sent parameter when %s is hidden: %j', async (operation, field, query, path) => {
  const member = await platform.member()
  const ctx = systemContext(platform.services, member.organizationId)
  const [, object, name] = /^(\w+)\.(.*)$/.exec(field)!
  const profile = await createProfile(ctx, { name: newId(), fields: { [object!]: { [name!]: 'HIDDEN' } } })
  await assignProfile(ctx, member.userId, profile.id)

  expect(await refusedInputs(platform, () => member.rest[operation]!({ query }))).toEqual([
    403,
    'FIELD_NOT_READABLE',
    `${path} FIELD_NOT_READABLE`,
  ])
  const { body } = await member.rest[operation]!({ query })
  expect([body.detail, body.errors[0].message]).toEqual(Array(2).fill(`Your profile does not let you read ${path}.`))
})

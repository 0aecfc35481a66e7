import { connectionOf, filterOf, inputFrom, orderOf, pageOf } from '../../kernel/record/inputs.ts'
import { Account } from './account.ts'

const changeable = [
  'ownerId',
  'externalId',
  'tags',
  'metadata',
  'customFields',
  'type',
  'industry',
  'website',
  'domain',
  'phone',
  'fax',
  'description',
  'parentAccountId',
  'legacyCrmId',
  'numberOfEmployees',
  'annualRevenue',
  'billingStreet',
  'billingCity',
  'billingState',
  'billingPostalCode',
  'billingCountry',
  'shippingStreet',
  'shippingCity',
  'shippingState',
  'shippingPostalCode',
  'shippingCountry',
  'accountStatus',
  'rating',
  'healthScore',
  'lifetimeValue',
  'churnRisk',
  'painPoints',
  'techStack',
  'competitors',
  'isStrategic',
  'tier',
  'region',
  'lastActivityDate',
  'nextActivityDate',
] as const

export const AccountCreateInput = inputFrom('AccountCreateInput', Account, {
  required: ['name'],
  optional: ['id', ...changeable],
})
export type AccountCreateInput = InstanceType<typeof AccountCreateInput>

export const AccountUpdateInput = inputFrom('AccountUpdateInput', Account, { optional: ['name', ...changeable] })
export type AccountUpdateInput = InstanceType<typeof AccountUpdateInput>

export const AccountFilter: new () => object = filterOf('AccountFilter', Account, {
  parent: { one: () => AccountFilter },
  children: { many: () => AccountFilter, name: 'AccountListFilter' },
})
export const AccountOrder = orderOf('AccountOrder', Account)
export const AccountPage = pageOf('AccountPage', Account, 'ACCOUNTS')
export const AccountConnection = connectionOf('Account', Account, 'ACCOUNTS')

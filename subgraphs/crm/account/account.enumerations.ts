import { enumeration } from '../../kernel/record/column.ts'

export const AccountType = enumeration('AccountType', 'Role of a company in the business of the organization.', {
  PROSPECT: 'May become a customer.',
  CUSTOMER: 'Buys from the organization.',
  PARTNER: 'Works with the organization.',
  RESELLER: 'Sells products of the organization to its own customers.',
  COMPETITOR: 'Sells similar products.',
  OTHER: 'Any other role, for example a supplier.',
})
export type AccountType = keyof typeof AccountType

export const AccountStatus = enumeration('AccountStatus', 'State of the business relationship with an account.', {
  ACTIVE: 'There is a business relationship. The default.',
  INACTIVE: 'The relationship rests.',
  PENDING: 'The relationship has not begun yet.',
  CHURNED: 'A former customer who left.',
})
export type AccountStatus = keyof typeof AccountStatus

export const AccountRating = enumeration('AccountRating', 'Sales rating of an account.', {
  HOT: 'A deal is likely soon.',
  WARM: 'There is interest.',
  COLD: 'No deal is expected.',
})
export type AccountRating = keyof typeof AccountRating

export const ChurnRisk = enumeration('ChurnRisk', 'Risk that a customer leaves.', {
  HIGH: 'Likely to leave; needs attention.',
  MEDIUM: 'May leave.',
  LOW: 'Unlikely to leave.',
  NONE: 'No sign of leaving.',
})
export type ChurnRisk = keyof typeof ChurnRisk

import { enumeration } from '../../kernel/record/column.ts'

export const ContactStatus = enumeration('ContactStatus', 'Whether a contact is in use.', {
  ACTIVE: 'The organization works with the person. The default.',
  INACTIVE: 'The person has left, or the contact rests.',
})
export type ContactStatus = keyof typeof ContactStatus

export const EmailStatus = enumeration('EmailStatus', 'Whether emails reach a person.', {
  UNKNOWN: 'Nothing is known yet. The default.',
  VALID: 'Emails arrive.',
  BOUNCED: 'An email was returned as undeliverable.',
  COMPLAINED: 'The person reported an email as spam.',
  UNSUBSCRIBED: 'The person does not want marketing emails.',
})
export type EmailStatus = keyof typeof EmailStatus

export const Seniority = enumeration('Seniority', 'Rank of a person in the company.', {
  C_LEVEL: 'Member of the executive board.',
  VP: 'Vice president.',
  DIRECTOR: 'Director or head of a division.',
  MANAGER: 'Manager of a team.',
  INDIVIDUAL: 'Employee without a team.',
  OTHER: 'Any other rank.',
})
export type Seniority = keyof typeof Seniority

export const BuyingRole = enumeration('BuyingRole', 'Part that a person plays in a decision to buy.', {
  DECISION_MAKER: 'Decides whether to buy.',
  CHAMPION: 'Supports the purchase inside the company.',
  INFLUENCER: 'Has influence on the decision.',
  EVALUATOR: 'Compares the offers.',
  BLOCKER: 'Opposes the purchase.',
  END_USER: 'Will work with the product.',
  OTHER: 'Any other part.',
})
export type BuyingRole = keyof typeof BuyingRole

export const LifecycleStage = enumeration('LifecycleStage', 'How far a person has come on the way to a customer.', {
  SUBSCRIBER: 'Receives news of the organization.',
  LEAD: 'Has shown interest.',
  MQL: 'Marketing qualified lead: ready to be called by sales.',
  SQL: 'Sales qualified lead: sales has confirmed the interest.',
  OPPORTUNITY: 'Takes part in an open opportunity.',
  CUSTOMER: 'Has bought.',
  EVANGELIST: 'A customer who recommends the organization.',
  OTHER: 'Any other stage.',
})
export type LifecycleStage = keyof typeof LifecycleStage

export const ConsentStatus = enumeration('ConsentStatus', 'Whether a person has agreed to be contacted.', {
  GRANTED: 'The person has agreed.',
  DENIED: 'The person has refused or withdrawn the consent.',
  UNKNOWN: 'The person was not asked. The default.',
})
export type ConsentStatus = keyof typeof ConsentStatus

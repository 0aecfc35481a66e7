import { enumeration } from '../../kernel/record/column.ts'

export const Customer360SignalKey = enumeration('Customer360SignalKey', 'What a signal says about a customer.', {
  ENGAGEMENT_UP: 'The customer engages more than in the weeks before, by more than chance explains.',
  ENGAGEMENT_DOWN: 'The customer engages less than in the weeks before, by more than chance explains.',
  SILENCE: 'Nothing happened for more than three times the usual gap between two activities.',
  CHAMPION_LEFT: 'A contact who is a champion became inactive in the last 30 days.',
  CASES_ESCALATED: 'Cases are escalated.',
  INVOICES_OVERDUE: 'Invoices are overdue.',
  RENEWAL_NEAR: 'An open deal of the type RENEWAL closes within 90 days, or should have closed.',
  DEAL_STALLED: 'An open deal is in its stage for longer than the pipeline allows (`rottenAfterDays`).',
  FORM_SUBMITTED: 'Somebody submitted a form in the last 30 days.',
  DOCUMENT_VIEWED: 'Somebody viewed a document in the last 30 days.',
  DECISION_MAKER_JOINED: 'A contact who is a decision maker was added in the last 30 days.',
})
export type Customer360SignalKey = keyof typeof Customer360SignalKey

export const Customer360Polarity = enumeration('Customer360Polarity', 'Whether a signal is good.', {
  POSITIVE: 'Good for the relation with the customer.',
  NEGATIVE: 'A risk, or something to attend to.',
  BUYING: 'The customer may want to buy.',
})
export type Customer360Polarity = keyof typeof Customer360Polarity

export const Customer360Block = enumeration('Customer360Block', 'A part of the view that is read by itself.', {
  CONTACTS: 'The first ten contacts, in `contacts`.',
  ROLES: 'The signals of champions and decision makers.',
  DEALS: 'The open deals, and their signals.',
  REVENUE: '`wonRevenue`.',
  CASES: 'The open cases, and their signals.',
  INVOICES: 'What is outstanding and overdue, and its signals.',
  ENGAGEMENT: 'The engagement, and its signals.',
  HEALTH: 'The health of the account.',
  BUYING: 'The signals of forms and documents.',
  TIMELINE: '`recentTimeline`.',
  BRIEF: 'The stored brief of the caller, in `brief`.',
  QUOTES: 'The newest quotes.',
  CONTRACTS: 'The newest contracts.',
  ORDERS: 'The newest orders.',
})
export type Customer360Block = keyof typeof Customer360Block

export const Customer360Object = enumeration('Customer360Object', 'The type of a record that a signal is made of.', {
  ACTIVITY: 'An activity.',
  CASE: 'A case.',
  CONTACT: 'A contact.',
  INVOICE: 'An invoice.',
  OPPORTUNITY: 'An opportunity.',
})

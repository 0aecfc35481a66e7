import { halfLifeDaysDefault, halfLifeDaysOfLeads } from '../decay.ts'

export type ScoredObject = 'account' | 'contact' | 'lead'

/** The record types with stored engagement: the column of activities with their ids, its name in events, and their half-life. */
export const scoredObjects = {
  account: { link: 'account_id', field: 'accountId', halfLifeDays: halfLifeDaysDefault },
  contact: { link: 'contact_id', field: 'contactId', halfLifeDays: halfLifeDaysDefault },
  lead: { link: 'lead_id', field: 'leadId', halfLifeDays: halfLifeDaysOfLeads },
} as const satisfies Readonly<Record<ScoredObject, object>>

export const objectNames = Object.keys(scoredObjects) as ScoredObject[]

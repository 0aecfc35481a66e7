import { enumeration } from '../../kernel/record/column.ts'

export const LeadStatus = enumeration('LeadStatus', 'How far the work on a lead has come.', {
  NEW: 'Nobody has worked on it yet. The default.',
  CONTACTED: 'Somebody of the organization has contacted the person.',
  QUALIFIED: 'There is a real interest; the lead can be converted.',
  NURTURING: 'There is no interest at present; it may come later.',
  UNQUALIFIED: 'There is no interest, or the person cannot buy. The only move leads back to NEW.',
  CONVERTED:
    'Converted to an account, a contact and usually an opportunity. Only a conversion sets it; the lead is then read-only.',
})
export type LeadStatus = keyof typeof LeadStatus

export const LeadRating = enumeration('LeadRating', 'Sales rating of a lead.', {
  HOT: 'Likely to buy. Automatic with a `leadScore` of 70 or more.',
  WARM: 'There is interest. Automatic with a `leadScore` of 40 to 69.',
  COLD: 'No purchase is expected. Automatic with a `leadScore` below 40.',
})
export type LeadRating = keyof typeof LeadRating

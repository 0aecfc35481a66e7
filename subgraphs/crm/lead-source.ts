import { enumeration } from '../kernel/record/column.ts'

export const LeadSource = enumeration('LeadSource', 'How the organization first met a person or a company.', {
  WEB: 'A form or a visit of the web site.',
  EMAIL: 'An email.',
  PHONE: 'A call.',
  REFERRAL: 'A recommendation by a customer or an employee.',
  PARTNER: 'A partner.',
  EVENT: 'A fair, a conference or another event.',
  SOCIAL: 'A social network.',
  ADVERTISEMENT: 'An advertisement.',
  WEBINAR: 'A webinar.',
  OUTBOUND: 'The organization made the first contact.',
  IMPORT: 'An imported list.',
  API: 'Another system, through the API.',
  OTHER: 'Any other way.',
})
export type LeadSource = keyof typeof LeadSource

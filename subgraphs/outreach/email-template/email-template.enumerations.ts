import { enumeration } from '../../kernel/record/column.ts'

export const EmailTemplateCategory = enumeration('EmailTemplateCategory', 'What a mail of the template is for.', {
  OTHER: 'Any other purpose. The default.',
  SALES: 'First contact and offers.',
  FOLLOW_UP: 'Reminders after a meeting, a call or an earlier mail.',
  ONBOARDING: 'First steps of a new customer.',
  SUPPORT: 'Answers to questions and problems.',
  BILLING: 'Invoices and payments.',
  MARKETING: 'News and campaigns.',
})
export type EmailTemplateCategory = keyof typeof EmailTemplateCategory

export const EmailTemplateStatus = enumeration('EmailTemplateStatus', 'Whether a template can be used.', {
  DRAFT: 'Being written; it can be previewed but not sent. The default.',
  ACTIVE: 'Can be sent.',
  ARCHIVED: 'No longer used; it cannot be sent.',
})
export type EmailTemplateStatus = keyof typeof EmailTemplateStatus

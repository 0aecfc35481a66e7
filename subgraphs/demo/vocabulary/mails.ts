import type { EmailTemplate } from '../../outreach/email-template/email-template.ts'
import type { EmailTemplateVariable } from '../../outreach/email-template/template-variable.ts'

type Variable = Pick<EmailTemplateVariable, 'name'> & Partial<EmailTemplateVariable>

/** The texts of the email templates of the demo. */
export const mailTexts: readonly (Pick<
  EmailTemplate,
  'name' | 'subject' | 'bodyHtml' | 'category' | 'status' | 'isShared'
> & { readonly variables: readonly Variable[] })[] = [
  {
    name: 'First contact',
    subject: 'An idea for {{account.name | your team}}',
    bodyHtml:
      '<p>Hello {{contact.firstName | there}},</p><p>we help companies like {{account.name | yours}} to spend less time on planning. Would you have twenty minutes next week?</p><p>Best regards<br>{{sender.name}}</p>',
    category: 'SALES',
    status: 'ACTIVE',
    isShared: true,
    variables: [],
  },
  {
    name: 'After the meeting',
    subject: 'Thank you for your time, {{contact.firstName | and next steps}}',
    bodyHtml:
      '<p>Hello {{contact.firstName | there}},</p><p>thank you for the conversation. {% if opportunity.nextStep %}Our next step: {{opportunity.nextStep}}.{% else %}I will come back to you with a proposal.{% endif %}</p><p>{{sender.name}}</p>',
    category: 'FOLLOW_UP',
    status: 'ACTIVE',
    isShared: true,
    variables: [],
  },
  {
    name: 'Offer reminder',
    subject: 'Our offer is valid until {{offer.deadline}}',
    bodyHtml:
      '<p>Hello {{contact.firstName | there}},</p><p>our offer is valid until {{offer.deadline}}. May I answer any question?</p><p>{{sender.name}}</p>',
    category: 'FOLLOW_UP',
    status: 'ACTIVE',
    isShared: true,
    variables: [
      { name: 'offer.deadline', label: 'End of the offer', required: true, defaultValue: 'the end of the month' },
    ],
  },
  {
    name: 'Welcome',
    subject: 'Welcome, {{account.name | new customer}}',
    bodyHtml:
      '<p>Dear {{contact.firstName | customer}},</p><p>your team can start today. The first steps:</p><ol><li>Sign in with the invitation.</li><li>Import your records.</li><li>Book the onboarding call.</li></ol><p>{{sender.name}}</p>',
    category: 'ONBOARDING',
    status: 'ACTIVE',
    isShared: true,
    variables: [],
  },
  {
    name: 'Payment reminder',
    subject: 'Invoice {{invoice.number}} is open',
    bodyHtml:
      '<p>Dear {{contact.name | customer}},</p><p>invoice {{invoice.number}} of {{invoice.amount}} is still open. Please ignore this mail if you have paid.</p>',
    category: 'BILLING',
    status: 'ACTIVE',
    isShared: true,
    variables: [
      { name: 'invoice.number', label: 'Number of the invoice', required: true },
      { name: 'invoice.amount', label: 'Open amount', required: true },
    ],
  },
  {
    name: 'Release news',
    subject: 'What is new this quarter',
    bodyHtml:
      '<h1>What is new</h1><p>Hello {{contact.firstName | there}},</p><p>this quarter brought faster search and a new board.</p><p><a href="{{unsubscribeUrl}}">No more news</a></p>',
    category: 'MARKETING',
    status: 'DRAFT',
    isShared: false,
    variables: [],
  },
  {
    name: 'Ticket answered',
    subject: 'Your question',
    bodyHtml: '<p>Hello {{contact.firstName | there}},</p><p>your question is answered. Does this help?</p>',
    category: 'SUPPORT',
    status: 'ARCHIVED',
    isShared: true,
    variables: [],
  },
]

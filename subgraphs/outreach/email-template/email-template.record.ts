import { activeUsers } from '../../identity/public.ts'
import { registerFieldUse } from '../../kernel/extension/field-uses.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { emailTemplateEvents } from './email-template.events.ts'
import {
  emailTemplateStates,
  isLanguage,
  refuseForeignTemplate,
  templatesAreValid,
  variablesAreNamed,
} from './email-template.rules.ts'
import { EmailTemplate } from './email-template.ts'

export const emailTemplate: RecordDefinition<EmailTemplate> = defineRecord(EmailTemplate, {
  object: 'email_template',
  table: 'outreach.email_template',
  visibleBy: [],
  privateUnless: 'isShared',
  searchable: ['name', 'subject'],
  hasSearchText: true,
  references: { ownerId: activeUsers },
  totals: { by: ['ownerId', 'isShared', 'status', 'category'] },
  events: emailTemplateEvents,
  states: emailTemplateStates,
  requireRight: refuseForeignTemplate,
  invariants: (next) => [...variablesAreNamed(next), ...isLanguage(next)],
  checks: templatesAreValid,
})

registerFieldUse({
  user: 'email_template',
  sql: String.raw`select t.id, t.name from outreach.email_template t where t.organization_id = $1 and t.deleted_at is null
      and concat_ws(' ', t.subject, t.body_html, t.body_text) ~ ($2::text || '\.' || $3) order by t.name, t.id`,
})

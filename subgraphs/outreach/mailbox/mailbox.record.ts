import { activeUsers } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { mailboxEvents } from './mailbox.events.ts'
import { fewMailboxes, refuseForeignMailbox, valuesAreValid } from './mailbox.rules.ts'
import { Mailbox } from './mailbox.ts'

export const mailbox: RecordDefinition<Mailbox> = defineRecord(Mailbox, {
  object: 'mailbox',
  table: 'outreach.mailbox',
  visibleBy: [],
  privateUnless: 'isShared',
  searchable: ['name', 'email'],
  unique: { mailbox_email: 'email' },
  references: { ownerId: activeUsers },
  events: mailboxEvents,
  calculated: ({ email }) => ({ email: parseEmail(email) ?? email }),
  invariants: valuesAreValid,
  requireRight: refuseForeignMailbox,
  serializedRules: [fewMailboxes],
})

import { newId } from '../../../kernel/ids.ts'
import type { GeneratedMail } from '../../email/queue-mails.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import type { Execution } from './decide.ts'
import type { MailContent, MailPlan } from './mail-contents.ts'
import { chooseMailbox } from './read-mailboxes.ts'
import type { Snapshot } from './snapshot.ts'

/** The mail of a step, from a mailbox of its sender; without one it is sent by the mail server of the platform. */
export function mailOf(
  snapshot: Snapshot,
  enrollment: SequenceEnrollment,
  { record, email, isForced }: Execution,
  plan: MailPlan,
  content: MailContent,
): GeneratedMail {
  const made = content as Extract<MailContent, { readonly content: unknown }>
  const isLead = enrollment.entityType === 'LEAD'
  const sender = snapshot.senders.get(enrollment.senderId!)!
  return {
    messageId: plan.messageId,
    sender,
    mailbox: chooseMailbox(snapshot.mailboxes.get(sender.id) ?? [], sender.email, plan.thread),
    to: email!,
    subject: made.subject,
    content: made.content,
    templateId: plan.templateId,
    thread: plan.thread,
    threadId: plan.thread?.id ?? newId(),
    contactId: isLead ? null : enrollment.entityId,
    leadId: isLead ? enrollment.entityId : null,
    accountId: (record['accountId'] as string | null | undefined) ?? null,
    ignoresWindow: isForced,
  }
}

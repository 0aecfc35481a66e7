import type { Row } from '../../../kernel/database/sql.ts'
import { redact } from '../../../kernel/record/field-security.ts'
import { recordType } from '../../../kernel/record/record-registry.ts'
import { shapeFor } from '../../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import type { RenderedForSending, renderMails } from '../../../kernel/template/render-mails.ts'
import type { MailTemplate } from '../../../kernel/template/render-mail.ts'
import type { TemplateValues } from '../../../kernel/template/template-variables.ts'
import { threadTask } from '../../../kernel/work/thread-task.ts'
import { urlOf } from '../../email/sent-html.ts'
import { knownVariables, shownValues } from '../../email-template/known-variables.ts'
import { chooseVariant, drawnFor } from '../choose-variant.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import type { ReadStep } from '../sequence-reading.ts'
import { sharesOf } from '../variant-shares.ts'
import type { ReadThread } from './read-threads.ts'
import type { Execution } from './decide.ts'
import type { Snapshot } from './snapshot.ts'

const renderTask = threadTask<typeof renderMails>(
  import.meta.url,
  '../../../kernel/template/render-mails',
  'renderMails',
)

/** Mails that one task of a worker thread renders. */
export const mailsOfTask = 10

/** A mail that is to be rendered. */
export interface MailPlan {
  readonly enrollmentId: string
  readonly messageId: string
  readonly variantId: string | null
  readonly templateId: string | null
  readonly thread: ReadThread | null
  readonly template: MailTemplate
}

export type MailContent =
  { readonly subject: string; readonly content: RenderedForSending } | { readonly problem: string }

/** The mail of a step, or why it cannot be made. */
export function planMail(
  ctx: RequestContext<'keys'>,
  snapshot: Snapshot,
  enrollment: SequenceEnrollment,
  { step, sequence, record }: Execution,
  messageId: string,
): MailPlan | { readonly problem: string } {
  const template = step.templateId ? snapshot.templates.get(step.templateId) : undefined
  if (step.templateId && !template) return { problem: 'The template of the step was deleted.' }
  if (template && template.status !== 'ACTIVE') return { problem: `The template has the status ${template.status}.` }
  const variant = chooseVariant(step.variants, sharesIn(snapshot, step), drawnFor(enrollment.id, step.id))
  const isReply = step.replyInThread || sequence.settings.threadReplies
  const thread = isReply && enrollment.threadId ? (snapshot.threads.get(enrollment.threadId) ?? null) : null
  const given = variant?.subject ?? step.subject ?? template?.subject ?? null
  const bodyHtml = variant?.bodyHtml ?? step.bodyHtml ?? template?.bodyHtml ?? null
  const hasOwnBody = (variant?.bodyHtml ?? step.bodyHtml) != null
  const bodyText = hasOwnBody ? step.bodyText : (step.bodyText ?? template?.bodyText ?? null)
  const subject = given ?? (thread ? '' : null)
  if (subject === null) return { problem: 'The step has no subject.' }
  if (bodyHtml === null && bodyText === null) return { problem: 'The step has no text.' }
  const declared = (template?.variables ?? []).map(({ name, required, defaultValue }) => ({
    name,
    required,
    defaultValue,
  }))
  return {
    enrollmentId: enrollment.id,
    messageId,
    variantId: variant?.id ?? null,
    templateId: template?.id ?? null,
    thread,
    template: {
      subject,
      bodyHtml: bodyHtml ?? '',
      bodyText,
      declared,
      known: knownVariables,
      values: valuesOf(ctx, snapshot, enrollment, record, messageId),
    },
  }
}

const noResult = { sent: 0, replied: 0 }
const shares = new WeakMap<ReadStep, readonly number[]>()

/** The shares of the variants of a step of a snapshot, calculated once. */
function sharesIn(snapshot: Snapshot, step: ReadStep): readonly number[] {
  let known = shares.get(step)
  if (!known) {
    const results = snapshot.variants.get(step.id)
    known = sharesOf(
      step.variants,
      step.variants.map(({ id }) => results?.get(id) ?? noResult),
    )
    shares.set(step, known)
  }
  return known
}

export function valuesOf(
  ctx: RequestContext<'keys'>,
  snapshot: Snapshot,
  enrollment: SequenceEnrollment,
  record: Row,
  messageId: string,
): TemplateValues {
  const { name, email, firstName, lastName } = snapshot.senders.get(enrollment.senderId!)!
  const account = snapshot.accounts.get(enrollment.id)
  const object = enrollment.entityType === 'LEAD' ? 'lead' : 'contact'
  const fields = snapshot.readers.get(enrollment.id)?.authorFields ?? null
  const values = (name: 'lead' | 'contact' | 'account', row: Row) =>
    shownValues(name, redact({ fields }, shapeFor(ctx, recordType(name)()), row))
  return {
    sender: { name, email, firstName, lastName },
    ...(snapshot.organizationName !== null && { organization: { name: snapshot.organizationName } }),
    [object]: values(object, record),
    ...(account && { account: values('account', account) }),
    unsubscribeUrl: urlOf(ctx, 'UNSUBSCRIBE', messageId, 0),
  }
}

/** Renders the first of these mails in a worker thread, as many as there is time for. No transaction may be open. */
export async function renderPlans(
  { work, caller }: RequestContext<'work'>,
  plans: readonly MailPlan[],
): Promise<MailContent[]> {
  const rendered = await work.run(
    renderTask,
    plans.map(({ template }) => template),
    caller.organizationId,
  )
  return rendered.map((mail, index) => contentOf(plans[index]!, mail))
}

function contentOf({ thread }: MailPlan, mail: Awaited<ReturnType<typeof renderMails>>[number]): MailContent {
  if ('problem' in mail) return { problem: mail.problem.message }
  const { missingVariables: missing, unknownVariables: unknown } = mail
  if (missing.length > 0) return { problem: `The mail needs a value of ${missing.slice(0, 5).join(', ')}.` }
  if (unknown.length > 0) return { problem: `The mail has the unknown variable ${unknown.slice(0, 5).join(', ')}.` }
  const subject = mail.subject || (thread ? `Re: ${thread.subject}` : '')
  if (subject === '') return { problem: 'The subject is empty.' }
  return { subject: [...subject].slice(0, 255).join(''), content: mail.content }
}

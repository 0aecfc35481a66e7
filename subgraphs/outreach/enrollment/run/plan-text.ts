import type { RequestContext } from '../../../kernel/request.ts'
import { knownVariables } from '../../email-template/known-variables.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import type { Execution } from './decide.ts'
import { valuesOf, type MailPlan } from './mail-contents.ts'
import type { Snapshot } from './snapshot.ts'

/** The text that a sender sends by hand, as a mail of which only the text is used. */
export const planText = (
  ctx: RequestContext<'keys'>,
  snapshot: Snapshot,
  enrollment: SequenceEnrollment,
  { step, record }: Execution,
  messageId: string,
): MailPlan => ({
  enrollmentId: enrollment.id,
  messageId,
  variantId: null,
  templateId: null,
  thread: null,
  template: {
    subject: 'Text',
    bodyHtml: '',
    bodyText: step.bodyText ?? '',
    declared: [],
    known: knownVariables,
    values: valuesOf(ctx, snapshot, enrollment, record, messageId),
  },
})

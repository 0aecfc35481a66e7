import { hash } from 'node:crypto'
import { visibleContacts, visibleOpportunities } from '../../crm/public.ts'
import { invalid, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { isNothingGiven } from '../../kernel/record/changed-names.ts'
import { newId } from '../../kernel/ids.ts'
import { pureCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { change, recordsOf, type RecordActions } from '../../kernel/record/records-of.ts'
import { requireWritableRole, save } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { attachmentsOf, checkBody, refuseUnfitHtml } from '../email/email-checks.ts'
import { sendEmail } from '../email/send-email.ts'
import type { SmartEmailDraft } from './smart-email-draft.ts'
import { smartEmailDraft, visibleThreads } from './smart-email.record.ts'
import { refuseForeignDraft, requireEditable, requireStatus } from './smart-email.rules.ts'
import { cleanBody } from './write-text.ts'

type Values = Partial<SmartEmailDraft>

/** The time of a draft that is not scheduled. */
export const unscheduled = { scheduledAt: null, timezone: null, nextAttemptAt: null } as const

/** The safe form of a body that a user wrote; nothing if the user wrote none. */
async function cleaned(ctx: RequestContext, { bodyHtml }: Values): Promise<Values> {
  if (bodyHtml === undefined || bodyHtml === null) return {}
  if (bodyHtml === '') return { bodyText: '' }
  checkBody('bodyHtml', bodyHtml)
  const key = `clean ${hash('sha256', bodyHtml)}`
  const made = await pureCall(ctx, key, async () => () => cleanBody(ctx as RequestContext<'work'>, bodyHtml))
  refuseUnfitHtml(made)
  return { bodyHtml: made.bodyHtml ?? '', bodyText: made.bodyText }
}

/** Subjects are stored without spaces at their ends, as they are sent. */
const trimmed = <T extends Values>(values: T): T =>
  typeof values.subject === 'string' ? { ...values, subject: values.subject.trim() } : values

export const smartEmailActions: RecordActions<SmartEmailDraft> = {
  create: (ctx, values, implied) => {
    requireWritableRole(ctx)
    return transactionWithExternalCalls(ctx, async (inner) => {
      const safe = await cleaned(inner, values)
      return recordsOf(smartEmailDraft).create(inner, trimmed(values as Values), { ...safe, ...implied })
    })
  },
  /**
   * A change of a FAILED draft makes it a DRAFT. A scheduled draft that gets another owner is not scheduled any more. One that stays scheduled is sent
   * with all rights of the owner, so the caller needs those to its files.
   */
  update: (ctx, id, values: Values, expectedVersion) =>
    transactionWithExternalCalls(ctx, (outer) =>
      change(
        outer,
        smartEmailDraft,
        id,
        async (previous, inner) => {
          if (isNothingGiven(values)) return { operation: 'UPDATE', values }
          await requireEditable(inner, previous)
          const safe = await cleaned(inner, values)
          const isGiven = values.ownerId != null && values.ownerId.toLowerCase() !== previous.ownerId
          const back = previous.status === 'FAILED' || (isGiven && previous.status === 'SCHEDULED')
          if (previous.status === 'SCHEDULED' && !back) await attachmentsOf(inner, values.fileIds ?? previous.fileIds)
          const implied = { ...safe, ...(back && asDraft) }
          return { operation: 'UPDATE', values: trimmed(values), implied }
        },
        { expectedVersion },
      ),
    ),
  remove: async (ctx, id, expectedVersion) => {
    const discarded = await change(
      ctx,
      smartEmailDraft,
      id,
      async (previous, inner) => {
        await requireStatus(inner, previous, 'DISCARDED')
        return { operation: 'DELETE', values: {}, implied: { ...unscheduled, status: 'DISCARDED' as const } }
      },
      { expectedVersion },
    )
    return discarded.id
  },
  restore: (ctx, id, expectedVersion) =>
    change(ctx, smartEmailDraft, id, () => ({ operation: 'RESTORE', values: {}, implied: asDraft }), {
      expectedVersion,
      deleted: true,
    }),
}

const asDraft = { status: 'DRAFT', failureReason: null, messageId: null, ...unscheduled } as const

/** The names of the draft for the addresses that the sending refuses. */
function withOwnPaths(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const problems = (error.extensions['errors'] ?? []) as FieldProblem[]
  if (!problems.some(({ path }) => /^(to|cc|bcc)\b/.test(path))) return error
  const named = (text: string): string => text.replace(/^(to|cc|bcc)(?=[. ]|$)/, '$1Emails')
  return invalid(
    ...problems.map((problem) => ({ ...problem, path: named(problem.path), message: named(problem.message) })),
  )
}

const incomplete = (path: string, message: string) => invalid({ path, code: 'REQUIRED', message })

/** Queues the mail of a draft whose row is locked. Links that the owner does not see any more are left out. */
async function queueMail(ctx: RequestContext<'work' | 'keys'>, draft: SmartEmailDraft, messageId: string) {
  const {
    subject,
    bodyHtml,
    bodyText,
    toEmails: to,
    ccEmails: cc,
    bccEmails: bcc,
    fileIds,
    contactId,
    opportunityId,
    threadId,
    inReplyToMessageId,
  } = draft
  if (to.length === 0) throw incomplete('toEmails', 'toEmails must have at least one address before the draft is sent.')
  if (subject === '') throw incomplete('subject', 'subject must not be empty before the draft is sent.')
  if (bodyText.trim() === '') throw incomplete('bodyHtml', 'bodyHtml must not be empty before the draft is sent.')
  if (threadId && !(await visibleThreads(ctx, [threadId])).has(threadId)) {
    const message = 'threadId must be the id of an existing record that you can see.'
    throw invalid({ path: 'threadId', code: 'UNKNOWN_REFERENCE', message })
  }
  const seen = async (visible: typeof visibleContacts, id: string | null) =>
    id !== null && (await visible(ctx, [id])).has(id) ? id : null
  const links = {
    contactId: await seen(visibleContacts, contactId),
    opportunityId: await seen(visibleOpportunities, opportunityId),
    threadId,
  }
  try {
    const content = { to, cc, bcc, subject, bodyHtml, fileIds, trackOpens: true, trackClicks: true }
    return await sendEmail(ctx, { ...content, ...links }, messageId, inReplyToMessageId)
  } catch (error) {
    throw withOwnPaths(error)
  }
}

/**
 * Sends the mail of a draft: the row of the queue, the mail and the status SENDING are one transaction, in which the draft is locked, so that
 * it is sent once. `isWanted` decides with the locked draft.
 */
export function sendDraft(
  ctx: RequestContext<'work' | 'keys'>,
  id: string,
  expectedVersion: number | null,
  isWanted: (draft: SmartEmailDraft) => boolean = () => true,
): Promise<SmartEmailDraft> {
  requireWritableRole(ctx)
  const messageId = newId()
  return transactionWithExternalCalls(ctx, async (inner) => {
    const previous = await requireRecord(inner, smartEmailDraft, id, { isLocked: true })
    if (!isWanted(previous)) return previous
    refuseForeignDraft(inner, previous)
    await requireStatus(inner, previous, 'SENDING')
    const message = await queueMail(inner, previous, messageId)
    return save(inner, smartEmailDraft, {
      operation: 'UPDATE',
      previous,
      values: {},
      implied: { status: 'SENDING', messageId: message.id, threadId: message.threadId, nextAttemptAt: null },
      expectedVersion,
    })
  })
}

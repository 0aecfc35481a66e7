import { contactEmail } from '../../crm/public.ts'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { externalCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { isStorable } from '../../kernel/record/scalars.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { notAnswered, type RequestContext } from '../../kernel/request.ts'
import { attachmentsOf } from '../email/email-checks.ts'
import { composeContextOf } from './compose-context.ts'
import { composeBounds, type SmartEmailComposeInput } from './smart-email.inputs.ts'
import type { SmartEmailDraft } from './smart-email-draft.ts'
import { smartEmailDraft } from './smart-email.record.ts'
import { requireEditable } from './smart-email.rules.ts'
import { writeTexts, writingOf, type ComposeRequest, type Instructions } from './write-text.ts'

type Ctx = RequestContext<'work' | 'languageModel'>

const textNames = Object.keys(composeBounds) as (keyof typeof composeBounds)[]

function checkTexts(input: SmartEmailComposeInput): void {
  const problems = textNames.flatMap((path): FieldProblem[] => {
    const text = input[path]
    if (text === null || text === undefined) return []
    const max = composeBounds[path]
    if (!isStorable(text))
      return [{ path, code: 'NOT_TEXT', message: `${path} must not contain a NUL character or an unpaired surrogate.` }]
    if (text.length <= max || [...text].length <= max) return []
    return [{ path, code: 'TOO_LONG', message: `${path} must have at most ${max.toLocaleString('en')} characters.` }]
  })
  if (input.subject != null && /[\p{Cc}\p{Zl}\p{Zp}]/u.test(input.subject))
    problems.push({
      path: 'subject',
      code: 'NOT_ONE_LINE',
      message: 'subject must be one line without control characters.',
    })
  if (problems.length > 0) throw invalid(...problems)
}

/** The opportunity by either of its names. */
function opportunityOf({ opportunityId, dealId }: SmartEmailComposeInput): string | null {
  if (opportunityId && dealId && opportunityId.toLowerCase() !== dealId.toLowerCase()) {
    const message = 'dealId must be the same id as opportunityId; send one of them.'
    throw invalid({ path: 'dealId', code: 'CONFLICT', message })
  }
  return opportunityId ?? dealId ?? null
}

/** Null for a text without content. */
const given = (text: string | null | undefined): string | null => text?.trim() || null

const requestOf = (input: SmartEmailComposeInput): ComposeRequest => ({
  recipientName: given(input.recipientName),
  companyName: given(input.companyName),
  subject: given(input.subject),
  body: given(input.body),
  conversationSummary: given(input.conversationSummary),
})

/** The path of an id as the request has it. */
const asSent = (input: SmartEmailComposeInput, error: unknown): unknown => {
  const [problem] = (error as { extensions?: { errors?: FieldProblem[] } }).extensions?.errors ?? []
  if (problem?.path !== 'opportunityId' || input.opportunityId) return error
  return invalid({ ...problem, path: 'dealId', message: problem.message.replace('opportunityId', 'dealId') })
}

/** Writes a mail with the language model, which is called once and while no transaction is open, and stores it as a draft of the caller. */
export function composeDraft(ctx: Ctx, input: SmartEmailComposeInput): Promise<SmartEmailDraft> {
  requireWritableRole(ctx)
  checkTexts(input)
  const request = requestOf(input)
  const instructions: Instructions = {
    tones: [input.tone ?? 'PROFESSIONAL'],
    purpose: given(input.purpose),
    intent: given(input.intent),
    style: given(input.style),
    request,
    attempt: 0,
  }
  const records = {
    contactId: input.contactId ?? null,
    opportunityId: opportunityOf(input),
    threadId: input.threadId ?? null,
    inReplyToMessageId: input.inReplyToMessageId ?? null,
  }
  const fileIds = input.fileIds ?? []
  return transactionWithExternalCalls(ctx, async (inner) => {
    // Files that cannot be attached are refused before the model is asked.
    await attachmentsOf(inner, fileIds)
    const context = await composeContextOf(inner, records).catch((error: unknown) => {
      throw asSent(input, error)
    })
    const fromContact =
      input.toEmails == null && context.contactId ? await contactEmail(notAnswered(inner), context.contactId) : null
    const [text] = await externalCall(inner, 'compose', async () => {
      const writing = await writingOf(inner, context, instructions)
      return () => writeTexts(ctx, writing, context.sources)
    })
    const { contactId, opportunityId, threadId, inReplyToMessageId } = context
    const { purpose, intent, style } = instructions
    const { tone, ...written } = text!
    const values = {
      contactId,
      opportunityId,
      threadId,
      toEmails: input.toEmails ?? (fromContact ? [fromContact] : []),
      fileIds,
    }
    const wanted = { ...values, tone, purpose, intent, style }
    return recordsOf(smartEmailDraft).create(inner, wanted, { inReplyToMessageId, request, ...written })
  })
}

const noRequest: ComposeRequest = {
  recipientName: null,
  companyName: null,
  subject: null,
  body: null,
  conversationSummary: null,
}

/** What a draft was asked to be. A draft that a person wrote has its text as notes. */
export function instructionsOf(draft: SmartEmailDraft, tones: Instructions['tones'], attempt: number): Instructions {
  const { purpose, intent, style, subject, bodyText } = draft
  const own = {
    ...noRequest,
    subject: given(subject),
    body: given([...bodyText].slice(0, composeBounds.body).join('')),
  }
  const request = (draft.request as ComposeRequest | null) ?? own
  return { tones, purpose, intent, style, request, attempt }
}

/** Writes the text of a draft anew from the records as they are now. The recipients stay. */
export function regenerateDraft(ctx: Ctx, id: string, expectedVersion: number | null): Promise<SmartEmailDraft> {
  requireWritableRole(ctx)
  return transactionWithExternalCalls(ctx, (outer) =>
    change(
      outer,
      smartEmailDraft,
      id,
      async (previous, inner) => {
        await requireEditable(inner, previous, ['DRAFT', 'FAILED'])
        const rewrites = previous.rewrites + 1
        // One text for each request, also when another request has rewritten the draft meanwhile.
        const [text] = await externalCall(inner, `rewrite ${id}`, async () => {
          const context = await composeContextOf(inner, previous, 'IGNORE')
          const writing = await writingOf(inner, context, instructionsOf(previous, [previous.tone], rewrites))
          return () => writeTexts(ctx, writing, context.sources)
        })
        const { tone: _tone, ...written } = text!
        const implied = { ...written, rewrites, status: 'DRAFT' as const, failureReason: null, messageId: null }
        return { operation: 'UPDATE', values: {}, implied }
      },
      { expectedVersion },
    ),
  )
}

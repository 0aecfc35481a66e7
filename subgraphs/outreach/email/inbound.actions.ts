import { invalid, notFound, type FieldProblem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { isStorable } from '../../kernel/record/scalars.ts'
import { asSystem, type RequestContext } from '../../kernel/request.ts'
import { pureCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { oneLine } from '../../kernel/template/one-line.ts'
import type { cleanMail } from '../../kernel/template/clean-mail.ts'
import { threadTask } from '../../kernel/work/thread-task.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { applySignal, type EmailSignal } from './email-status.ts'
import {
  messageIdMax,
  type EmailInboundInput,
  type EmailStatusInput,
  type EmailWebhookResult,
} from './inbound.inputs.ts'
import { judgeMail } from '../received-mail/judge-mail.ts'
import { applyReport, findReportedMail } from '../received-mail/reported-mail.ts'
import { receiveEmail } from './receive-email.ts'
import { bodyMax } from './send-email.inputs.ts'
import { isMachine } from './tracking-service.ts'

const cleanTask = threadTask<typeof cleanMail>(import.meta.url, '../../kernel/template/clean-mail', 'cleanMail')

interface Bound {
  readonly path: string
  readonly value: string | null | undefined
  readonly max: number
}

function checkTexts(bounds: readonly Bound[]): void {
  const problems = bounds.flatMap(({ path, value, max }): FieldProblem[] => {
    if (value === null || value === undefined) return []
    if (!isStorable(value)) {
      const message = `${path} must not contain a NUL character or an unpaired surrogate.`
      return [{ path, code: 'NOT_TEXT', message }]
    }
    if (value.length <= max || [...value].length <= max) return []
    return [{ path, code: 'TOO_LONG', message: `${path} must have at most ${max} characters.` }]
  })
  if (problems.length > 0) throw invalid(...problems)
}

/** The given time, or now; a time in the future is now. */
function timeOf({ clock }: RequestContext, given: string | null | undefined): string {
  const now = clock.now().toISOString()
  return given && given < now ? given : now
}

/** `<id@host>` of a Message-ID with or without brackets. */
const messageIdOf = (text: string): string => (text.startsWith('<') ? text.trim() : `<${text.trim()}>`)

async function findMail({ db, caller }: RequestContext, given: string): Promise<{ id: string; threadId: string }> {
  const [found] = await db.query<{ id: string; threadId: string }>(
    `select id, thread_id as "threadId" from outreach.email_message
     where organization_id = $1 and deleted_at is null and direction = 'OUTBOUND'
       and ${isId(given) ? 'id = $2' : 'internet_message_id = $2'}`,
    [caller.organizationId, isId(given) ? given : messageIdOf(given)],
  )
  if (!found) throw notFound('The mail')
  return found
}

function signalOf(ctx: RequestContext, input: EmailStatusInput): EmailSignal {
  const at = timeOf(ctx, input.timestamp)
  const machine = input.userAgent != null && isMachine(input.userAgent)
  switch (input.event) {
    case 'OPENED':
      return { kind: 'OPENED', at, isMachine: machine }
    case 'CLICKED':
      if (!input.url || !/^https?:\/\//i.test(input.url))
        throw invalid({ path: 'url', code: 'REQUIRED', message: 'url must be the http or https address of the link.' })
      return { kind: 'CLICKED', at, url: input.url, isMachine: machine }
    case 'BOUNCED':
      return { kind: 'BOUNCED', at, bounceType: input.bounceType ?? 'HARD', reason: input.reason ?? null }
    default:
      return { kind: input.event, at }
  }
}

/** A report of a mail service about a mail of the organization. It is a fact, so the visibility of the key's owner does not limit it. */
export async function receiveStatus(ctx: RequestContext, input: EmailStatusInput): Promise<EmailWebhookResult> {
  requireWritableRole(ctx)
  checkTexts([
    { path: 'messageId', value: input.messageId, max: 998 },
    { path: 'url', value: input.url, max: 2048 },
    { path: 'reason', value: input.reason, max: 1000 },
    { path: 'userAgent', value: input.userAgent, max: 1000 },
    { path: 'ip', value: input.ip, max: 45 },
  ])
  const signal = signalOf(ctx, input)
  const inner = asSystem(ctx, ctx.caller.organizationId)
  const { id, threadId } = await findMail(inner, input.messageId)
  await applySignal(inner, id, signal)
  return { accepted: true, emailId: id, threadId }
}

function addressesOf(path: string, given: readonly string[], min: number): string[] {
  if (given.length < min || given.length > 100)
    throw invalid({ path, code: 'OUT_OF_RANGE', message: `${path} must have between ${min} and 100 addresses.` })
  return given.map((text, index) => addressOf(`${path}.${index}`, text))
}

function addressOf(path: string, text: string): string {
  const email = parseEmail(text)
  if (!email) throw invalid({ path, code: 'NOT_AN_EMAIL', message: `${path} must be an email address.` })
  return email
}

function headersOf(headers: unknown): (readonly [name: string, value: string])[] {
  if (headers === null || headers === undefined) return []
  if (!isJsonObject(headers) || JSON.stringify(headers).length > 32_000) {
    const message = 'headers must be an object of at most 32,000 characters as JSON.'
    throw invalid({ path: 'headers', code: 'TOO_LONG', message })
  }
  return Object.entries(headers).flatMap(([name, values]) =>
    [values]
      .flat()
      .map((value) => [name.toLowerCase(), typeof value === 'string' ? value : JSON.stringify(value)] as const),
  )
}

/** A mail that a mail service received for the organization. Threads that it begins belong to the owner of the key. */
export function receiveInbound(ctx: RequestContext<'work'>, input: EmailInboundInput): Promise<EmailWebhookResult> {
  requireWritableRole(ctx)
  const { references: given = null, attachments: files = null } = input
  const references = given ?? []
  const attachments = files ?? []
  checkTexts([
    { path: 'subject', value: input.subject, max: 10_000 },
    { path: 'html', value: input.html, max: bodyMax },
    { path: 'text', value: input.text, max: bodyMax },
    { path: 'messageId', value: input.messageId, max: messageIdMax },
    { path: 'inReplyTo', value: input.inReplyTo, max: messageIdMax },
    ...references.map((value, index) => ({ path: `references.${index}`, value, max: messageIdMax })),
    ...attachments.flatMap(({ filename, contentType }, index) => [
      { path: `attachments.${index}.filename`, value: filename, max: 255 },
      { path: `attachments.${index}.contentType`, value: contentType, max: 255 },
    ]),
  ])
  for (const [path, count, max] of [
    ['references', references.length, 50],
    ['attachments', attachments.length, 100],
  ] as const)
    if (count > max) throw invalid({ path, code: 'TOO_MANY', message: `${path} must have at most ${max} items.` })
  const headers = headersOf(input.headers)
  const [from, to, cc] = [
    addressOf('from', input.from),
    addressesOf('to', input.to, 1),
    addressesOf('cc', input.cc ?? [], 0),
  ]
  const subject = oneLine(input.subject ?? '')
  const body = { bodyHtml: input.html ?? null, bodyText: input.text ?? null }
  return transactionWithExternalCalls(ctx, async (outer) => {
    const clean = await pureCall(outer, 'clean', async () => {
      const { work, caller } = outer
      return () => work.run(cleanTask, body, caller.organizationId)
    })
    const inner = asSystem(outer, outer.caller.organizationId)
    const inReplyTo = input.inReplyTo ? messageIdOf(input.inReplyTo) : null
    const earlier = references.map(messageIdOf)
    const judgement = judgeMail({ headers, subject, from, text: clean.bodyText, parts: [] })
    const answered = [inReplyTo, ...earlier.toReversed()].filter((id) => id !== null)
    const reported = await findReportedMail(inner, { ...judgement, answered, mailboxId: null })
    const stored = await receiveEmail(inner, {
      messageId: input.messageId ? messageIdOf(input.messageId) : null,
      inReplyTo: reported?.internetMessageId ?? inReplyTo,
      references: earlier,
      from,
      to,
      cc,
      subject,
      bodyHtml: clean.bodyHtml,
      bodyText: clean.bodyText,
      sentAt: timeOf(ctx, input.receivedAt),
      kind: judgement.kind,
      attachments: attachments.map(({ filename, contentType, size }) => ({
        filename,
        contentType,
        size,
        fileId: null,
      })),
      mailboxId: null,
      ownerId: ctx.caller.userId,
    })
    if (stored && reported) await applyReport(inner, judgement, reported)
    return { accepted: true, emailId: stored?.id ?? null, threadId: stored?.threadId ?? null }
  })
}

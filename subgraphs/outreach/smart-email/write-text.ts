import { modelUserOf, userIdentity } from '../../identity/public.ts'
import type { ModelUser } from '../../kernel/language-model/language-model.ts'
import type { MailBrief, WrittenMail } from '../../kernel/language-model/mail-brief.ts'
import { promptVersion, writeMails } from '../../kernel/language-model/write-mails.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { CleanMail, cleanMail } from '../../kernel/template/clean-mail.ts'
import { oneLine } from '../../kernel/template/one-line.ts'
import { threadTask } from '../../kernel/work/thread-task.ts'
import { factsOf, textIn, type ComposeContext, type Source } from './compose-context.ts'
import type { SmartEmailTone } from './smart-email.enumerations.ts'

const cleanTask = threadTask<typeof cleanMail>(import.meta.url, '../../kernel/template/clean-mail', 'cleanMail')

/** What `compose` was asked for and no column of the draft has. */
export interface ComposeRequest {
  readonly recipientName: string | null
  readonly companyName: string | null
  readonly subject: string | null
  readonly body: string | null
  readonly conversationSummary: string | null
}

export interface Instructions {
  readonly tones: readonly SmartEmailTone[]
  readonly purpose: string | null
  readonly intent: string | null
  readonly style: string | null
  readonly request: ComposeRequest
  readonly attempt: number
}

export interface Generation {
  readonly model: string
  readonly promptVersion: string
  readonly generatedAt: string
  readonly groundedOn: readonly Source[]
}

/** A written mail as a draft has it. */
export interface DraftText {
  readonly tone: SmartEmailTone
  readonly subject: string
  readonly bodyHtml: string
  readonly bodyText: string
  readonly generation: Generation
}

/** What is written, and for whom. */
export interface Writing {
  readonly brief: MailBrief
  readonly user: ModelUser
}

export async function writingOf(
  ctx: RequestContext,
  context: ComposeContext,
  instructions: Instructions,
): Promise<Writing> {
  const { tones, purpose, intent, style, request, attempt } = instructions
  const sender = await userIdentity(ctx, ctx.caller.userId)
  const { contact, account, opportunity, conversation, conversationSubject } = context
  const brief = {
    tones,
    senderName: sender?.name ?? null,
    recipientName: request.recipientName ?? textIn(contact, 'firstName') ?? textIn(contact, 'name'),
    companyName: request.companyName ?? textIn(account, 'name'),
    purpose,
    intent,
    style,
    notes: request.body,
    subject: request.subject,
    dealName: textIn(opportunity, 'name'),
    facts: factsOf(context),
    conversationSummary: request.conversationSummary,
    conversation,
    conversationSubject,
    attempt,
  }
  return { brief, user: await modelUserOf(ctx) }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character]!)

/** Plain paragraphs as HTML: whatever they contain is text, so neither a model nor a record can add a link, a picture or a script. */
const htmlOf = ({ paragraphs }: WrittenMail): string =>
  paragraphs
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => `<p>${escaped(paragraph.trim()).replaceAll('\n', '<br />')}</p>`)
    .join('')

/** The safe form of HTML and its text alternative, made in a worker thread. */
export const cleanBody = ({ work, caller }: RequestContext<'work'>, bodyHtml: string): Promise<CleanMail> =>
  work.run(cleanTask, { bodyHtml, bodyText: null }, caller.organizationId)

/** Calls the language model once, while no transaction is open. The texts are in the order of the tones. */
export async function writeTexts(
  ctx: RequestContext<'work' | 'languageModel'>,
  { brief, user }: Writing,
  groundedOn: readonly Source[],
): Promise<DraftText[]> {
  const { mails, model } = await writeMails(ctx.languageModel, brief, user)
  const generation = { model, promptVersion, generatedAt: ctx.clock.now().toISOString(), groundedOn }
  const texts: DraftText[] = []
  for (const [index, mail] of mails.entries()) {
    const { bodyHtml, bodyText } = await cleanBody(ctx, htmlOf(mail))
    const subject = oneLine(mail.subject.toWellFormed().replaceAll('\0', ''))
    texts.push({ tone: brief.tones[index]!, subject, bodyHtml: bodyHtml ?? '', bodyText, generation })
  }
  return texts
}

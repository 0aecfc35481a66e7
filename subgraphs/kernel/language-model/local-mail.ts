import { summaryOf } from './extractive-summary.ts'
import type { MailBrief, MailTone, WrittenMail } from './mail-brief.ts'
import { kindOf, requests, subjects } from './mail-phrases.ts'

/** The name of the local composer and the version of its rules. */
export const localComposer = 'local-composer-1'

const greetings: Readonly<Record<MailTone, (name: string) => string>> = {
  PROFESSIONAL: (name) => `Hello ${name},`,
  FRIENDLY: (name) => `Hi ${name},`,
  FORMAL: (name) => `Dear ${name},`,
  CONCISE: (name) => `${name},`,
  PERSUASIVE: (name) => `Hello ${name},`,
}

const anonymous: Readonly<Record<MailTone, string>> = {
  PROFESSIONAL: 'Hello,',
  FRIENDLY: 'Hi there,',
  FORMAL: 'Dear Sir or Madam,',
  CONCISE: 'Hello,',
  PERSUASIVE: 'Hello,',
}

const closings: Readonly<Record<MailTone, string>> = {
  PROFESSIONAL: 'Best regards',
  FRIENDLY: 'Best wishes',
  FORMAL: 'Yours sincerely',
  CONCISE: 'Regards',
  PERSUASIVE: 'Looking forward to your answer',
}

/** A sentence ends with a mark, whatever its author wrote. */
const sentence = (text: string): string => (/[.!?…]$/u.test(text.trim()) ? text.trim() : `${text.trim()}.`)

const quoteMax = 240

/** The sentence of the last mail of the recipient that says most. */
function quoteOf({ conversation, conversationSubject }: MailBrief): string | null {
  const last = conversation.findLast(({ isFromRecipient }) => isFromRecipient)
  if (!last) return null
  const [point] = summaryOf({ title: conversationSubject ?? '', passages: [last.text] }).keyPoints
  return point && point.length <= quoteMax ? point : null
}

function openingOf(brief: MailBrief, tone: MailTone): string[] {
  const { conversation, dealName, companyName, conversationSummary } = brief
  const quote = quoteOf(brief)
  if (quote) return [`Thank you for your mail. You wrote: “${quote}”`]
  if (conversationSummary) return [`Coming back to what we discussed: ${sentence(conversationSummary)}`]
  if (conversation.length > 0) return ['I am coming back to my last mail.']
  if (tone === 'CONCISE') return []
  if (dealName && companyName) return [`I am writing to you about “${dealName}” and what it means for ${companyName}.`]
  if (dealName) return [`I am writing to you about “${dealName}”.`]
  return companyName ? [`I am writing to you about our work with ${companyName}.`] : []
}

const notesMax = 100

/** The paragraphs of the author; the last one has all that exceed the maximum. */
function paragraphsOf(notes: string): string[] {
  const all = notes.split(/\n{2,}/).map((one) => one.trim())
  return all.length <= notesMax ? all : [...all.slice(0, notesMax - 1), all.slice(notesMax - 1).join('\n')]
}

function bodyOf({ purpose, intent, notes }: MailBrief, tone: MailTone): string[] {
  const reason = purpose ?? intent
  const lead =
    tone === 'CONCISE' ? 'In short' : tone === 'FORMAL' ? 'The purpose of this letter' : 'My reason for writing'
  const stated = reason === null ? [] : [`${lead}: ${sentence(reason)}`]
  return [...(tone === 'CONCISE' && notes ? [] : stated), ...(notes ? paragraphsOf(notes) : [])]
}

function written(brief: MailBrief, tone: MailTone, index: number): WrittenMail {
  const { recipientName, senderName, companyName, dealName, conversationSubject, attempt } = brief
  const kind = kindOf(`${brief.intent ?? ''} ${brief.purpose ?? ''}`, brief.conversation.length > 0)
  const about = dealName ?? companyName
  const reply =
    conversationSubject && (/^re:/i.test(conversationSubject) ? conversationSubject : `Re: ${conversationSubject}`)
  const [request, ...others] = requests[kind][tone]
  const options = [request!, ...others]
  const subject = brief.subject ?? reply ?? (about ? `${subjects[kind]}: ${about}` : subjects[kind])
  return {
    subject,
    paragraphs: [
      recipientName ? greetings[tone](recipientName) : anonymous[tone],
      ...openingOf(brief, tone),
      ...bodyOf(brief, tone),
      options[(attempt + index) % options.length]!,
      senderName ? `${closings[tone]}\n${senderName}` : closings[tone],
    ].filter((paragraph) => paragraph !== ''),
  }
}

/** Deterministic: the same brief always gives the same mails, one for each tone. */
export const mailsOf = (brief: MailBrief): WrittenMail[] =>
  brief.tones.map((tone, index) => written(brief, tone, index))

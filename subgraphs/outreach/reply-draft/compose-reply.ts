import { bareSubject } from '../email/bare-subject.ts'

interface Asked {
  readonly subject: string
  readonly bodyText: string
}

export interface ComposedReply {
  readonly subject: string
  readonly bodyHtml: string
  /** 0 to 100. */
  readonly confidence: number
  readonly reason: string
}

interface Intent {
  readonly told: RegExp
  readonly confidence: number
  readonly reason: string
  readonly text: string
}

const intents: readonly Intent[] = [
  {
    told: /\b(?:not interested|no thank(?:s| you)|no longer need|kein interesse|pas int[ée]ress)/i,
    confidence: 70,
    reason: 'The mail declines.',
    text: 'Thank you for letting me know. I will not follow up on this any further; please write to me if that changes.',
  },
  {
    told: /\b(?:call|meet|meeting|appointment|schedule|calendar|available|availability|termin)\b/i,
    confidence: 65,
    reason: 'The mail is about a meeting.',
    text: 'Thank you for your message. Please tell me two or three times that suit you, and I will confirm one of them.',
  },
  {
    told: /\b(?:price|prices|pricing|cost|costs|quote|offer|discount|budget|preis|angebot)\b/i,
    confidence: 60,
    reason: 'The mail is about prices.',
    text: 'Thank you for your message. I will send you the figures as soon as I have them together.',
  },
  {
    told: /\?/,
    confidence: 45,
    reason: 'The mail asks a question.',
    text: 'Thank you for your question. I will look into it and come back to you.',
  },
]

const otherwise: Omit<Intent, 'told'> = {
  confidence: 30,
  reason: 'The mail was answered by a person.',
  text: 'Thank you for your message. I will come back to you shortly.',
}

const readMax = 4000

/** What the sender wrote: without the lines that the mail quotes. */
function ownText(text: string): string {
  const lines = text.slice(0, readMax).split(/\r?\n/)
  const quoted = lines.findIndex((line) => /^(?:>|-{2,}\s*original message|on .{1,200} wrote:\s*$)/i.test(line))
  return (quoted < 0 ? lines : lines.slice(0, quoted)).join('\n')
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** A short reply from what the mail says. The same mail always gets the same reply. */
export function composeReply({ subject, bodyText }: Asked): ComposedReply {
  const text = ownText(bodyText)
  const { confidence, reason, text: answer } = intents.find(({ told }) => told.test(text)) ?? otherwise
  const question = /[^.!?\n]{3,200}\?/.exec(text)?.[0].trim()
  const quoted = question ? `<blockquote>${escaped(question)}</blockquote>` : ''
  return {
    subject: `Re: ${bareSubject(subject)}`.slice(0, 255).trim(),
    bodyHtml: `<p>Hello,</p>${quoted}<p>${answer}</p>`,
    confidence,
    reason,
  }
}

import { change } from '../../kernel/record/records-of.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import type { EmailBounceType, EmailStatus } from './email.enumerations.ts'
import { emailMessage, emailThread } from './email.record.ts'
import type { Email } from './email.ts'
import type { EmailThread } from './email-thread.ts'
import { suppress, type SuppressionReason } from './suppression.ts'

const order: readonly EmailStatus[] = [
  'QUEUED',
  'SENT',
  'DELIVERED',
  'OPENED',
  'CLICKED',
  'REPLIED',
  'FAILED',
  'BOUNCED',
  'COMPLAINED',
]

/** The later one of two statuses: a status never moves backwards. */
export const later = (one: EmailStatus, other: EmailStatus): EmailStatus =>
  order.indexOf(one) >= order.indexOf(other) ? one : other

export type EmailSignal =
  | { readonly kind: 'DELIVERED'; readonly at: string }
  | { readonly kind: 'OPENED'; readonly at: string; readonly isMachine: boolean }
  | { readonly kind: 'CLICKED'; readonly at: string; readonly url: string; readonly isMachine: boolean }
  | { readonly kind: 'REPLIED'; readonly at: string }
  | {
      readonly kind: 'BOUNCED'
      readonly at: string
      readonly bounceType: EmailBounceType
      readonly reason: string | null
      /** Whose address bounced, if the report says it. */
      readonly recipient?: string
    }
  | {
      readonly kind: 'COMPLAINED'
      readonly at: string
      /** Who complained, if the report says it. */
      readonly recipient?: string
    }
  | { readonly kind: 'UNSUBSCRIBED'; readonly at: string }

export type Bounce = Extract<EmailSignal, { kind: 'BOUNCED' }>

interface Effect {
  readonly values: Partial<Email>
  readonly event?: string
  readonly thread?: (thread: EmailThread) => Partial<EmailThread>
}

interface Applied {
  readonly signal: EmailSignal | null
  readonly effect: Effect
}

const clicksMax = 100

/** What a signal changes. A program that opens a mail is only counted. */
function effectOf(message: Email, signal: EmailSignal): Effect {
  const { at } = signal
  const status = (reached: EmailStatus) => later(message.status, reached)
  switch (signal.kind) {
    case 'DELIVERED':
      if (message.deliveredAt) return { values: {} }
      return { values: { status: status('DELIVERED'), deliveredAt: at }, event: 'email.delivered' }
    case 'OPENED':
      if (signal.isMachine) return { values: { machineOpenCount: message.machineOpenCount + 1 } }
      return { ...opened(message, at), event: 'email.opened' }
    case 'CLICKED': {
      if (signal.isMachine) return { values: {} }
      const click = { url: signal.url, at }
      const seen = message.firstOpenedAt ? {} : { firstOpenedAt: at, lastOpenedAt: at }
      const clicks = message.clicks.length < clicksMax ? [...message.clicks, click] : message.clicks
      return {
        values: { ...seen, status: status('CLICKED'), clicks },
        event: 'email.clicked',
        thread: ({ clickCount }) => ({ clickCount: clickCount + 1 }),
      }
    }
    case 'REPLIED':
      return message.status === 'REPLIED'
        ? { values: {} }
        : { values: { status: status('REPLIED') }, event: 'email.replied' }
    case 'BOUNCED': {
      const { bounceType } = signal
      const reached = bounceType === 'HARD' ? status('BOUNCED') : message.status
      const sent = reached === 'BOUNCED' && message.sentAt === null ? { sentAt: at } : {}
      return {
        values: {
          ...sent,
          status: reached,
          bounceType,
          bounceReason: reasonOf(message, signal.reason, signal.recipient),
        },
        event: 'email.bounced',
      }
    }
    case 'COMPLAINED':
      return { values: { status: status('COMPLAINED') }, event: 'email.complained' }
    case 'UNSUBSCRIBED':
      return { values: {} }
  }
}

/** What the server said about a recipient, or about the mail; of a hidden copy only its codes, because the text may contain the address. */
export function reasonOf({ bccEmails }: Email, reason: string | null, recipient?: string): string | null {
  const said = reason ?? ''
  const isHidden = bccEmails.some((email) =>
    recipient === undefined ? said.toLowerCase().includes(email) : email === recipient,
  )
  return (isHidden ? /^[\d. -]*/.exec(said)![0].trim() : said.slice(0, 1000)) || null
}

function opened(message: Email, at: string): Effect {
  return {
    values: {
      status: later(message.status, 'OPENED'),
      firstOpenedAt: message.firstOpenedAt ?? at,
      lastOpenedAt: message.lastOpenedAt && message.lastOpenedAt > at ? message.lastOpenedAt : at,
      openCount: message.openCount + 1,
    },
    thread: ({ openCount }) => ({ openCount: openCount + 1 }),
  }
}

/**
 * Applies what became known about a sent mail, with its thread, its event and the suppression of its address in one transaction. A function
 * gets the mail and returns the signal; null if nothing became known.
 */
export function applySignal(
  ctx: RequestContext,
  messageId: string,
  given: EmailSignal | ((message: Email) => EmailSignal | null),
): Promise<Email> {
  return inTransaction(ctx, async (inner) => {
    let applied: Applied = { signal: null, effect: { values: {} } }
    const message = await change(inner, emailMessage, messageId, (previous) => {
      const signal = typeof given === 'function' ? given(previous) : given
      const effect = signal && previous.direction === 'OUTBOUND' ? effectOf(previous, signal) : { values: {} }
      applied = { signal, effect }
      const events = effect.event ? [effect.event] : []
      return { operation: 'UPDATE', values: {}, implied: effect.values, events, isEventReplaced: events.length > 0 }
    })
    const { signal, effect } = applied
    const { thread } = effect
    if (thread)
      await change(inner, emailThread, message.threadId, (previous) => ({
        operation: 'UPDATE',
        values: {},
        implied: thread(previous),
      }))
    const reason = signal && suppressionOf(signal)
    if (reason && message.direction === 'OUTBOUND')
      for (const email of addressesOf(message, reason, signal)) await suppress(inner, email, reason, message.id)
    return message
  })
}

/**
 * With several recipients, and unless the report says it, nobody knows whose address bounced, so none is suppressed. Who unsubscribes must get no further mail, so
 * all recipients of that mail are.
 */
function addressesOf(
  { toEmails, ccEmails, bccEmails }: Email,
  reason: SuppressionReason,
  signal: EmailSignal,
): readonly string[] {
  const all = [...toEmails, ...ccEmails, ...bccEmails]
  if ((signal.kind === 'BOUNCED' || signal.kind === 'COMPLAINED') && signal.recipient !== undefined)
    return all.filter((email) => email === signal.recipient)
  return reason === 'UNSUBSCRIBED' || all.length === 1 ? all.toSorted() : []
}

function suppressionOf(signal: EmailSignal): 'BOUNCED' | 'COMPLAINED' | 'UNSUBSCRIBED' | null {
  if (signal.kind === 'BOUNCED') return signal.bounceType === 'HARD' ? 'BOUNCED' : null
  return signal.kind === 'COMPLAINED' || signal.kind === 'UNSUBSCRIBED' ? signal.kind : null
}

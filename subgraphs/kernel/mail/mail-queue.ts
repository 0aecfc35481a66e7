import { untilAborted } from '../queue/deadline.ts'
import type { Outcome, Queue, QueuedItem } from '../queue/queue.ts'
import type { Services } from '../request.ts'
import { platformId } from '../secrets/vault.ts'
import type { CustomerMails } from './customer-mails.ts'
import { mailShares } from './mail.migrations.ts'
import { MailRefused } from './message.ts'
import { mailPlace, type StoredContent } from './queue-mail.ts'

const minuteMs = 60_000

/** 1, 4, 16, 64 and 256 minutes, then 6 hours each. */
export const retryAfterMs = (attempts: number): number => Math.min(minuteMs * 4 ** (attempts - 1), 360 * minuteMs)
export const attemptsMax = 10

interface QueuedMail extends QueuedItem {
  readonly recipient: string
  readonly content: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly organizationId: string | null
}

/** Whether the mails of an organization must not leave. */
export type IsSuspended = (services: Services, organizationId: string) => Promise<boolean>

/** A mail of a suspended organization is looked at again after this time, until it expires. */
export const suspendedWaitMs = 15 * minuteMs

export const mailTable = { name: 'mail', table: 'kernel.mail', retentionMs: 30 * 86_400_000 } as const
export const mailLeaseMs = 2 * minuteMs

/**
 * Sends each mail once; twice only when a process dies after it has sent the mail and before it has recorded that. `customers` decides about
 * mails that are about a record. Mails of suspended organizations wait.
 */
export const mailQueue = (customers: CustomerMails, isSuspended: IsSuspended): Queue<QueuedMail> => ({
  ...mailTable,
  columns:
    'recipient, content, traceparent, created_at as "createdAt", expires_at as "expiresAt", organization_id as "organizationId"',
  leaseMs: mailLeaseMs,
  attemptMsMax: 90_000,
  lanes: { fresh: 6, retry: 4 },
  shares: mailShares,
  attemptsMax: () => attemptsMax,
  retryAfterMs: ({ attempts }) => retryAfterMs(attempts),
  clearedColumns: ['content'],
  attempt: (services, mail, signal) => sendMail(services, customers, isSuspended, mail, signal),
})

async function sendMail(
  services: Services,
  customers: CustomerMails,
  isSuspended: IsSuspended,
  mail: QueuedMail,
  signal: AbortSignal,
): Promise<Outcome> {
  const { mailer, clock, vault } = services
  const { id, recipient, content: sealed, attempts } = mail
  await vault.load(platformId, sealed)
  const { record, ...content } = JSON.parse(vault.open(platformId, mailPlace(id), sealed)) as StoredContent
  if (Date.parse(mail.expiresAt) <= clock.now().getTime()) {
    if (record) await customers.failed(services, record, recipient, new Error('It could not be delivered in time.'))
    return { end: 'EXPIRED' }
  }
  if (mail.organizationId !== null && (await isSuspended(services, mail.organizationId)))
    return { retry: 'The organization is suspended.', afterMs: suspendedWaitMs, isWait: true }
  try {
    const refusal = record ? await customers.refusalOf(services, record, recipient) : null
    if (refusal !== null) throw new MailRefused(`Not sent: ${refusal}.`)
    await untilAborted(signal, mailer.send({ id, to: recipient, date: new Date(mail.createdAt), ...content }))
    return { end: 'SENT' }
  } catch (error) {
    const isRefused = error instanceof MailRefused
    if (record && (isRefused || attempts >= attemptsMax))
      return customers.failed(services, record, recipient, error as Error)
    if (isRefused) return { end: 'FAILED', error: error.message }
    throw error
  }
}

import type { Outcome, Queue, QueuedItem } from '../queue/queue.ts'
import type { Services } from '../request.ts'
import { platformId } from '../secrets/vault.ts'
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
}

/** Sends each mail once; twice only when a process dies after it has sent the mail and before it has recorded that. */
export const mailQueue: Queue<QueuedMail> = {
  name: 'mail',
  table: 'kernel.mail',
  columns: 'recipient, content, traceparent, created_at as "createdAt", expires_at as "expiresAt"',
  leaseMs: 2 * minuteMs,
  lanes: { fresh: 3, retry: 1 },
  attemptsMax: () => attemptsMax,
  retryAfterMs: ({ attempts }) => retryAfterMs(attempts),
  clearedColumns: ['content'],
  retentionMs: 30 * 86_400_000,
  attempt: send,
}

async function send({ mailer, clock, vault }: Services, mail: QueuedMail): Promise<Outcome> {
  const { id, recipient, content: sealed } = mail
  if (Date.parse(mail.expiresAt) <= clock.now().getTime()) return { end: 'EXPIRED' }
  await vault.load(platformId, sealed)
  const content = JSON.parse(vault.open(platformId, mailPlace(id), sealed)) as StoredContent
  try {
    await mailer.send({ id, to: recipient, date: new Date(mail.createdAt), ...content })
    return { end: 'SENT' }
  } catch (error) {
    if (error instanceof MailRefused) return { end: 'FAILED', error: error.message }
    throw error
  }
}

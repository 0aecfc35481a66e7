import { newId } from '../ids.ts'
import type { Services } from '../request.ts'
import { platformId } from '../secrets/vault.ts'
import { MailRefused } from './message.ts'
import { mailPlace, type MailContent } from './queue-mail.ts'

type Delivery = Pick<Services, 'database' | 'clock' | 'vault' | 'mailer' | 'log'>

/** How long an attempt has. A process that dies in the middle of one leaves the mail to others for when this is over. */
export const leaseMs = 120_000
export const attemptsMax = 10
const lanes = 4
const minuteMs = 60_000

/** 1, 4, 16 minutes, then about an hour, four, and six each. */
export const retryAfterMs = (attempts: number): number => Math.min(minuteMs * 4 ** (attempts - 1), 360 * minuteMs)

interface Claimed {
  readonly id: string
  readonly recipient: string
  readonly content: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly attempts: number
}

/** Sends what is due; any number of processes may do so at once. */
export async function deliverMail(delivery: Delivery): Promise<void> {
  await Promise.all(Array.from({ length: lanes }, () => deliverOneByOne(delivery)))
}

async function deliverOneByOne(delivery: Delivery): Promise<void> {
  for (;;) {
    const claim = newId()
    const mail = await claimed(delivery, claim)
    if (!mail) return
    const outcome = await attempted(delivery, mail)
    await noteOutcome(delivery, mail.id, claim, outcome)
  }
}

async function claimed({ database, clock }: Delivery, claim: string): Promise<Claimed | undefined> {
  const now = clock.now()
  const [mail] = await database.query<Claimed>(
    `update kernel.mail set claim = $1, attempts = attempts + 1, next_attempt_at = $3
     where id = (
       select id from kernel.mail where state = 'QUEUED' and next_attempt_at <= $2
       order by next_attempt_at limit 1 for update skip locked
     )
     returning id, recipient, content, created_at as "createdAt", expires_at as "expiresAt", attempts`,
    [claim, now.toISOString(), new Date(now.getTime() + leaseMs).toISOString()],
  )
  return mail
}

interface Outcome {
  readonly state: 'SENT' | 'FAILED' | 'EXPIRED' | 'QUEUED'
  readonly error?: string
  readonly nextAttemptAt?: Date
}

async function attempted({ mailer, clock, vault, log }: Delivery, mail: Claimed): Promise<Outcome> {
  const { id, recipient, attempts } = mail
  if (Date.parse(mail.expiresAt) <= clock.now().getTime()) return { state: 'EXPIRED' }
  try {
    await vault.load(platformId, mail.content)
    const content = JSON.parse(vault.open(platformId, mailPlace(id), mail.content)) as MailContent
    await mailer.send({ id, to: recipient, date: new Date(mail.createdAt), ...content })
    return { state: 'SENT' }
  } catch (thrown) {
    const error = (thrown as Error).message.slice(0, 500)
    const isFinal = thrown instanceof MailRefused || attempts >= attemptsMax
    log.warn({ mail: id, attempts, reason: error }, isFinal ? 'a mail cannot be sent' : 'a mail is tried again later')
    if (isFinal) return { state: 'FAILED', error }
    return { state: 'QUEUED', error, nextAttemptAt: new Date(clock.now().getTime() + retryAfterMs(attempts)) }
  }
}

/** Counts only from the attempt that holds the claim. What has ended keeps no content. */
async function noteOutcome({ database, clock }: Delivery, id: string, claim: string, outcome: Outcome): Promise<void> {
  const { state, error = null, nextAttemptAt } = outcome
  await database.query(
    `update kernel.mail set state = $3, last_error = $4, claim = null, next_attempt_at = coalesce($5, next_attempt_at),
       finished_at = case when $3 = 'QUEUED' then null else $6::timestamptz end,
       content = case when $3 = 'QUEUED' then content end
     where id = $1 and claim = $2`,
    [id, claim, state, error, nextAttemptAt?.toISOString() ?? null, clock.now().toISOString()],
  )
}

import { addressKey } from '../network/address.ts'
import { secondsOf } from '../counters/counters.ts'
import { mailboxOf } from '../values/email-address.ts'
import { Refusal } from '../errors.ts'
import { actorIdOf } from '../context.ts'
import type { RequestContext } from '../request.ts'

/** What mails are counted by. A mailbox is one for all ways to write its address; a client is the address that asks. */
export type CountedBy = 'MAILBOX' | 'CLIENT' | 'SENDER' | 'ORGANIZATION'

export interface MailLimit {
  /** Several: counted by all of them together. */
  readonly by: readonly CountedBy[]
  readonly max: number
  readonly windowMs: number
  /** Says nothing and sends nothing, where an answer would tell what others did. Otherwise 429. */
  readonly isSilent?: boolean
}

/** A kind of mail, counted apart from all others: one that is spent does not hold back another. */
export interface MailKind {
  readonly name: string
  readonly limits: readonly MailLimit[]
}

interface Count {
  readonly key: string
  readonly windowMs: number
  readonly beganAt: string
  readonly mails: number
}

const windowIsOver = `count.began_at + count.window_ms * interval '1 millisecond' <= excluded.began_at`

/** Null for what the platform itself does, which no limit holds back. */
function keyOf({ caller }: RequestContext, kind: MailKind, { by }: MailLimit, to: string): string | null {
  const values: Record<CountedBy, string> = {
    MAILBOX: mailboxOf(to),
    CLIENT: addressKey(caller.ip),
    SENDER: actorIdOf(caller) ?? '',
    ORGANIZATION: caller.organizationId,
  }
  const parts = by.map((name) => values[name] && `${name} ${values[name]}`)
  return parts.every((part) => part !== '') ? [kind.name, ...parts].join('\n') : null
}

/**
 * Counts a mail in the transaction of `ctx`. False when it is to be silently left out; throws when the asker is told. The
 * counts are rows, so that no restart forgets them, and of mails that are asked for at once none is overlooked.
 */
export async function countMail(ctx: RequestContext, kind: MailKind, to: string): Promise<boolean> {
  const counted = kind.limits.flatMap((limit) => {
    const key = keyOf(ctx, kind, limit, to)
    return key === null ? [] : [{ ...limit, key }]
  })
  const now = ctx.clock.now()
  // In one order, whoever counts, so that nobody waits for somebody who waits.
  const counts = await ctx.db.query<Count>(
    `insert into kernel.mail_count as count (key, window_ms, began_at, mails)
     select key, window_ms, $3, 1 from unnest($1::text[], $2::int[]) as wanted (key, window_ms) order by key, window_ms
     on conflict (key, window_ms) do update set
       mails = case when ${windowIsOver} then 1 else count.mails + 1 end,
       began_at = case when ${windowIsOver} then excluded.began_at else count.began_at end
     returning key, window_ms as "windowMs", began_at as "beganAt", mails`,
    [counted.map(({ key }) => key), counted.map(({ windowMs }) => windowMs), now.toISOString()],
  )
  const spent = counted.flatMap((limit) => {
    const count = counts.find(({ key, windowMs }) => key === limit.key && windowMs === limit.windowMs)!
    return count.mails > limit.max ? [{ ...limit, endsMs: Date.parse(count.beganAt) + limit.windowMs }] : []
  })
  const [told] = spent.filter(({ isSilent }) => !isSilent).sort((one, other) => other.endsMs - one.endsMs)
  if (told) throw tooMany(told, secondsOf(told.endsMs - now.getTime()))
  return spent.length === 0
}

const toldOf: Readonly<Record<CountedBy, string>> = {
  MAILBOX: 'to this address',
  CLIENT: 'from your network address',
  SENDER: 'by one user',
  ORGANIZATION: 'by one organization',
}

function tooMany({ by, max, windowMs }: MailLimit, retryAfter: number): Refusal {
  const what = by.map((name) => toldOf[name]).join(' ')
  const message = `Limit of ${max} such mails ${what} in ${windowMs / 60_000} minutes reached; retry in ${retryAfter} s.`
  return new Refusal('MAIL_RATE_LIMITED', message, { retryAfter })
}

import { addressKey } from '../network/address.ts'
import { secondsOf } from '../counters/counters.ts'
import { mailboxOf } from '../values/email-address.ts'
import { Refusal } from '../errors.ts'
import { actorIdOf } from '../context.ts'
import type { RequestContext } from '../request.ts'

/**
 * What a limit counts mails by. MAILBOX: the recipient, the same for all spellings of its address. CLIENT: the IP address of the
 * request. SENDER: the user.
 */
export type CountedBy = 'MAILBOX' | 'CLIENT' | 'SENDER' | 'ORGANIZATION'

export interface MailLimit {
  /** Several values: one count for each combination of them. */
  readonly by: readonly CountedBy[]
  readonly max: number
  readonly windowMs: number
  /** True: the mail is silently not sent, because a refusal would reveal what other people did. False: 429. */
  readonly isSilent?: boolean
  /** What the refusal says in addition. */
  readonly hint?: string
}

/** Refuses a mail that the caller may not send to others through the mail server of the platform. */
export type MailGuard = (ctx: RequestContext) => Promise<void>

/** A kind of mail. Each kind is counted separately, so an exceeded limit of one kind does not block another kind. */
export interface MailKind {
  readonly name: string
  readonly limits: readonly MailLimit[]
  /**
   * Whose mail it is. PERSON: about the account of the recipient, who gets it whatever happens to an organization. ORGANIZATION: it leaves only
   * while the organization is not suspended.
   */
  readonly of: 'PERSON' | 'ORGANIZATION'
  /** Null: the mail has nothing that its sender has written, or goes to a user who has proved to read the address. */
  readonly guard: MailGuard | null
}

interface Count {
  readonly key: string
  readonly windowMs: number
  readonly beganAt: string
  readonly mails: number
}

const windowIsOver = `count.began_at + count.window_ms * interval '1 millisecond' <= excluded.began_at`

/** The key of the count. Null for mails of the platform itself, which have no limits. */
function counterKeyOf({ caller }: RequestContext, kind: MailKind, { by }: MailLimit, to: string): string | null {
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
 * Counts a mail in the transaction of `ctx`. False: a silent limit is exceeded, and the mail must not be sent. Throws
 * `MAIL_RATE_LIMITED` when another limit is exceeded. The counts are rows, so that they survive a restart and concurrent requests
 * are all counted.
 */
export async function countMail(ctx: RequestContext, kind: MailKind, to: string): Promise<boolean> {
  await kind.guard?.(ctx)
  const counted = kind.limits.flatMap((limit) => {
    const key = counterKeyOf(ctx, kind, limit, to)
    return key === null ? [] : [{ ...limit, key }]
  })
  const now = ctx.clock.now()
  // Rows are locked in the same order by all requests, so that no deadlock can occur.
  const counts = await ctx.db.query<Count>(
    `insert into kernel.mail_count as count (key, window_ms, began_at, mails)
     select key, window_ms, $3, 1 from unnest($1::text[], $2::int[]) as wanted (key, window_ms) order by key, window_ms
     on conflict (key, window_ms) do update set
       mails = case when ${windowIsOver} then 1 else count.mails + 1 end,
       began_at = case when ${windowIsOver} then excluded.began_at else count.began_at end
     returning key, window_ms as "windowMs", began_at as "beganAt", mails`,
    [counted.map(({ key }) => key), counted.map(({ windowMs }) => windowMs), now.toISOString()],
  )
  const exceeded = counted.flatMap((limit) => {
    const count = counts.find(({ key, windowMs }) => key === limit.key && windowMs === limit.windowMs)!
    return count.mails > limit.max ? [{ ...limit, endsMs: Date.parse(count.beganAt) + limit.windowMs }] : []
  })
  const [refusing] = exceeded.filter(({ isSilent }) => !isSilent).sort((one, other) => other.endsMs - one.endsMs)
  if (refusing) throw tooMany(refusing, secondsOf(refusing.endsMs - now.getTime()))
  return exceeded.length === 0
}

const limitTexts: Readonly<Record<CountedBy, string>> = {
  MAILBOX: 'to this address',
  CLIENT: 'from your network address',
  SENDER: 'by one user',
  ORGANIZATION: 'by one organization',
}

function tooMany({ by, max, windowMs, hint }: MailLimit, retryAfter: number): Refusal {
  const what = by.map((name) => limitTexts[name]).join(' ')
  const message = `Limit of ${max} such mails ${what} in ${windowMs / 60_000} minutes reached; retry in ${retryAfter} s.${hint === undefined ? '' : ` ${hint}`}`
  return new Refusal('MAIL_RATE_LIMITED', message, { retryAfter })
}

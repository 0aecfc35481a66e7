import { createHash } from 'node:crypto'
import { addressKey } from '../../kernel/address.ts'
import type { Limit } from '../../kernel/config.ts'
import { secondsOf, type Verdict } from '../../kernel/counters/counters.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'

const quarterHour = 15 * 60_000

/** Failed sign-ins. What fails for one person must not lock out an office behind one address. */
const accountFailures: readonly Limit[] = [{ max: 10, windowMs: quarterHour }]
const addressFailures: readonly Limit[] = [{ max: 50, windowMs: quarterHour }]
/** Registrations from one address. */
const registrations: readonly Limit[] = [{ max: 100, windowMs: 4 * quarterHour }]

/** Mails that are asked for, to one address whether somebody has it or not, and from one client address. */
const accountMails: readonly Limit[] = [{ max: 5, windowMs: 4 * quarterHour }]
const addressMails: readonly Limit[] = [{ max: 50, windowMs: 4 * quarterHour }]

const throttled = (verdict: Verdict): Refusal =>
  new Refusal('SIGN_IN_THROTTLED', 'Too many attempts to sign in; wait and try again.', {
    retryAfter: secondsOf(verdict.resetMs),
  })

const accountKey = (email: string): string => createHash('sha256').update(email).digest('base64url')

type Judge = 'count' | 'hit'

async function refusal(ctx: RequestContext, email: string, judge: Judge): Promise<Refusal | null> {
  const nowMs = ctx.clock.now().getTime()
  const verdicts = [
    await ctx.counters[judge]('sign-in-account', accountKey(email), accountFailures, nowMs),
    await ctx.counters[judge]('sign-in-address', addressKey(ctx.caller.ip), addressFailures, nowMs),
  ]
  const spent = verdicts.filter(({ allowed }) => !allowed).sort((a, b) => b.resetMs - a.resetMs)
  return spent[0] ? throttled(spent[0]) : null
}

/** Refuses an attempt for an account, existing or not, or from an address that failed too often. */
export async function refuseThrottled(ctx: RequestContext, email: string): Promise<void> {
  const refused = await refusal(ctx, email, 'count')
  if (refused) throw refused
}

/** Notes a failure and says what to answer. The count decides, so that of attempts that arrive together only ten see 401. */
export async function failed(ctx: RequestContext, email: string, answer: Refusal): Promise<Refusal> {
  return (await refusal(ctx, email, 'hit')) ?? answer
}

async function addressRefusal({ counters, caller, clock }: RequestContext, judge: Judge): Promise<Refusal | null> {
  const nowMs = clock.now().getTime()
  const verdict = await counters[judge]('sign-in-address', addressKey(caller.ip), addressFailures, nowMs)
  return verdict.allowed ? null : throttled(verdict)
}

/** As `refuseThrottled`, where a token does not say which account it is for. */
export async function refuseThrottledAddress(ctx: RequestContext): Promise<void> {
  const refused = await addressRefusal(ctx, 'count')
  if (refused) throw refused
}

export const failedAddress = async (ctx: RequestContext, answer: Refusal): Promise<Refusal> =>
  (await addressRefusal(ctx, 'hit')) ?? answer

/** Counts a mail that somebody asks for without being signed in. */
export async function countMailRequest({ counters, caller, clock }: RequestContext, email: string): Promise<void> {
  const nowMs = clock.now().getTime()
  const verdicts = [
    await counters.hit('mail-address', addressKey(caller.ip), addressMails, nowMs),
    await counters.hit('mail-account', accountKey(email), accountMails, nowMs),
  ]
  const refused = verdicts.find(({ allowed }) => !allowed)
  if (refused) throw throttled(refused)
}

export async function countRegistration(ctx: RequestContext): Promise<void> {
  const { counters, clock, caller } = ctx
  const verdict = await counters.hit('registration', addressKey(caller.ip), registrations, clock.now().getTime())
  if (!verdict.allowed) throw throttled(verdict)
}

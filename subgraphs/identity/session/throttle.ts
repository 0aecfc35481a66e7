import { createHash } from 'node:crypto'
import { addressKey } from '../../kernel/address.ts'
import type { Limit } from '../../kernel/config.ts'
import { secondsOf, type Verdict } from '../../kernel/counters/counters.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'

const quarterHour = 15 * 60_000

/**
 * Failed sign-ins. What fails for one person must not lock out an office behind one address, and what strangers try must not
 * lock out the owner of the account: so an account and an address are counted together.
 */
const accountFromAddressFailures: readonly Limit[] = [{ max: 10, windowMs: quarterHour }]
const addressFailures: readonly Limit[] = [{ max: 50, windowMs: quarterHour }]
/** Of one account from everywhere: guesses that are spread over many addresses. */
const accountFailures: readonly Limit[] = [{ max: 100, windowMs: 4 * quarterHour }]
/** On devices where somebody signed in to the account before; of users who are signed in. */
const ownFailures: readonly Limit[] = [{ max: 10, windowMs: quarterHour }]
/** Registrations from one address. Those that tell that there is an account are few, and then none is answered. */
const registrations: readonly Limit[] = [{ max: 100, windowMs: 4 * quarterHour }]
const tellingRegistrations: readonly Limit[] = [{ max: 10, windowMs: 4 * quarterHour }]

const throttled = (verdict: Verdict): Refusal =>
  new Refusal('SIGN_IN_THROTTLED', 'Too many attempts to sign in; wait and try again.', {
    retryAfter: secondsOf(verdict.resetMs),
  })

const accountKey = (email: string): string => createHash('sha256').update(email).digest('base64url')

type Judge = 'count' | 'hit'

/**
 * How somebody tries to come in. Strangers cannot spend what a known device, a session or what was mailed has; a known
 * device that has spent its own is a stranger. Codes that were mailed are good for a few guesses each.
 */
export type Way = 'STRANGER' | 'KNOWN_DEVICE' | 'SESSION' | 'MAILED'

async function refusal(ctx: RequestContext, email: string, judge: Judge, way: Way): Promise<Refusal | null> {
  const { counters, clock, caller } = ctx
  const [nowMs, account, address] = [clock.now().getTime(), accountKey(email), addressKey(caller.ip)]
  if (way === 'KNOWN_DEVICE' || way === 'SESSION') {
    const own = await counters[judge](`sign-in-${way}`, account, ownFailures, nowMs)
    if (own.allowed) return null
    if (way === 'SESSION') return throttled(own)
  }
  const verdicts = [
    await counters[judge]('sign-in-account-address', `${account} ${address}`, accountFromAddressFailures, nowMs),
    await counters[judge]('sign-in-address', address, addressFailures, nowMs),
  ]
  if (way !== 'MAILED') verdicts.push(await counters[judge]('sign-in-account', account, accountFailures, nowMs))
  const spent = verdicts.filter(({ allowed }) => !allowed).sort((a, b) => b.resetMs - a.resetMs)
  return spent[0] ? throttled(spent[0]) : null
}

/** Refuses an attempt for an account, existing or not, that failed too often from its address, or an address that did. */
export async function refuseThrottled(ctx: RequestContext, email: string, way: Way = 'STRANGER'): Promise<void> {
  const refused = await refusal(ctx, email, 'count', way)
  if (refused) throw refused
}

/** Notes a failure and says what to answer. The count decides, so that of attempts that arrive together only ten see 401. */
export async function failed(
  ctx: RequestContext,
  email: string,
  answer: Refusal,
  way: Way = 'STRANGER',
): Promise<Refusal> {
  return (await refusal(ctx, email, 'hit', way)) ?? answer
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

export async function countRegistration({ counters, clock, caller }: RequestContext): Promise<void> {
  const [address, nowMs] = [addressKey(caller.ip), clock.now().getTime()]
  const verdicts = [
    await counters.count('registration-telling', address, tellingRegistrations, nowMs),
    await counters.hit('registration', address, registrations, nowMs),
  ]
  const refused = verdicts.find(({ allowed }) => !allowed)
  if (refused) throw throttled(refused)
}

/** Notes a registration that was refused because there is an account, and says what to answer. */
export async function registrationTold({ counters, clock, caller }: RequestContext, answer: Refusal): Promise<Refusal> {
  const [address, nowMs] = [addressKey(caller.ip), clock.now().getTime()]
  const verdict = await counters.hit('registration-telling', address, tellingRegistrations, nowMs)
  return verdict.allowed ? answer : throttled(verdict)
}

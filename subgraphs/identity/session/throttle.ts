import { createHash } from 'node:crypto'
import { addressKey } from '../../kernel/network/address.ts'
import type { Limit } from '../../kernel/config/config.ts'
import { secondsOf, type LimitDecision } from '../../kernel/counters/counters.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { IdentityContext } from '../context.ts'

const quarterHour = 15 * 60_000

/**
 * Limits of sign-in failures. Failures of one person must not lock out an office behind one IP address, and attempts of strangers must
 * not lock out the owner of an account. Therefore failures are counted for each pair of account and address.
 */
const accountFromAddressFailures: readonly Limit[] = [{ max: 10, windowMs: quarterHour }]
const addressFailures: readonly Limit[] = [{ max: 50, windowMs: quarterHour }]
/** Failures for one account from all addresses, against guesses that are distributed over many addresses. */
const accountFailures: readonly Limit[] = [{ max: 100, windowMs: 4 * quarterHour }]
/** Failures on known devices, and of signed-in users. */
const ownFailures: readonly Limit[] = [{ max: 10, windowMs: quarterHour }]
/** Registrations from one address. The second limit counts registrations whose refusal reveals an existing account. */
const registrations: readonly Limit[] = [{ max: 100, windowMs: 4 * quarterHour }]
const revealingRegistrations: readonly Limit[] = [{ max: 10, windowMs: 4 * quarterHour }]

const throttled = (decision: LimitDecision): Refusal =>
  new Refusal('SIGN_IN_THROTTLED', `Too many attempts to sign in; retry in ${secondsOf(decision.resetMs)} s.`, {
    retryAfter: secondsOf(decision.resetMs),
  })

const accountKey = (email: string): string => createHash('sha256').update(email).digest('base64url')

type CounterMethod = 'count' | 'hit'

/**
 * The kind of a sign-in attempt. Attempts on unknown devices do not count against the limits of a known device, a session or mailed tokens.
 * A known device that has exceeded its own limit counts as an unknown device. Mailed codes allow only a few guesses each.
 */
export type AttemptKind = 'UNKNOWN_DEVICE' | 'KNOWN_DEVICE' | 'SESSION' | 'MAILED'

async function refusal(
  ctx: IdentityContext,
  email: string,
  method: CounterMethod,
  attempt: AttemptKind,
): Promise<Refusal | null> {
  const { counters, clock, caller } = ctx
  const [nowMs, account, address] = [clock.now().getTime(), accountKey(email), addressKey(caller.ip)]
  if (attempt === 'KNOWN_DEVICE' || attempt === 'SESSION') {
    const own = await counters[method](`sign-in-${attempt}`, account, ownFailures, nowMs)
    if (own.allowed) return null
    if (attempt === 'SESSION') return throttled(own)
  }
  const decisions = [
    await counters[method]('sign-in-account-address', `${account} ${address}`, accountFromAddressFailures, nowMs),
    await counters[method]('sign-in-address', address, addressFailures, nowMs),
  ]
  if (attempt !== 'MAILED') decisions.push(await counters[method]('sign-in-account', account, accountFailures, nowMs))
  const exceeded = decisions.filter(({ allowed }) => !allowed).sort((a, b) => b.resetMs - a.resetMs)
  return exceeded[0] ? throttled(exceeded[0]) : null
}

/** Refuses an attempt after too many failures for this account (existing or not) or from this address. */
export async function refuseThrottled(
  ctx: IdentityContext,
  email: string,
  attempt: AttemptKind = 'UNKNOWN_DEVICE',
): Promise<void> {
  const refused = await refusal(ctx, email, 'count', attempt)
  if (refused) throw refused
}

/** Counts a failure and returns the refusal to answer with. The count decides, so that at most ten concurrent attempts get 401. */
export async function countFailure(
  ctx: IdentityContext,
  email: string,
  answer: Refusal,
  attempt: AttemptKind = 'UNKNOWN_DEVICE',
): Promise<Refusal> {
  return (await refusal(ctx, email, 'hit', attempt)) ?? answer
}

async function addressRefusal(
  { counters, caller, clock }: IdentityContext,
  method: CounterMethod,
): Promise<Refusal | null> {
  const nowMs = clock.now().getTime()
  const decision = await counters[method]('sign-in-address', addressKey(caller.ip), addressFailures, nowMs)
  return decision.allowed ? null : throttled(decision)
}

/** Like `refuseThrottled`, for tokens that do not reveal their account. */
export async function refuseThrottledAddress(ctx: IdentityContext): Promise<void> {
  const refused = await addressRefusal(ctx, 'count')
  if (refused) throw refused
}

export const countAddressFailure = async (ctx: IdentityContext, answer: Refusal): Promise<Refusal> =>
  (await addressRefusal(ctx, 'hit')) ?? answer

export async function countRegistration({ counters, clock, caller }: IdentityContext): Promise<void> {
  const [address, nowMs] = [addressKey(caller.ip), clock.now().getTime()]
  const decisions = [
    await counters.count('registration-telling', address, revealingRegistrations, nowMs),
    await counters.hit('registration', address, registrations, nowMs),
  ]
  const refused = decisions.find(({ allowed }) => !allowed)
  if (refused) throw throttled(refused)
}

/** Counts a registration that was refused because the account exists, and returns the refusal to answer with. */
export async function countRefusedRegistration(
  { counters, clock, caller }: IdentityContext,
  answer: Refusal,
): Promise<Refusal> {
  const [address, nowMs] = [addressKey(caller.ip), clock.now().getTime()]
  const decision = await counters.hit('registration-telling', address, revealingRegistrations, nowMs)
  return decision.allowed ? answer : throttled(decision)
}

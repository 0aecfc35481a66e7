import type { Caller } from '../context.ts'
import { secondsOf, type Counters } from '../counters/counters.ts'
import { Refusal } from '../errors.ts'
import type { Clock } from '../time/clock.ts'

/** Calls of all automations of an organization together. */
export const automationCalls = { max: 6_000, windowMs: 60_000 }

/** Counts a call that an automation makes to the graph or to REST, which no quota of a key or an app bounds. Other callers are not counted. */
export async function spendAutomationCall(
  { counters, clock }: { readonly counters: Counters; readonly clock: Clock },
  { kind, organizationId }: Caller,
): Promise<void> {
  if (kind !== 'AUTOMATION') return
  const { allowed, resetMs } = await counters.hit(
    'automation',
    organizationId,
    [automationCalls],
    clock.now().getTime(),
  )
  if (allowed) return
  const retryAfter = secondsOf(resetMs)
  const message = `The automations of your organization may make ${automationCalls.max} calls per minute; retry in ${retryAfter} s.`
  throw new Refusal('AUTOMATION_RATE_LIMITED', message, { retryAfter })
}

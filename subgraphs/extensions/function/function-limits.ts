import { secondsOf, type Counters } from '../../kernel/counters/counters.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { cpuMsPerMinute, invocationsPerMinute } from './bounds.ts'

interface Counting {
  readonly counters: Counters
  readonly clock: Clock
}

const windowMs = 60_000
const invocations = [{ max: invocationsPerMinute, windowMs }]
const cpu = [{ max: cpuMsPerMinute, windowMs }]
const spaces = { invocations: 'functions', cpu: 'functions.cpu' } as const

/** Counts an invocation of the organization. Seconds until it may run if it may not; otherwise null. */
export async function secondsUntilAllowed(
  { counters, clock }: Counting,
  organizationId: string,
): Promise<number | null> {
  const decisions = await counters.checkAll(
    [
      { space: spaces.cpu, key: organizationId, limits: cpu, hits: 0 },
      { space: spaces.invocations, key: organizationId, limits: invocations, hits: 1 },
    ],
    clock.now().getTime(),
  )
  const refused = decisions.find(({ allowed }) => !allowed)
  return refused ? secondsOf(refused.resetMs) : null
}

/** Counts the CPU that an invocation has used. What exceeds the limit fills it, because counters count nothing that does not fit. */
export async function countCpu({ counters, clock }: Counting, organizationId: string, cpuMs: number): Promise<void> {
  const now = clock.now().getTime()
  const used = Math.ceil(cpuMs)
  if (used === 0 || (await counters.hit(spaces.cpu, organizationId, cpu, now, used)).allowed) return
  const { allowed, remaining } = await counters.count(spaces.cpu, organizationId, cpu, now)
  if (allowed) await counters.hit(spaces.cpu, organizationId, cpu, now, Math.min(used, remaining))
}

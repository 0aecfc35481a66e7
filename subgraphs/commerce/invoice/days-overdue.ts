import type { RequestContext } from '../../kernel/request.ts'
import { dayIn, daysBetween, timezoneOf } from './invoice-day.ts'
import { isOpen } from './invoice.status.ts'
import type { Invoice } from './invoice.ts'

const zones = new WeakMap<object, Promise<string>>()

/** The time zone of the organization, read once in an operation. */
function zoneOf(ctx: RequestContext): Promise<string> {
  let zone = zones.get(ctx.batches)
  if (!zone) zones.set(ctx.batches, (zone = timezoneOf(ctx)))
  return zone
}

/** A day begins fourteen hours earlier in the easternmost time zone than in UTC. */
const earliestMs = 14 * 3_600_000

export function daysOverdueOf(
  ctx: RequestContext,
  { status, dueDate }: Pick<Invoice, 'status' | 'dueDate'>,
): number | Promise<number> {
  const now = ctx.clock.now()
  if (!dueDate || !isOpen(status) || Date.parse(dueDate) > now.getTime() + earliestMs) return 0
  return zoneOf(ctx).then((zone) => Math.max(0, daysBetween(dueDate, dayIn(zone, now))))
}

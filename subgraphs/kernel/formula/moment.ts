import { dateIn } from '../time/days.ts'
import type { Moment } from './formula.ts'

/** The time of an operation in the organization's zone. */
export const momentIn = (zone: string, now: Date): Moment => ({ today: dateIn(zone, now), now, zone })

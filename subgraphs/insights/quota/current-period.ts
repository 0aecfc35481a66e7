import type { RequestContext } from '../../kernel/request.ts'
import { dateIn } from '../../kernel/time/days.ts'
import { periodOf, periodOfDay, periodTypes, type FiscalCalendar, type Period } from '../../kernel/time/period.ts'
import type { PeriodArgs } from './quota.inputs.ts'

/** The day that it is in the time zone of the organization. */
export const today = ({ clock }: Pick<RequestContext, 'clock'>, { timezone }: FiscalCalendar): string =>
  dateIn(timezone, clock.now())

/** The period that is asked for; without a text the one of today, of this type or else a quarter. */
export const currentPeriod = (
  ctx: Pick<RequestContext, 'clock'>,
  { period, periodType }: PeriodArgs,
  calendar: FiscalCalendar,
): Period =>
  period == null
    ? periodOfDay(today(ctx, calendar), periodType ?? 'QUARTER', calendar)
    : periodOf(period, periodType, calendar)

/** Like `currentPeriod`, but without text and type the month, the quarter and the year of today. */
export const currentPeriods = (
  ctx: Pick<RequestContext, 'clock'>,
  args: PeriodArgs,
  calendar: FiscalCalendar,
): readonly Period[] =>
  args.period == null && args.periodType == null
    ? periodTypes.map((type) => periodOfDay(today(ctx, calendar), type, calendar))
    : [currentPeriod(ctx, args, calendar)]

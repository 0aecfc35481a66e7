import { fiscalCalendar, membersOfTeams, organizationSettings } from '../../identity/public.ts'
import { invalid } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { readPage } from '../../kernel/record/list.ts'
import { allColumnNames } from '../../kernel/record/read.ts'
import { isAnySelected, selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { DateTime } from 'luxon'
import { momentOfDay } from '../../kernel/time/days.ts'
import { businessDaysBetween, periodOf, type FiscalCalendar } from '../../kernel/time/period.ts'
import type { BusinessHours } from '../../kernel/time/working-week.ts'
import { decimalOf, exactOf, rounded, roundToCurrency, zero } from '../../kernel/values/decimal.ts'
import type { QuotaAttainment } from './attainment.types.ts'
import { currentPeriods, today } from './current-period.ts'
import { dealFigures, type DealFigures } from './deal-figures.ts'
import type { AttainmentArgs } from './quota.inputs.ts'
import { quota } from './quota.record.ts'
import type { Quota } from './quota.ts'

/** A page of the quotas that the caller sees, each with what was won and what is expected. */
export async function quotaAttainment(ctx: RequestContext, args: AttainmentArgs, info: SelectionInfo) {
  const calendar = await fiscalCalendar(ctx)
  const periods = currentPeriods(ctx, args, calendar).map(({ text }) => text)
  if (args.userId != null && !isId(args.userId))
    throw invalid({ path: 'userId', code: 'WRONG_FORMAT', message: 'userId must be a UUID.' })
  const filter = { period: { in: periods }, ...(args.userId != null && { userId: { eq: args.userId } }) }
  const page = await readPage(
    ctx,
    quota,
    { filter, page: args.page, limit: args.limit, cursor: args.cursor ?? null },
    {
      page: selectedFields(info),
      record: allColumnNames(quota),
      total: isAnySelected(info, 'total', 'totalPages'),
    },
  )
  return { ...page, data: await attainmentOf(ctx, page.data as unknown as Quota[], calendar) }
}

/** What was won for each of these quotas, and what is expected, with one statement for all of them. */
export async function attainmentOf(
  ctx: RequestContext,
  quotas: readonly Quota[],
  calendar: FiscalCalendar,
): Promise<QuotaAttainment[]> {
  const members = await membersOfTeams(
    ctx,
    quotas.flatMap(({ teamId }) => teamId ?? []),
  )
  const { businessHours } = await organizationSettings(ctx)
  const day = today(ctx, calendar)
  const counted = quotas.map((one) => {
    const days = daysOf(one, calendar)
    const ownerIds = one.userId === null ? (members.get(one.teamId!) ?? []) : [one.userId]
    return { quota: one, days, ownerIds }
  })
  const windows = counted.map(({ quota: { currency }, ownerIds, days }) => ({
    owners: ownerIds,
    currency,
    start: momentOfDay(days.first, 'BEGIN', calendar.timezone),
    end: momentOfDay(days.end, 'BEGIN', calendar.timezone),
  }))
  const figures = hidesWhat(ctx) ? null : await dealFigures(ctx, windows)
  const { ownerIds: seen } = ctx.caller
  return counted.map(({ quota: one, days, ownerIds }, index) => ({
    ...measured(one, figures?.[index] ?? null, elapsedShare(days, day, businessHours)),
    isPartial: seen !== null && ownerIds.some((id) => !seen.includes(id)),
  }))
}

/** Whether the caller's profile hides whose a quota is or which days it has: what was won for it would tell. */
const hidesWhat = ({ caller }: RequestContext): boolean =>
  ['userId', 'teamId', 'startDate', 'endDate'].some((name) => isHidden(caller, quota, name))

interface Days {
  readonly first: string
  /** The day after the last one. */
  readonly end: string
}

function daysOf({ period, periodType, startDate, endDate }: Quota, calendar: FiscalCalendar): Days {
  const { firstDay, endDay } = periodOf(period, periodType, calendar)
  // A period may have moved since with the fiscal year; the days of the quota never are more than its days.
  const end = endDate === null ? endDay : dayAfter(endDate)
  return { first: startDate !== null && startDate > firstDay ? startDate : firstDay, end: end < endDay ? end : endDay }
}

const dayAfter = (day: string): string => DateTime.fromISO(day, { zone: 'utc' }).plus({ days: 1 }).toISODate()!

type Share = readonly [elapsed: number, all: number]

/** The business days before today, and all of them. Without any, the whole target is expected when the time is over. */
function elapsedShare({ first, end }: Days, day: string, hours: BusinessHours | undefined): Share {
  const until = day < end ? day : end
  const all = businessDaysBetween(first, end, hours)
  return all === 0 ? [day < end ? 0 : 1, 1] : [businessDaysBetween(first, until, hours), all]
}

const hundred = decimalOf(100)

function measured(
  { id, userId, teamId, period, periodType, currency, target: exactTarget }: Quota,
  figures: DealFigures | null,
  [elapsed, all]: Share,
): Omit<QuotaAttainment, 'isPartial'> {
  const target = decimalOf(exactTarget)
  const expected = roundToCurrency(target.times(decimalOf(elapsed)).div(decimalOf(all)), currency)
  const own = { quotaId: id, userId, teamId, period, periodType, currency, target: exactTarget }
  if (!figures) {
    const unknown = { closedWon: null, attainmentPercent: null, gap: null, openPipeline: null, weightedPipeline: null }
    const rest = {
      commit: null,
      bestCase: null,
      coverage: null,
      paceVariance: null,
      projected: null,
      unconverted: null,
    }
    return { ...own, ...unknown, ...rest, expectedToDate: exactOf(expected) }
  }
  const { closedWon, commit, bestCase, pipeline, weighted, unconverted } = figures
  const open = commit.plus(bestCase).plus(pipeline)
  const gap = target.minus(closedWon)
  return {
    ...own,
    closedWon: exactOf(closedWon),
    attainmentPercent: target.eq(zero) ? null : exactOf(rounded(closedWon.times(hundred).div(target), 2)),
    gap: exactOf(gap),
    openPipeline: exactOf(open),
    weightedPipeline: exactOf(weighted),
    commit: exactOf(commit),
    bestCase: exactOf(bestCase),
    coverage: gap.gt(zero) ? exactOf(rounded(open.div(gap), 2)) : null,
    expectedToDate: exactOf(expected),
    paceVariance: exactOf(closedWon.minus(expected)),
    projected: exactOf(closedWon.plus(weighted)),
    unconverted,
  }
}

import { activeUsers, baseCurrencyOf, fiscalCalendar, usersBelow } from '../../identity/public.ts'
import { actorIdOf } from '../../kernel/context.ts'
import { lockOf } from '../../kernel/database/locks.ts'
import { invalid, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { decimalsOf } from '../../kernel/json/exact-number.ts'
import { requireWritableRole, save } from '../../kernel/record/save.ts'
import { inTransaction, unrestricted, type RequestContext } from '../../kernel/request.ts'
import { periodOf } from '../../kernel/time/period.ts'
import { currencyDecimals, currencyProblems } from '../../kernel/values/currency.ts'
import { exactOf, zero } from '../../kernel/values/decimal.ts'
import { dealFigures } from '../quota/deal-figures.ts'
import { takeSnapshots } from './snapshot.ts'
import { shownForecast } from './forecast-list.ts'
import type { ForecastInput } from './forecast.inputs.ts'
import { forecast } from './forecast.record.ts'
import type { SubmittedForecast } from './submitted-forecast.ts'

const amounts = ['commit', 'bestCase', 'pipeline'] as const

/** Stores the next revision of the forecast of a user for a period, with what the deals say at this moment. */
export async function submitForecast(ctx: RequestContext, input: ForecastInput): Promise<SubmittedForecast> {
  requireWritableRole(ctx)
  const calendar = await fiscalCalendar(ctx)
  const period = periodOf(input.period, input.periodType, calendar)
  const userId = input.userId?.toLowerCase() ?? ctx.caller.userId
  const currency = input.currency ?? (await baseCurrencyOf(ctx))
  const problems = problemsOf(input, currency)
  if (problems.length > 0) throw invalid(...problems)
  await requireSubmitter(ctx, userId)
  return inTransaction(ctx, async (inner) => {
    // The second of two submissions waits here, and gets the next revision.
    await inner.db.query(`select pg_advisory_xact_lock(${lockOf('forecasts')})`, [
      `${ctx.caller.organizationId} ${userId} ${period.text}`,
    ])
    const owners = [userId, ...(await usersBelow(inner, userId))]
    const window = { owners, start: period.start, end: period.end, currency }
    const [counted] = (await dealFigures(unrestricted(inner), [window]))!
    const values = {
      userId,
      period: period.text,
      periodType: period.type,
      commit: input.commit ?? null,
      bestCase: input.bestCase ?? null,
      pipeline: input.pipeline ?? null,
      currency,
      notes: input.notes ?? null,
    }
    const implied = {
      revision: (await lastRevision(inner, userId, period.text)) + 1,
      submittedAt: ctx.clock.now().toISOString(),
      submittedById: actorIdOf(ctx.caller),
      countedClosed: exactOf(counted?.closedWon ?? zero),
      countedCommit: exactOf(counted?.commit ?? zero),
      countedBestCase: exactOf(counted?.bestCase ?? zero),
      countedPipeline: exactOf(counted?.pipeline ?? zero),
      countedUserIds: owners,
    }
    const users = [userId]
    const baseCurrency = await baseCurrencyOf(inner)
    await takeSnapshots(unrestricted(inner), { period, source: 'SUBMISSION', currency: baseCurrency, users })
    const saved = await save(inner, forecast, { operation: 'CREATE', previous: null, values, implied })
    return shownForecast(ctx, saved)
  })
}

function problemsOf(input: ForecastInput, currency: string): FieldProblem[] {
  const unknown = currencyProblems('currency', currency)
  if (unknown.length > 0) return unknown
  const decimals = currencyDecimals(currency)
  return amounts.flatMap((name) => {
    const amount = input[name]
    if (amount == null || (decimalsOf(amount) ?? Infinity) <= decimals) return []
    return [
      { path: name, code: 'TOO_PRECISE', message: `${name} must have at most ${decimals} decimals in ${currency}.` },
    ]
  })
}

/** Owners and admins submit for everybody, other users for themselves and those who report to them, over any number of managers. */
async function requireSubmitter(ctx: RequestContext, userId: string): Promise<void> {
  if (userId === ctx.caller.userId) return
  const known = isId(userId) ? await activeUsers(ctx, [userId]) : new Set<string>()
  if (!known.has(userId))
    throw invalid({
      path: 'userId',
      code: 'UNKNOWN_REFERENCE',
      message: 'userId must be the id of an active user of the organization.',
    })
  if (['OWNER', 'ADMIN'].includes(ctx.caller.role)) return
  if (!(await usersBelow(ctx, ctx.caller.userId)).has(userId))
    throw new Refusal('PERMISSION_DENIED', 'You may submit your forecast and those of users who report to you only.')
}

async function lastRevision({ db, caller }: RequestContext, userId: string, period: string): Promise<number> {
  const [row] = await db.query<{ last: number }>(
    'select coalesce(max(revision), 0) as last from insights.forecast where organization_id = $1 and user_id = $2 and period = $3',
    [caller.organizationId, userId, period],
  )
  return row!.last
}

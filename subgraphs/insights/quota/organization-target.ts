import { baseSumOf, fiscalCalendar, membersOfTeams, ratesOf } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import type { CurrencySum } from '../../kernel/record/currency-figures.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decimalOf, exactOf, rounded, sumOf, zero } from '../../kernel/values/decimal.ts'
import type { OrganizationTarget } from './attainment.types.ts'
import { currentPeriod } from './current-period.ts'
import { dealFigures } from './deal-figures.ts'
import type { PeriodArgs } from './quota.inputs.ts'
import { quota } from './quota.record.ts'

/** The quotas of users, and of teams whose members have none, so that no target counts twice. */
export async function organizationTarget(ctx: RequestContext, args: PeriodArgs): Promise<OrganizationTarget> {
  const period = currentPeriod(ctx, args, await fiscalCalendar(ctx))
  const [users, teams] = [await userSums(ctx, period.text), await teamSums(ctx, period.text)]
  const sums = [...users, ...teams]
  const rates = await ratesOf(
    ctx,
    sums.map(({ currency }) => currency),
  )
  const currency = rates.baseCurrency
  const figures = await dealFigures(ctx, [{ owners: 'ANY', start: period.start, end: period.end, currency }])
  const [userTarget, teamTarget] = [baseSumOf(rates, users), baseSumOf(rates, teams)]
  const target = sumOf([userTarget, teamTarget].map(decimalOf))
  const closedWon = figures?.[0]?.closedWon ?? null
  const count = (some: readonly CurrencySum[]): number => some.reduce((sum, each) => sum + each.count, 0)
  const unrated = count(sums.filter((sum) => !rates.rates.has(sum.currency)))
  return {
    period: period.text,
    periodType: period.type,
    currency,
    target: exactOf(target),
    userTarget,
    teamTarget,
    quotas: count(sums) - unrated,
    closedWon: closedWon && exactOf(closedWon),
    attainmentPercent:
      closedWon === null || target.eq(zero) ? null : exactOf(rounded(closedWon.times(decimalOf(100)).div(target), 2)),
    unconverted: figures && unrated + figures[0]!.unconverted,
    isPartial: ctx.caller.ownerIds !== null,
  }
}

type Sum = CurrencySum & Record<string, unknown>

async function userSums(ctx: RequestContext, period: string): Promise<readonly CurrencySum[]> {
  const predicate = computedOver(ctx)
  const seen = predicate.live(quota, 't')
  return ctx.db.query<Sum>(
    `select t.currency, sum(t.target) as sum, count(*)::int as count from insights.quota t
     where ${seen} and t.period = ${predicate.values.add(period)} and t.user_id is not null group by t.currency`,
    predicate.values.list,
    'SCAN',
  )
}

async function teamSums(ctx: RequestContext, period: string): Promise<readonly CurrencySum[]> {
  const predicate = computedOver(ctx)
  const seen = predicate.live(quota, 't')
  const { values } = predicate
  const teams = await ctx.db.query<{ teamId: string; currency: string; target: ExactNumber }>(
    `select t.team_id as "teamId", t.currency, t.target from insights.quota t
     where ${seen} and t.period = ${values.add(period)} and t.team_id is not null`,
    values.list,
  )
  const members = await membersOfTeams(
    ctx,
    teams.map(({ teamId }) => teamId),
  )
  const rows = await ctx.db.query<{ userId: string }>(
    `select user_id as "userId" from insights.quota where organization_id = $1 and period = $2 and user_id = any($3::uuid[])`,
    [ctx.caller.organizationId, period, [...new Set([...members.values()].flat())]],
  )
  const withQuota = new Set(rows.map(({ userId }) => userId))
  return teams
    .filter(({ teamId }) => !(members.get(teamId) ?? []).some((id) => withQuota.has(id)))
    .map(({ currency, target }) => ({ currency, sum: target, count: 1 }))
}

import { baseCurrencyOf, exchangeRateSql, rateDayOf, rateDaySql } from '../../../identity/public.ts'
import { fieldNotReadable, isHidden } from '../../../kernel/record/field-security.ts'
import { computedOver, type TenantPredicate, Values } from '../../../kernel/record/predicate.ts'
import { readSource } from '../../../kernel/record/read-source.ts'
import { recordType } from '../../../kernel/record/record-registry.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { decimalOf } from '../../../kernel/values/decimal.ts'
import type { HorizonDays } from '../horizon.ts'
import type { ScenarioFilters } from '../scenario.structures.ts'

export const dealsMax = 5000

/** An open deal that the caller sees. */
export interface OpenDeal {
  readonly id: string
  readonly pipelineId: string
  readonly stage: string
  readonly ownerId: string | null
  readonly type: string | null
  /** In the base currency at the rate of today; null without a rate. */
  readonly amount: number | null
  /** Planned close date, in days from today; negative if it has passed. */
  readonly closeDay: number
  /** The probability that a user has set, between 0 and 1; null if it is that of the stage. */
  readonly ownProbability: number | null
}

/** The shape of opportunities, which belong to another subgraph. */
export const opportunityShape = recordType('opportunity')

/** Whether the caller must not know amounts of deals. */
export const hidesMoney = ({ caller }: Pick<RequestContext, 'caller'>): boolean =>
  ['amount', 'baseAmount'].some((name) => isHidden(caller, opportunityShape(), name))

/** Whether the caller must not know when deals were closed. */
export const hidesClosing = ({ caller }: Pick<RequestContext, 'caller'>): boolean =>
  isHidden(caller, opportunityShape(), 'closedAt')

/** Refuses with 403 filters by what the caller must not read, as every list does. */
export function requireReadableFilters(
  ctx: RequestContext,
  filters: ScenarioFilters | null,
  scopes: readonly object[],
  path: string,
): void {
  const hidden = (name: string): boolean => isHidden(ctx.caller, opportunityShape(), name)
  const paths = [
    ...(filters && filters.minAmount !== null && hidesMoney(ctx) ? ['filters.minAmount'] : []),
    ...(filters && (filters.ownerIds.length > 0 || filters.teamIds.length > 0) && hidden('ownerId')
      ? ['filters.ownerIds']
      : []),
    ...scopes.flatMap((scope, index) =>
      (['ownerId', 'type'] as const)
        .filter((name) => name in scope && hidden(name))
        .map((name) => `${path}.${index}.scope.${name}`),
    ),
  ]
  if (paths.length > 0) throw fieldNotReadable(paths)
}

/** The deals that the caller sees and the filters select, as conditions of a statement on `t`. */
export class DealStatement {
  readonly values = new Values()
  readonly #predicate: TenantPredicate
  readonly #conditions: string[]
  readonly #base: string
  readonly #rateDay: (values: Values) => string
  #rate: string | null = null

  constructor(ctx: RequestContext, filters: ScenarioFilters | null, base: string, rateDay: (values: Values) => string) {
    this.#base = base
    this.#rateDay = rateDay
    this.#predicate = computedOver(ctx, this.values)
    this.#conditions = [this.#predicate.live(opportunityShape(), 't')]
    if (filters) this.#select(filters)
  }

  /** The rate of the currency of the deal. Its parameters belong to statements that use it only. */
  get rate(): string {
    return (this.#rate ??= exchangeRateSql({
      organizationId: this.#predicate.organization(),
      base: `${this.values.add(this.#base)}::text`,
      currency: 't.currency',
      day: this.#rateDay(this.values),
    }))
  }

  #select({ ownerIds, teamIds, stages, minAmount, accountIds }: ScenarioFilters): void {
    const { values } = this
    if (ownerIds.length > 0) this.where(`t.owner_id = any(${values.add(ownerIds)}::uuid[])`)
    if (teamIds.length > 0)
      this.where(
        `t.owner_id in (select m.user_id from identity.team_member m where m.organization_id = ${this.#predicate.organization()} and m.team_id = any(${values.add(teamIds)}::uuid[]))`,
      )
    if (stages.length > 0) this.where(`t.stage = any(${values.add(stages)}::text[])`)
    if (accountIds.length > 0) this.where(`t.account_id = any(${values.add(accountIds)}::uuid[])`)
    // A deal without a rate is counted as such; it may or may not be large enough.
    if (minAmount !== null)
      this.where(`coalesce(t.amount * (${this.rate}) >= ${values.add(decimalOf(minAmount).toFixed())}::numeric, true)`)
  }

  where(condition: string): void {
    this.#conditions.push(condition)
  }

  get from(): string {
    return `from ${readSource(opportunityShape())} t where ${this.#conditions.join(' and ')}`
  }
}

/** `today` is the day of the rates. */
export const openStatement = (
  ctx: RequestContext,
  filters: ScenarioFilters | null,
  base: string,
  today: string,
): DealStatement => {
  const statement = new DealStatement(ctx, filters, base, (values) => `${values.add(today)}::text`)
  statement.where('not t.is_closed')
  return statement
}

/** The number of deals, up to one more than a simulation may have. */
export async function countOpenDeals(ctx: RequestContext, filters: ScenarioFilters | null): Promise<number> {
  const today = await rateDayOf(ctx, ctx.clock.now())
  const statement = openStatement(ctx, filters, await baseCurrencyOf(ctx), today)
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from (select 1 ${statement.from} limit ${dealsMax + 1}) deals`,
    statement.values.list,
    'SCAN',
  )
  return row!.count
}

/** The open deals in the order of their ids, one more than a simulation may have at most. */
export function openDeals(
  ctx: RequestContext,
  filters: ScenarioFilters | null,
  base: string,
  { zone }: Pick<HorizonDays, 'zone'>,
  today: string,
): Promise<OpenDeal[]> {
  const statement = openStatement(ctx, filters, base, today)
  const [zoneValue, todayValue] = [statement.values.add(zone), statement.values.add(today)]
  return ctx.db.query<OpenDeal>(
    `select t.id, t.pipeline_id as "pipelineId", t.stage, t.owner_id as "ownerId", t.type,
       (t.amount * (${statement.rate}))::float8 as amount,
       (t.close_date at time zone ${zoneValue}::text)::date - ${todayValue}::date as "closeDay",
       case when t.probability_overridden then t.probability::float8 / 100 end as "ownProbability"
     ${statement.from} order by t.id limit ${dealsMax + 1}`,
    statement.values.list,
    'SCAN',
  )
}

export interface WonMonth {
  readonly month: string
  /** In the base currency. */
  readonly amount: number
  readonly deals: number
  readonly unconverted: number
}

/** What was won on days of the horizon, by month: at the rates of the close dates. */
export function wonMonths(
  ctx: RequestContext,
  filters: ScenarioFilters | null,
  base: string,
  { zone, first, last }: HorizonDays,
): Promise<WonMonth[]> {
  const statement = new DealStatement(ctx, filters, base, (given) =>
    rateDaySql('t.close_date', `${given.add(zone)}::text`),
  )
  const { values } = statement
  const local = `(t.closed_at at time zone ${values.add(zone)}::text)::date`
  statement.where(`t.is_won and ${local} between ${values.add(first)}::date and ${values.add(last)}::date`)
  // Up to a day around the horizon, so that the index is used.
  statement.where(`t.closed_at >= ${values.add(first)}::date - 2 and t.closed_at < ${values.add(last)}::date + 3`)
  return ctx.db.query<WonMonth>(
    `select to_char(deals.day, 'YYYY-MM') as month, coalesce(sum(deals.amount), 0)::float8 as amount,
       count(deals.amount)::int as deals, (count(*) - count(deals.amount))::int as unconverted
     from (select ${local} as day, t.amount * (${statement.rate}) as amount ${statement.from}) deals group by 1 order by 1`,
    values.list,
    'SCAN',
  )
}

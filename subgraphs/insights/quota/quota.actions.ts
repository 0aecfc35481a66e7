import { activeUsers, baseCurrencyOf, fiscalCalendar } from '../../identity/public.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { lockOf } from '../../kernel/database/locks.ts'
import { allColumnNames, readOne } from '../../kernel/record/read.ts'
import { save } from '../../kernel/record/save.ts'
import { selectList } from '../../kernel/record/selection.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { periodAfter } from '../../kernel/time/period.ts'
import {
  inputProblems,
  keyOf,
  referenceProblems,
  repeatedProblems,
  storedProblems,
  type QuotaKey,
} from './check-quotas.ts'
import { quotasMax, type PeriodArgs, type QuotaBulk, type QuotaCopy, type QuotaInput } from './quota.inputs.ts'
import { currentPeriod } from './current-period.ts'
import { quota } from './quota.record.ts'
import { quotaRefused, quotaRights } from './quota.rights.ts'
import type { Quota } from './quota.ts'

/** A quota as `quotaSet` answers it. */
export type SetQuota = Quota & { readonly isNew: boolean }

type PrefixOf = (index: number) => string

export async function setQuota(ctx: RequestContext, input: QuotaInput): Promise<SetQuota> {
  const [set] = await setQuotas(ctx, [input], () => '')
  return set!
}

export async function setQuotasInBulk(ctx: RequestContext, inputs: readonly QuotaInput[]): Promise<QuotaBulk> {
  if (inputs.length < 1 || inputs.length > quotasMax) {
    const message = `quotas must have between 1 and ${quotasMax} items.`
    throw invalid({ path: 'quotas', code: 'OUT_OF_RANGE', message })
  }
  const quotas = await setQuotas(ctx, inputs, (index) => `quotas.${index}.`)
  const created = quotas.filter(({ isNew }) => isNew).length
  return { created, updated: quotas.length - created, quotas }
}

/** Sets all quotas, or none if one of them is refused. */
async function setQuotas(ctx: RequestContext, inputs: readonly QuotaInput[], prefixOf: PrefixOf): Promise<SetQuota[]> {
  const maySet = await quotaRights(ctx)
  const calendar = await fiscalCalendar(ctx)
  const checked = inputs.map((input, index) => inputProblems(input, prefixOf(index), calendar))
  const found = checked.flatMap(({ problems }) => problems)
  found.push(
    ...repeatedProblems(
      checked.map(({ key }) => key),
      prefixOf,
    ),
  )
  if (found.length > 0) throw invalid(...found)
  const keys = checked.map(({ key }) => key!)
  const unknown = await referenceProblems(ctx, keys, prefixOf)
  if (unknown.length > 0) throw invalid(...unknown)
  if (!keys.every(maySet)) throw quotaRefused()
  const baseCurrency = await baseCurrencyOf(ctx)
  return inLockedTransaction(ctx, async (inner) => {
    const stored = await storedQuotas(inner, keys)
    const drafts = inputs.map((input, index) => {
      const key = keys[index]!
      const previous = stored.get(keyOf(key)) ?? null
      const values = {
        target: input.target,
        currency: input.currency ?? previous?.currency ?? baseCurrency,
        startDate: input.startDate === undefined ? (previous?.startDate ?? null) : input.startDate,
        endDate: input.endDate === undefined ? (previous?.endDate ?? null) : input.endDate,
      }
      return { previous, values: { ...key, periodType: checked[index]!.period!.type, ...values } }
    })
    const problems = drafts.flatMap(({ values }, index) => storedProblems(values, prefixOf(index)))
    if (problems.length > 0) throw invalid(...problems)
    const saved: SetQuota[] = []
    for (const { previous, values } of drafts) {
      const operation = previous ? 'UPDATE' : 'CREATE'
      const record = await save(inner, quota, { operation, previous, values })
      saved.push({ ...record, isNew: previous === null })
    }
    return saved
  })
}

/** Creates the quotas of the period before for this period, where there is none yet. */
export async function copyPreviousQuotas(ctx: RequestContext, args: PeriodArgs): Promise<QuotaCopy> {
  const maySet = await quotaRights(ctx)
  const calendar = await fiscalCalendar(ctx)
  const period = currentPeriod(ctx, args, calendar)
  const before = periodAfter(period, -1, calendar)
  return inLockedTransaction(ctx, async (inner) => {
    const sources = (await quotasOfPeriod(inner, before.text)).filter(maySet)
    const present = new Set((await quotasOfPeriod(inner, period.text)).map(keyOf))
    const userIds = sources.flatMap(({ userId }) => userId ?? [])
    const active = userIds.length === 0 ? new Set<string>() : await activeUsers(inner, userIds)
    const missing = sources.filter(
      (source) =>
        !present.has(keyOf({ ...source, period: period.text })) &&
        (source.userId === null || active.has(source.userId)),
    )
    for (const { userId, teamId, periodType, target, currency } of missing.slice(0, quotasMax)) {
      const values = {
        userId,
        teamId,
        period: period.text,
        periodType,
        target,
        currency,
        startDate: null,
        endDate: null,
      }
      await save(inner, quota, { operation: 'CREATE', previous: null, values })
    }
    const created = Math.min(missing.length, quotasMax)
    return { created, skipped: sources.length - missing.length, remaining: missing.length - created }
  })
}

/** Deletes a quota that the caller may set. 404 if the caller neither sees it nor may set it. */
export async function deleteQuota(ctx: RequestContext, id: string): Promise<string> {
  const maySet = await quotaRights(ctx)
  return inLockedTransaction(ctx, async (inner) => {
    const [previous] = isId(id) ? await readQuotas(inner, 't.id = $2', [id]) : []
    if (!previous) throw notFound('The quota')
    if (!maySet(previous)) throw (await readOne(inner, quota, id)) ? quotaRefused() : notFound('The quota')
    await save(inner, quota, { operation: 'DELETE', previous, values: {} })
    return previous.id
  })
}

/** Changes of quotas of an organization wait for each other, so that two requests cannot both find no quota of a key. */
const inLockedTransaction = <T, C extends RequestContext>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> =>
  inTransaction(ctx, async (inner) => {
    await inner.db.query(`select pg_advisory_xact_lock(${lockOf('quotas')})`, [ctx.caller.organizationId])
    return work(inner)
  })

async function storedQuotas(ctx: RequestContext, keys: readonly QuotaKey[]): Promise<ReadonlyMap<string, Quota>> {
  const rows = await readQuotas(
    ctx,
    `exists (select 1 from unnest($2::uuid[], $3::uuid[], $4::text[]) as k (user_id, team_id, period)
       where k.period = t.period and (k.user_id = t.user_id or k.team_id = t.team_id)) and t.period = any($4::text[])`,
    [keys.map(({ userId }) => userId), keys.map(({ teamId }) => teamId), keys.map(({ period }) => period)],
  )
  return new Map(rows.map((row) => [keyOf(row), row]))
}

const quotasOfPeriod = (ctx: RequestContext, period: string): Promise<Quota[]> =>
  readQuotas(ctx, 't.period = $2', [period])

/** Quotas of the organization, also those that the caller does not see: a manager may set the quotas of users out of sight. */
const readQuotas = ({ db, caller }: RequestContext, condition: string, values: readonly unknown[]): Promise<Quota[]> =>
  db.query<Quota>(
    `select ${selectList(quota, allColumnNames(quota), 't', null)} from insights.quota t
     where t.organization_id = $1 and ${condition} order by t.created_at, t.id`,
    [caller.organizationId, ...values],
  )

import { isHidden } from '../../kernel/record/field-security.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { pointsSql } from '../engagement/stored/channels.ts'
import type { FactorKey } from './factors.ts'
import { bothWaysSql, days, messageSql } from './factors-sql.ts'
import { shapes } from './shown-factors.ts'

export const evidenceMax = 5

const task = recordType('task')

/** Ids by deal and factor. */
export type Evidence = ReadonlyMap<string, ReadonlyMap<FactorKey, readonly string[]>>

interface Found {
  readonly dealId: string
  readonly key: FactorKey
  readonly ids: readonly string[]
}

/** The newest records that the caller sees of those which the factors are made of. All deals are read together. */
export async function evidenceOf(ctx: RequestContext, dealIds: readonly string[], now: Date): Promise<Evidence> {
  if (dealIds.length === 0) return new Map()
  const predicate = computedOver(ctx)
  const { values } = predicate
  const deals = `unnest(${values.add(dealIds)}::uuid[]) as d (id)`
  const at = `${values.add(now.toISOString())}::timestamptz`
  const since = (count: number): string => `a.occurred_at >= ${at} - interval '${count} days'`
  const activities = (): string =>
    `tenant.crm_activity a where ${predicate.live(shapes.activity(), 'a')} and a.opportunity_id = d.id`
  const newest = (key: FactorKey, condition: string): string => `
    select d.id as "dealId", '${key}' as key, array(
      select a.id from ${activities()} and a.occurred_at <= ${at} and ${condition}
      order by a.occurred_at desc, a.id desc limit ${evidenceMax}) as ids
    from ${deals}`
  const parts: string[] = []
  const may = (scope: string): boolean => holdsScope(ctx.caller, scope)
  // That a record is evidence would tell a field of it that the profile hides.
  const shows = (record: typeof task, names: readonly string[]): boolean =>
    names.every((name) => !isHidden(ctx.caller, record(), name))
  if (may('READ_ACTIVITIES'))
    parts.push(
      newest('RECENCY', `${bothWaysSql} and not a.is_automated`),
      newest('MOMENTUM', `${since(2 * days.window)} and ${pointsSql} > 0`),
      newest('REPLY_RATIO', `${since(days.recent)} and ${messageSql}`),
    )
  if (may('READ_ACTIVITIES') && shows(shapes.activity, ['opportunityId']))
    parts.push(
      `select d.id, 'NEXT_STEP', array(
        select a.id from ${activities()} and a.is_planned and a.occurred_at >= ${at}
        order by a.occurred_at, a.id limit ${evidenceMax}) from ${deals}`,
    )
  if (may('READ_TASKS') && shows(task, ['opportunityId', 'dueDate', 'completedAt']))
    parts.push(`select d.id, 'NEXT_STEP', array(
      select k.id from crm.task k where ${predicate.live(task(), 'k')} and k.opportunity_id = d.id and k.due_date >= ${at}
        and k.completed_at is null order by k.due_date, k.id limit ${evidenceMax}) from ${deals}`)
  if (may('READ_CONTACTS'))
    parts.push(`select d.id, 'MULTI_THREADING', array(
      select c.id from crm.contact c where ${predicate.live(shapes.contact(), 'c')} and c.id in (
        select p.id from crm.activity a cross join lateral (
          select a.contact_id as id where a.contact_id is not null
          union all
          select (e.value ->> 'id')::uuid from jsonb_array_elements(a.participants) e where e.value ->> 'type' = 'CONTACT'
        ) p
        where a.organization_id = ${predicate.organization()} and a.opportunity_id = d.id and a.deleted_at is null
          and a.occurred_at <= ${at} and ${since(days.recent)} and ${pointsSql} > 0)
      order by c.id desc limit ${evidenceMax}) from ${deals}`)
  if (parts.length === 0) return new Map()
  const rows = await ctx.db.query<Found & Record<string, unknown>>(parts.join(' union all '), values.list)
  const found = new Map<string, Map<FactorKey, readonly string[]>>()
  for (const { dealId, key, ids } of rows) {
    let own = found.get(dealId)
    if (!own) found.set(dealId, (own = new Map<FactorKey, readonly string[]>()))
    own.set(key, [...(own.get(key) ?? []), ...ids].slice(0, evidenceMax))
  }
  return found
}

import { pointsSql } from '../engagement/stored/channels.ts'

/** Below so many won deals, the past of a stage says too little. */
export const wonMin = 5
const recencyHalfLifeDays = 10
const windowDays = 14
const recentDays = 30
const contactsEnough = 3
const withoutDecisionMaker = 0.7
const lossOfPush = 0.25

const now = '$3::timestamptz'
const since = (days: number): string => `${now} - interval '${days} days'`

/** An activity in which both sides took part: the customer began it, or was reached. */
export const bothWaysSql = `(a.direction = 'INBOUND' or (a.type in ('CALL', 'MEETING') and a.outcome in ('CONNECTED', 'REPLIED', 'COMPLETED')))`

/** Messages of people, of which some are answered. */
export const messageSql = `(a.type in ('EMAIL', 'SMS', 'CHAT') and not a.is_automated and a.direction in ('INBOUND', 'OUTBOUND'))`

export const days = { window: windowDays, recent: recentDays }

const activity = `crm.activity a where a.organization_id = $1 and a.opportunity_id = any($2::uuid[]) and a.deleted_at is null
      and a.occurred_at <= ${now}`

const isDecisionMaker = `exists (
      select from jsonb_array_elements(o.contact_roles) r
      join crm.contact c on c.organization_id = $1 and c.id = (r.value ->> 'contactId')::uuid and c.deleted_at is null
      where coalesce(r.value ->> 'role', c.buying_role) = 'DECISION_MAKER')`

/**
 * The factors of F5 of the open deals among the ids `$2` of the organization `$1` at the time `$3`, in the time zone `$4`. All activities of a deal
 * count, whoever sees them.
 */
export const factorsSql = `
  with fact as (
    select a.opportunity_id as id,
      max(a.occurred_at) filter (where ${bothWaysSql} and not a.is_automated) as contact_at,
      coalesce(sum(${pointsSql}) filter (where a.occurred_at >= ${since(windowDays)}), 0) as last,
      coalesce(sum(${pointsSql}) filter (where a.occurred_at < ${since(windowDays)} and a.occurred_at >= ${since(2 * windowDays)}), 0) as previous,
      count(*) filter (where ${messageSql} and a.occurred_at >= ${since(recentDays)} and a.direction = 'OUTBOUND')::float8 as sent,
      greatest(
        count(*) filter (where ${messageSql} and a.occurred_at >= ${since(recentDays)} and a.direction = 'INBOUND'),
        count(*) filter (where ${messageSql} and a.occurred_at >= ${since(recentDays)} and a.direction = 'OUTBOUND' and a.outcome = 'REPLIED')
      ) as replies
    from ${activity} group by 1
  ), people as (
    select a.opportunity_id as id, count(distinct p.id) as active
    from crm.activity a cross join lateral (
      select a.contact_id as id where a.contact_id is not null
      union all
      select (e.value ->> 'id')::uuid from jsonb_array_elements(a.participants) e where e.value ->> 'type' = 'CONTACT'
    ) p
    where a.organization_id = $1 and a.opportunity_id = any($2::uuid[]) and a.deleted_at is null
      and a.occurred_at <= ${now} and a.occurred_at >= ${since(recentDays)} and ${pointsSql} > 0
    group by 1
  ), past as (
    -- The won deals of a stage, where there are enough; otherwise what the pipeline allows.
    select p.id as pipeline_id, e.value ->> 'name' as stage,
      case when s.won >= ${wonMin} then s.median_days else (e.value ->> 'rottenAfterDays')::float8 end as median_days,
      case when s.won >= ${wonMin} then s.median_remaining end as median_remaining
    from crm.pipeline p cross join lateral jsonb_array_elements(p.stages) e
    left join insights.deal_stage s on s.organization_id = $1 and s.pipeline_id = p.id and s.stage = e.value ->> 'name'
    where p.organization_id = $1
  ), deal as (
    select o.id, o.version, o.last_activity_date, o.next_activity_date, o.next_step, o.close_date_push_count as pushes,
      date_part('epoch', ${now} - o.stage_entered_at) / 86400 as stage_days,
      (o.close_date at time zone $4::text)::date - (${now} at time zone $4::text)::date as days_left,
      case when past.median_days is not null then greatest(past.median_days, 1) end as usual_days, nullif(greatest(past.median_remaining, 0), 0) as usual_left,
      fact.contact_at, fact.sent, fact.replies, people.active, ${isDecisionMaker} as has_decision_maker,
      (coalesce(fact.last, 0) - coalesce(fact.previous, 0)) / greatest(coalesce(fact.previous, 0), 2) as velocity
    from crm.opportunity o
    left join past on past.pipeline_id = o.pipeline_id and past.stage = o.stage
    left join fact on fact.id = o.id left join people on people.id = o.id
    where o.organization_id = $1 and o.id = any($2::uuid[]) and o.deleted_at is null and not o.is_closed
  )
  select d.id, d.version, d.last_activity_date, d.next_activity_date,
    case when d.contact_at is null then 0 else power(2::float8, greatest(-1000, -date_part('epoch', ${now} - d.contact_at) / 86400 / ${recencyHalfLifeDays})) end as recency,
    least(1, greatest(0, 0.5 + least(3, greatest(-1, d.velocity)) / 2)) as momentum,
    case when d.usual_days is null or d.stage_days <= d.usual_days then 1
      else greatest(0, 1 - (d.stage_days - d.usual_days) / (2 * d.usual_days)) end as stage_pace,
    least(1, coalesce(d.active, 0) / ${contactsEnough}::float8) * case when d.has_decision_maker then 1 else ${withoutDecisionMaker} end as multi_threading,
    case when d.days_left < 0 then 0 else greatest(0, 1 - ${lossOfPush} * d.pushes) * case when d.usual_left is null then 1 else least(1, d.days_left / d.usual_left) end end as close_date,
    case when d.next_activity_date >= ${now} then 1 when btrim(d.next_step) <> '' then 0.5 else 0 end as next_step,
    -- Organizations cannot require fields of deals, and without required fields this is 1.
    1 as qualification,
    case when coalesce(d.sent, 0) = 0 then 0 else least(1, d.replies / d.sent) end as reply_ratio
  from deal d`

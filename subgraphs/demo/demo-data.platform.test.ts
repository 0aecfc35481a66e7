import { describe, expect, it } from 'vitest'
import { validateEvents, type StoredEvent } from '../../test/contract/validate-events.ts'
import { caseAutoClose } from '../support/case/case-auto-close.job.ts'
import { caseSlaBreach } from '../support/case/case-sla-breach.job.ts'
import { midnight, recordTables, useLoadedDemo } from './demo.fixture.ts'

const loaded = useLoadedDemo()
const query: ReturnType<typeof loaded>['services']['database']['query'] = (...given) =>
  loaded().services.database.query(...given)

describe('the demo', () => {
  it('has an exact number of records, maintained counts and case numbers, and is loaded in less than ten seconds', async () => {
    const { demo, loadingMs } = loaded()
    console.log(`the demo was loaded in ${Math.round(loadingMs)} ms`)
    expect(loadingMs).toBeLessThan(10_000)
    expect(demo.organizations.map(({ name }) => name)).toEqual(['Fjordline Freight Systems', 'Kestrel Instruments'])
    const counted = async (table: string): Promise<number[]> =>
      (
        await query<{ n: number }>(`select count(*)::int as n from ${table} group by organization_id order by n desc`)
      ).map(({ n }) => n)
    const numbers = Object.fromEntries(
      await Promise.all(recordTables.map(async (table) => [table, await counted(table)] as const)),
    )
    expect(numbers).toMatchObject({
      'commerce.product': [80, 20],
      'crm.account': [320, 40],
      'crm.contact': [700, 70],
      'crm.opportunity': [450, 45],
      'support."case"': [600, 60],
    })
    const maintained = [
      'crm.account',
      'crm.contact',
      'crm.opportunity',
      'support.case',
      'commerce.product',
      'identity.api_key',
    ]
    const totals = await query(
      maintained
        .map(
          (table) =>
            `select '${table}' as table, sum(n)::int as total from ${table}_totals where organization_id = $1 and kind in ('CHANGE', 'GROUP')`,
        )
        .join(' union all '),
      [demo.organizations[0]!.id],
    )
    expect(totals.map(({ total }) => total)).toEqual([320, 700, 450, 600, 80, 3])
  })

  it('has an event for every record, valid against its JSON Schema, with the record as it is stored', async () => {
    const events = await query<StoredEvent>('select type, version, data from kernel.event order by id')
    expect(validateEvents(events)).toEqual([])
    const [missing] = await query(
      `select count(*)::int as n from (${recordTables.map((table) => `select organization_id, id, created_at from ${table}`).join(' union all ')}) r
       where not exists (select 1 from kernel.event e where e.organization_id = r.organization_id and e.record_id = r.id
         and e.occurred_at = r.created_at and (e.type like '%.created' or e.type = 'case.comment_added'))`,
    )
    expect(missing).toEqual({ n: 0 })
  })

  it('leaves no work for the jobs at the last midnight', async () => {
    const { services } = loaded()
    const count = () => query('select count(*)::int as n from kernel.event')
    const before = await count()
    const atMidnight = { ...services, clock: { now: () => midnight } }
    for (const job of [caseSlaBreach, caseAutoClose]) await job.run(atMidnight)
    expect(await count()).toEqual(before)
  })
})

describe('the accounts of the demo', () => {
  it('have hierarchies of three levels', async () => {
    const [hierarchies] = await query(
      `select count(*)::int as children, count(distinct parent_account_id)::int as parents,
         count(*) filter (where exists (select 1 from crm.account g where g.id = a.parent_account_id and g.parent_account_id is not null))::int as grandchildren
       from crm.account a where parent_account_id is not null`,
    )
    expect(hierarchies).toEqual({ children: 72, parents: 37, grandchildren: 15 })
  })

  it('have one primary contact each, and their contacts have their domain', async () => {
    const wrong = await query(
      `select a.name from crm.account a left join crm.contact c on c.account_id = a.id group by a.id, a.organization_id
       having count(*) filter (where c.is_primary) <> 1 or not bool_and(c.email like '%@' || a.domain) or min(c.created_at) < a.created_at`,
    )
    expect(wrong).toEqual([])
  })
})

describe('the opportunities of the demo', () => {
  const violations = (rule: string) =>
    query(
      `select o.name, o.stage, o.close_date from crm.opportunity o
       join crm.account a on a.organization_id = o.organization_id and a.id = o.account_id
       left join crm.contact p on p.organization_id = o.organization_id and p.id = o.primary_contact_id
       where not coalesce((${rule}), false) limit 3`,
    )

  it('are consistent in time, with their accounts and with their contacts', async () => {
    expect(await violations(`a.created_at <= o.created_at`)).toEqual([])
    expect(await violations(`p.account_id = o.account_id and p.created_at <= o.created_at`)).toEqual([])
    expect(
      await violations(`o.stage_entered_at >= o.created_at and o.stage_entered_at < '${midnight.toISOString()}'`),
    ).toEqual([])
    expect(await violations(`o.is_closed or o.close_date > '${midnight.toISOString()}'`)).toEqual([])
    expect(
      await violations(
        `not o.is_closed or o.close_date = date_trunc('day', o.closed_at at time zone 'UTC') at time zone 'UTC'`,
      ),
    ).toEqual([])
    expect(
      await violations(`(o.close_date_push_count > 0) = (o.close_date > o.original_close_date) or o.is_closed`),
    ).toEqual([])
    expect(await violations(`(o.loss_reason is not null) = (o.is_closed and not o.is_won)`)).toEqual([])
    expect(await violations(`a.type = 'CUSTOMER' or not o.is_won`)).toEqual([])
    expect(
      await violations(
        `o.currency <> 'JPY' and o.pipeline_id = (select id from crm.pipeline q where q.organization_id = o.organization_id)`,
      ),
    ).toEqual([])
  })

  it('are in every stage, some in another currency, some pushed', async () => {
    const [numbers] = await query(
      `select count(distinct stage)::int as stages, count(distinct currency)::int as currencies,
         count(*) filter (where is_won)::int as won, count(*) filter (where is_closed and not is_won)::int as lost,
         count(*) filter (where not is_closed)::int as open, count(*) filter (where close_date_push_count > 0)::int as pushed
       from crm.opportunity where organization_id = $1`,
      [loaded().demo.organizations[0]!.id],
    )
    expect(numbers).toEqual({ stages: 7, currencies: 4, won: 135, lost: 132, open: 183, pushed: 76 })
  })
})

describe('the cases of the demo', () => {
  it('are consistent in time and by the rules of cases', async () => {
    const violations = (rule: string) =>
      query(
        `select c.case_number, c.status from support."case" c
         left join crm.account a on a.organization_id = c.organization_id and a.id = c.account_id
         left join crm.contact p on p.organization_id = c.organization_id and p.id = c.contact_id
         where not (${rule}) limit 3`,
      )
    expect(await violations(`(c.status in ('RESOLVED', 'CLOSED')) = (c.resolved_at is not null)`)).toEqual([])
    expect(await violations(`(c.status = 'CLOSED') = (c.closed_at is not null)`)).toEqual([])
    expect(await violations(`c.closed_at is null or c.closed_at >= c.resolved_at`)).toEqual([])
    expect(await violations(`(c.status = 'PENDING_CUSTOMER') = (c.paused_at is not null)`)).toEqual([])
    expect(await violations(`(c.escalation_level > 0) = (c.escalated_at is not null)`)).toEqual([])
    expect(await violations(`a.created_at < c.created_at`)).toEqual([])
    expect(
      await violations(`c.contact_id is null or (p.account_id = c.account_id and p.created_at < c.created_at)`),
    ).toEqual([])
    expect(
      await violations(
        `greatest(c.first_response_at, c.resolved_at, c.closed_at, c.escalated_at, c.paused_at, c.created_at) <= c.updated_at`,
      ),
    ).toEqual([])
    expect(await violations(`c.updated_at < '2026-11-21'`)).toEqual([])
    expect(
      await violations(`c.first_response_at is not distinct from (select min(m.created_at) from support.case_comment m
        where m.organization_id = c.organization_id and m.case_id = c.id and m.author_type = 'USER' and not m.is_internal)`),
    ).toEqual([])
    expect(await violations(`c.subject || c.description !~ '[{}]'`)).toEqual([])
    const numbers = await query(
      `select case_number as number from support."case" where organization_id = $1 order by created_at, case_number`,
      [loaded().demo.organizations[0]!.id],
    )
    expect(numbers.map(({ number }) => number)).toEqual(Array.from({ length: 600 }, (_, index) => index + 1))
  })
})

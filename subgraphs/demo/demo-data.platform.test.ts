import { describe, expect, it } from 'vitest'
import { validateEvents, type StoredEvent } from '../../test/contract/validate-events.ts'
import { account } from '../crm/account/account.record.ts'
import { opportunity } from '../crm/opportunity/opportunity.record.ts'
import { customFieldProblem } from '../kernel/record/check-values.ts'
import type { RecordShape } from '../kernel/record/definition.ts'
import { withUnversionedOf } from '../kernel/record/unversioned-values.ts'
import { shapeFor } from '../kernel/record/shape-source.ts'
import { siteVisit } from './definitions.ts'
import { caseAutoClose } from '../support/case/case-auto-close.job.ts'
import { caseSlaBreach } from '../support/case/case-sla-breach.job.ts'
import { InvoiceStatus } from '../commerce/invoice/invoice.enumerations.ts'
import { order } from '../commerce/order/order.record.ts'
import { quoteExpire } from '../commerce/quote/quote-expire.job.ts'
import { runFunction } from '../extensions/function/run-function.ts'
import { nextNumber } from '../kernel/record/record-number.ts'
import { systemContext } from '../kernel/request.ts'
import { taskOverdue } from '../crm/task/task-overdue.job.ts'
import { taskReminder } from '../crm/task/task-reminder.job.ts'
import { midnight, recordTables, useLoadedDemo } from './demo.fixture.ts'

const loaded = useLoadedDemo()
const query: ReturnType<typeof loaded>['services']['database']['query'] = (...given) =>
  loaded().services.database.query(...given)

/** Events that happen in a believable company. */
const happened = [
  'opportunity.updated',
  'opportunity.stage_changed',
  'opportunity.won',
  'opportunity.lost',
  'lead.updated',
  'lead.converted',
  'quote.sent',
  'quote.viewed',
  'quote.accepted',
  'quote.rejected',
  'quote.expired',
  'quote.converted',
  'order.confirmed',
  'order.fulfilled',
  'order.partially_fulfilled',
  'task.completed',
  'task.reminder',
  'task.overdue',
  'case.status_changed',
  'case.assigned',
  'case.escalated',
  'case.sla_breached',
  'sequence.activated',
  'sequence.enrolled',
  'sequence.completed',
  'sequence.replied',
  'sequence.unenrolled',
]

describe('the demo', () => {
  it('has webhooks that are turned off, and a log of deliveries: received, received after a retry, and failed', async () => {
    const logs = await query<{ name: string; isEnabled: boolean; received: number; retried: number; failed: number }>(
      `select w.name, w.is_enabled as "isEnabled", count(*) filter (where d.status = 'SUCCEEDED' and d.attempt = 1)::int as received,
         count(*) filter (where d.status = 'SUCCEEDED' and d.attempt = 2)::int as retried,
         count(*) filter (where d.is_recoverable)::int as failed
       from events.webhook w join events.delivery d on d.organization_id = w.organization_id and d.webhook_id = w.id
       group by w.organization_id, w.id order by w.organization_id, w.created_at`,
    )
    expect(logs.map(({ name, isEnabled }) => `${name}: ${isEnabled}`).toSorted()).toEqual([
      'Cases to the on-call team: false',
      'Cases to the on-call team: false',
      'Orders to the ERP: false',
      'Orders to the ERP: false',
    ])
    expect(logs.every(({ received, retried }) => received > retried && retried > 0)).toBe(true)
    expect(logs.some(({ failed }) => failed > 0)).toBe(true)
    const [left] = await query<{ queued: number; pending: number; subscribers: number; states: number }>(
      `select (select count(*)::int from events.delivery_queue) as queued,
         (select count(*)::int from events.delivery where status not in ('SUCCEEDED', 'FAILED')) as pending,
         (select count(*)::int from events.webhook_subscriber) as subscribers,
         (select count(*)::int from events.webhook_state where last_delivery_at is not null) as states`,
    )
    expect(left).toEqual({ queued: 0, pending: 0, subscribers: 0, states: 4 })
  })

  it('has a contract with a customer in each organization, whose text a worker reads', async () => {
    const contracts = await query(
      `select d.name, d.category, d.status, d.record_type as about, f.state, d.bytes = f.bytes as "isWhole",
         (select count(*)::int from assistant.document_run r where r.document_id = d.id and r.state = 'QUEUED') as runs
       from assistant.document d
       join crm.account a on a.organization_id = d.organization_id and a.id = d.record_id and a.owner_id = d.owner_id
       join kernel.file f on f.organization_id = d.organization_id and f.id = d.file_id`,
    )
    const each = {
      name: 'Framework agreement.md',
      category: 'CONTRACT',
      status: 'PROCESSING',
      about: 'ACCOUNT',
      state: 'KEPT',
      isWhole: true,
      runs: 1,
    }
    expect(contracts).toEqual([each, each])
  })

  it('has four functions, two custom actions, a rule, a hook, a trigger and a workflow in each organization, turned on for what happens next', async () => {
    const organizations = await query(
      `select (select count(*)::int from extensions.function f join extensions.function_version v
           on v.organization_id = f.organization_id and v.id = f.deployed_version_id
         where f.organization_id = o.id and f.is_active) as functions,
         (select count(*)::int from extensions.custom_action a join extensions.function f
           on f.organization_id = a.organization_id and f.api_name = a.function where a.organization_id = o.id) as actions,
         (select count(*)::int from extensions.validation_rule r where r.organization_id = o.id and r.is_active) as rules,
         (select count(*)::int from extensions.before_save_hook h where h.organization_id = o.id and h.is_active) as hooks,
         (select count(*)::int from extensions.after_save_trigger t where t.organization_id = o.id and t.is_active) as triggers,
         (select count(*)::int from extensions.workflow w where w.organization_id = o.id and w.status = 'ACTIVE') as workflows,
         (select version::int from kernel.definition_version d where d.organization_id = o.id) as version,
         (select bool_and(s.position = (select count(*) from kernel.event e where e.organization_id = o.id))
           from extensions.event_subscription s where s.organization_id = o.id) as "isLater"
       from identity.organization o`,
    )
    const each = { functions: 4, actions: 2, rules: 1, hooks: 1, triggers: 1, workflows: 1, version: 2, isLater: true }
    expect(organizations).toEqual([each, each])
    const [ids] = await query<{ organizationId: string; id: string }>(
      `select organization_id as "organizationId", id from extensions.function where api_name = 'case_priority' limit 1`,
    )
    const input = { records: [{ next: { subject: 'Scanners are down', description: null, priority: 'MEDIUM' } }] }
    const start = {
      organizationId: ids!.organizationId,
      functionId: ids!.id,
      trigger: 'TEST',
      input,
      depth: 0,
    } as const
    expect(await runFunction(loaded().services, start)).toMatchObject({
      status: 'SUCCEEDED',
      output: { results: [{ decision: 'ALLOW', changes: { priority: 'HIGH' } }] },
      logs: [{ text: 'Scanners are down is a standstill' }],
    })
  })

  it('has notifications, read and unread, of which none is mailed, and the worker begins after them', async () => {
    const organizations = await query<{ read: number; unread: number; users: number; waiting: number; later: number }>(
      `select count(*) filter (where n.is_read)::int as read, count(*) filter (where not n.is_read)::int as unread,
         count(distinct n.user_id)::int as users, count(*) filter (where n.email <> 'SUPPRESSED')::int as waiting,
         count(*) filter (where n.created_at > $1)::int as later
       from events.notification n group by n.organization_id order by count(*) desc`,
      [midnight.toISOString()],
    )
    expect(organizations).toHaveLength(2)
    for (const { read, unread, users, waiting, later } of organizations) {
      expect(Math.min(read, unread, users - 1)).toBeGreaterThan(0)
      expect([waiting, later]).toEqual([0, 0])
    }
    expect(await query('select 1 from kernel.mail')).toEqual([])
    expect(
      await query(
        `select 1 from kernel.event_consumer c
         where position <> (select count(*) from kernel.event e where e.organization_id = c.organization_id)`,
      ),
    ).toEqual([])
  })

  it('has threads of mails that wait, were opened, followed, answered or came back', async () => {
    const threads = await query(
      `select t.status, m.status as mail, t.message_count as mails, t.open_count as opens, t.click_count as clicks, m.bounce_type as bounce,
         count(*)::int as n
       from outreach.email_thread t join outreach.email_message m on m.organization_id = t.organization_id and m.thread_id = t.id
       where m.direction = 'OUTBOUND' and m.links <> '{}' group by 1, 2, 3, 4, 5, 6 order by m.status, bounce nulls first`,
    )
    const waiting = { status: 'AWAITING_RESPONSE', mails: 1, bounce: null }
    expect(threads).toEqual([
      { ...waiting, mail: 'CLICKED', opens: 1, clicks: 1, n: 6 },
      { ...waiting, mail: 'DELIVERED', opens: 0, clicks: 0, n: 6 },
      { ...waiting, mail: 'OPENED', opens: 1, clicks: 0, n: 6 },
      { status: 'REPLIED', mail: 'REPLIED', mails: 2, opens: 1, clicks: 1, bounce: null, n: 10 },
      { ...waiting, mail: 'SENT', opens: 0, clicks: 0, bounce: 'SOFT', n: 4 },
    ])
    const replies = await query(
      `select 1 from outreach.email_message reply join outreach.email_message sent on sent.organization_id = reply.organization_id
         and sent.internet_message_id = reply.in_reply_to and sent.thread_id = reply.thread_id where reply.direction = 'INBOUND'`,
    )
    expect(replies).toHaveLength(24)
  })

  it('has mails behind the executions of sequences and the drafts that were sent', async () => {
    const attempts = await query(
      `select a.result, m.id is not null as "isMailed", m.thread_id = e.thread_id as "isInThread", count(*)::int as n
       from outreach.sequence_attempt a
       join outreach.sequence_enrollment e on e.organization_id = a.organization_id and e.id = a.enrollment_id
       left join outreach.email_message m on m.organization_id = a.organization_id and m.id = a.message_id
       where a.step_type = 'EMAIL' group by 1, 2, 3`,
    )
    expect(attempts).toEqual([{ result: 'SENT', isMailed: true, isInThread: true, n: 96 }])
    const apart = await query(
      `select 1 from outreach.sequence_attempt a
       join outreach.email_message m on m.organization_id = a.organization_id and m.id = a.message_id
       where a.opened_at is distinct from m.first_opened_at or (a.replied_at is not null) <> (m.status = 'REPLIED')
         or m.body_html like '%{{%'`,
    )
    expect(apart).toEqual([])
    const drafts = await query(
      `select d.status, m.id is not null as "isMailed", d.sent_at = m.sent_at and d.thread_id = m.thread_id as "isSame", count(*)::int as n
       from outreach.smart_email_draft d
       left join outreach.email_message m on m.organization_id = d.organization_id and m.id = d.message_id
       group by 1, 2, 3 order by 1`,
    )
    const written = { isMailed: false, isSame: null }
    expect(drafts).toEqual([
      { status: 'DRAFT', ...written, n: 10 },
      { status: 'FAILED', ...written, n: 2 },
      { status: 'SCHEDULED', ...written, n: 6 },
      { status: 'SENT', isMailed: true, isSame: true, n: 6 },
    ])
  })

  it('has an exact number of records, and maintained counts', async () => {
    const { demo } = loaded()
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
      'crm.lead': [350, 35],
      'crm.activity': [2500, 250],
      'crm.task': [700, 70],
      'commerce.quote': [220, 22],
      [order.table]: [90, 9],
      'outreach.email_template': [7, 7],
      'outreach.email_thread': [55, 55],
      'outreach.email_message': [79, 79],
      'outreach.smart_email_draft': [12, 12],
      'support."case"': [600, 60],
      'events.custom_event_type': [2, 2],
      'extensions.custom_object': [1, 1],
      'extensions.field_definition': [11, 11],
      'extensions.custom_record': [20, 20],
    })
    const maintained = [
      'crm.account',
      'crm.contact',
      'crm.opportunity',
      'crm.lead',
      'crm.activity',
      'crm.task',
      'support.case',
      'commerce.product',
      'identity.api_key',
      'extensions.custom_record',
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
    expect(totals.map(({ total }) => total)).toEqual([320, 700, 450, 350, 2500, 700, 600, 80, 3, 20])
  })

  it('has an event for every record, valid against its JSON Schema, with the record as it is stored', async () => {
    const events = await query<StoredEvent>(
      'select type, version, data from kernel.event where type not like $1 order by id',
      ['custom.%'],
    )
    expect(validateEvents(events)).toEqual([])
    // A forecast is never changed, so the time of its submission is the only one.
    const createdAt = (table: string) => (table === 'insights.forecast' ? 'submitted_at' : 'created_at')
    const [missing] = await query(
      `select count(*)::int as n from (${recordTables.map((table) => `select organization_id, id, ${createdAt(table)} as created_at from ${table}`).join(' union all ')}) r
       where not exists (select 1 from kernel.event e where e.organization_id = r.organization_id and e.record_id = r.id
         and e.occurred_at = r.created_at and (e.type like '%.created' or e.type in ('case.comment_added', 'forecast.submitted', 'triage.opened')))`,
    )
    expect(missing).toEqual({ n: 0 })
  })

  it('has an event for everything that happened, and the last one has the record as it is stored', async () => {
    const types = await query<{ type: string; n: number }>(
      `select type, count(*)::int as n from kernel.event where type not like '%.created' group by type order by type`,
    )
    const counted = Object.fromEntries(types.map(({ type, n }) => [type, n]))
    for (const type of happened) expect([type, (counted[type] ?? 0) > 0]).toEqual([type, true])
    const changing = ['crm.opportunity', 'crm.lead', 'crm.task', 'commerce.quote', 'commerce."order"', 'support."case"']
    const versions = `select record_id, max(version) as version, count(distinct version)::int as versions,
        (array_agg(record order by version desc))[1] as record, max(occurred_at) as occurred_at
      from (select record_id, occurred_at, data -> 'record' as record, (data -> 'record' ->> 'version')::int as version from kernel.event) e
      group by record_id`
    const wrong = await query(
      `with versions as materialized (${versions})
       ${changing
         .map(
           (table) =>
             `select '${table}', t.id, v.* from ${table} t left join versions v on v.record_id = t.id
              where not coalesce(v.record ->> 'status' is not distinct from to_jsonb(t) ->> 'status'
                and v.record ->> 'stage' is not distinct from to_jsonb(t) ->> 'stage'
                and (v.record ->> 'updatedAt')::timestamptz = t.updated_at and v.occurred_at = t.updated_at
                and v.version = t.version and v.versions = t.version, false)`,
         )
         .join(' union all ')}`,
    )
    expect(wrong.slice(0, 3)).toEqual([])
    const backwards = await query(
      `select type, data from (select type, occurred_at, (data -> 'record' ->> 'version')::int as version, data,
           lag((data -> 'record' ->> 'version')::int) over (partition by organization_id, record_id order by occurred_at, id) as earlier
         from kernel.event) e where version < earlier`,
    )
    expect(backwards.slice(0, 2)).toEqual([])
  })

  it('leaves no work for the jobs at the last midnight', async () => {
    const { services } = loaded()
    const count = () => query('select count(*)::int as n from kernel.event')
    const before = await count()
    const atMidnight = { ...services, clock: { now: () => midnight } }
    for (const job of [caseSlaBreach, caseAutoClose, taskOverdue, taskReminder, quoteExpire]) await job.run(atMidnight)
    expect(await count()).toEqual(before)
    const begun = `select 1 from crm.activity where is_planned and occurred_at <= '${midnight.toISOString()}'`
    expect(await query(begun)).toEqual([])
  })
})

/** A context of the larger organization, with what it has defined. */
async function defined() {
  const { services, demo } = loaded()
  const { id } = demo.organizations[0]!
  await services.extensions.load(id)
  return systemContext(services, id)
}

describe('the custom fields and the custom object of the demo', () => {
  it('are built, as a worker has told, and nothing is left to build', async () => {
    const fields = await query<{ name: string; events: string[] }>(
      `select f.name, (select array_agg(e.type || ' ' || (e.data -> 'record' ->> 'state') order by e.occurred_at, e.id)
           from kernel.event e where e.organization_id = f.organization_id and e.record_id = f.id) as events
       from extensions.field_definition f
       where f.organization_id = $1 and f.state = 'READY' and f.progress is null and f.is_active
         and (f.has_index = (f.is_indexed or f.is_unique)) and (f.has_totals = (f.rollup_config is not null))
       order by f.entity, f.sort_order`,
      [loaded().demo.organizations[0]!.id],
    )
    const atOnce = ['custom_field.created READY']
    const built = ['custom_field.created BUILDING', 'custom_field.updated READY']
    expect(fields).toEqual([
      { name: 'contractNumber', events: atOnce },
      { name: 'renewalMonth', events: built },
      { name: 'netPromoterScore', events: built },
      { name: 'openAmount', events: built },
      { name: 'margin', events: built },
      { name: 'marginRate', events: built },
      { name: 'subject', events: atOnce },
      { name: 'visitDate', events: built },
      { name: 'account', events: built },
      { name: 'outcome', events: built },
      { name: 'score', events: atOnce },
    ])
    expect(await query('select 1 from extensions.field_change')).toEqual([])
  })

  it('accept the values of the records, which have no other keys', async () => {
    const ctx = await defined()
    const found = new Map<string, number>()
    for (const definition of [account, opportunity, siteVisit]) {
      const shape = shapeFor(ctx, definition) as RecordShape
      const rows = await query<{ customFields: Record<string, unknown> }>(
        `select custom_fields as "customFields" from ${shape.table} where organization_id = $1`,
        [ctx.caller.organizationId],
      )
      for (const { customFields } of rows)
        for (const [key, value] of Object.entries(customFields)) {
          const name = `${shape.object} ${key}`
          found.set(name, (found.get(name) ?? 0) + 1)
          const column = shape.columns.byName.get(`customFields.${key}`)
          expect([name, column && !column.formula && customFieldProblem(column, value)]).toEqual([
            name,
            column?.formula ? false : null,
          ])
        }
    }
    expect(Object.fromEntries(found)).toEqual({
      'account contractNumber': 197,
      'account renewalMonth': 197,
      'account netPromoterScore': 197,
      'opportunity margin': 312,
      'opportunity marginRate': 312,
      'custom:site_visit subject': 20,
      'custom:site_visit visitDate': 20,
      'custom:site_visit account': 20,
      'custom:site_visit outcome': 17,
      'custom:site_visit score': 17,
    })
  })

  it('give each account the amount of its open deals, and each deal the rate of its margin', async () => {
    const ctx = await defined()
    const amounts = await query<{ id: string; amount: number; deals: number }>(
      `select a.id, coalesce(sum(o.base_amount), 0)::float8 as amount, count(o.id)::int as deals
       from crm.account a left join crm.opportunity o on o.organization_id = a.organization_id and o.account_id = a.id
         and not o.is_closed and o.deleted_at is null
       where a.organization_id = $1 group by a.id order by deals desc, a.id`,
      [ctx.caller.organizationId],
    )
    expect(amounts[0]!.deals).toBeGreaterThan(2)
    expect(amounts.at(-1)!.deals).toBe(0)
    const shape = shapeFor(ctx, account) as RecordShape
    for (const { id, amount } of [...amounts.slice(0, 20), ...amounts.slice(-5)]) {
      expect([
        id,
        await withUnversionedOf(ctx, shape, { formulas: [], rollups: shape.columns.rollups }, { id }),
      ]).toEqual([id, { id, customFields: { openAmount: amount } }])
    }
    const wrong = await query(
      `select custom_fields from crm.opportunity
       where (custom_fields ->> 'marginRate')::numeric is distinct from
         case when amount > 0 then round((custom_fields ->> 'margin')::numeric / amount * 100, 1) end`,
    )
    expect(wrong).toEqual([])
  })

  it('are in the index of values where they are indexed, one row for each record', async () => {
    const indexed = await query<{ field: string; n: number; equal: number; filled: number }>(
      `select v.field, count(*)::int as n,
         count(*) filter (where r.value is not distinct from coalesce(v.text_value, trim_scale(v.number_value)::text, v.date_value::text, v.id_value::text))::int as equal,
         count(r.value)::int as filled
       from kernel.record_value v join (
         select id, 'account' as object, custom_fields from crm.account
         union all select id, 'opportunity', custom_fields from crm.opportunity
         union all select id, 'custom:' || object, custom_fields from extensions.custom_record) of on of.id = v.record_id and of.object = v.object,
         lateral (select of.custom_fields ->> v.field as value) r
       where v.organization_id = $1 group by v.object, v.field order by v.object, v.field`,
      [loaded().demo.organizations[0]!.id],
    )
    expect(indexed).toEqual([
      { field: 'netPromoterScore', n: 320, equal: 320, filled: 197 },
      { field: 'renewalMonth', n: 320, equal: 320, filled: 197 },
      { field: 'account', n: 20, equal: 20, filled: 20 },
      { field: 'outcome', n: 20, equal: 20, filled: 17 },
      { field: 'visitDate', n: 20, equal: 20, filled: 20 },
      { field: 'margin', n: 450, equal: 450, filled: 312 },
    ])
  })

  it('have site visits of customers of the time, whose outcome is known as soon as they are over', async () => {
    const visits = await query<{ isPast: boolean; isKnown: boolean; version: number; n: number }>(
      `select v.custom_fields ->> 'visitDate' < $1 as "isPast", v.custom_fields ?& '{outcome,score}' as "isKnown", v.version, count(*)::int as n
       from extensions.custom_record v
       join crm.account a on a.organization_id = v.organization_id and a.id = (v.custom_fields ->> 'account')::uuid
         and a.created_at < v.created_at and a.owner_id = v.owner_id
       where v.name = v.custom_fields ->> 'subject' group by 1, 2, 3 order by 1`,
      [midnight.toISOString().slice(0, 10)],
    )
    expect(visits).toEqual([
      { isPast: false, isKnown: false, version: 1, n: 6 },
      { isPast: true, isKnown: true, version: 2, n: 34 },
    ])
  })
})

describe('the accounts of the demo', () => {
  it('have hierarchies of three levels', async () => {
    const [hierarchies] = await query(
      `select count(*)::int as children, count(distinct parent_account_id)::int as parents,
         count(*) filter (where exists (select 1 from crm.account g where g.id = a.parent_account_id and g.parent_account_id is not null))::int as grandchildren
       from crm.account a where parent_account_id is not null`,
    )
    expect(hierarchies).toEqual({ children: 72, parents: 38, grandchildren: 15 })
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
    expect(
      await violations(`o.is_closed or o.close_date > '${midnight.toISOString()}'::timestamptz - interval '46 days'`),
    ).toEqual([])
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
         count(*) filter (where not is_closed)::int as open,
         count(*) filter (where not is_closed and close_date < $2)::int as late, count(*) filter (where close_date_push_count > 0)::int as pushed
       from crm.opportunity where organization_id = $1`,
      [loaded().demo.organizations[0]!.id, midnight.toISOString()],
    )
    expect(numbers).toEqual({ stages: 7, currencies: 4, won: 133, lost: 136, open: 181, late: 14, pushed: 63 })
  })
})

describe('the lines of the deals of the demo', () => {
  it('give the amount of every deal whose needs were analysed', async () => {
    const deals = await query<{ lines: number; fits: boolean; stage: string }>(
      `select jsonb_array_length(line_items) as lines, stage,
         amount = (select sum((l ->> 'lineTotal')::numeric) from jsonb_array_elements(line_items) l) as fits from crm.opportunity`,
    )
    const valued = deals.filter(({ lines }) => lines > 0)
    expect(valued.length).toBeGreaterThan(deals.length / 2)
    expect(valued.filter(({ fits }) => !fits)).toEqual([])
    expect(deals.filter(({ lines, stage }) => lines === 0 && ['PROPOSAL', 'CLOSED_WON'].includes(stage))).toEqual([])
  })
})

describe('the quotes and orders of the demo', () => {
  it('fit their deals and each other', async () => {
    const wrong = await query(
      `select q.quote_number, q.status, o.stage from commerce.quote q
       join crm.opportunity o on o.organization_id = q.organization_id and o.id = q.opportunity_id
       left join ${order.table} s on s.organization_id = q.organization_id and s.quote_id = q.id
       where not coalesce(q.account_id = o.account_id and q.contact_id = o.primary_contact_id and q.created_at >= o.created_at
         and q.currency = o.currency and q.subtotal - q.discount_total = o.amount
         and (q.status in ('ACCEPTED', 'CONVERTED')) = (o.is_won and q.is_primary)
         and (q.status = 'CONVERTED') = (s.id is not null) and q.order_id is not distinct from s.id
         and (s.id is null or (s.total = q.total and s.created_at >= q.accepted_at))
         and (q.status <> 'SENT' or q.valid_until > '${midnight.toISOString()}')
         and coalesce(q.accepted_at < q.valid_until, true) and coalesce(q.viewed_at >= q.sent_at, true)
         and coalesce(least(q.accepted_at, q.rejected_at) >= q.viewed_at, true) and coalesce(q.sent_at >= q.created_at, true)
         and q.updated_at >= greatest(q.created_at, q.sent_at, q.accepted_at, q.rejected_at)
         and (q.decision is null) = (q.accepted_at is null and q.rejected_at is null)
         and q.updated_at < '${midnight.toISOString()}', false) limit 3`,
    )
    expect(wrong).toEqual([])
    const byPhone = await query(
      `select from commerce.quote where decision ->> 'method' = 'PHONE' and decision ->> 'recordedById' = owner_id::text limit 1`,
    )
    expect(byPhone).toHaveLength(1)
    const late = await query(
      `select order_number, status from ${order.table} where not coalesce(
         coalesce(confirmed_at, order_date) >= order_date and coalesce(fulfilled_at >= confirmed_at, true)
         and coalesce(returned_at >= fulfilled_at, true) and updated_at < '${midnight.toISOString()}'
         and (status in ('FULFILLED', 'RETURNED')) = (fulfilled_at is not null), false) limit 3`,
    )
    expect(late).toEqual([])
  })

  it('are in every state, some revised', async () => {
    const [numbers] = await query(
      `select (select count(distinct status)::int from commerce.quote) as quotes, (select count(*)::int from commerce.quote where revision > 1) as revised,
         (select count(distinct status)::int from ${order.table}) as orders`,
    )
    expect(numbers).toEqual({ quotes: 9, revised: 45, orders: 7 })
  })
})

describe('the people of the demo', () => {
  it('work in the time zones of their places, and their organizations in their own', async () => {
    const zones = await query(
      `select o.settings ->> 'timezone' as organization, array_agg(distinct p.timezone order by p.timezone) as users
       from identity.organization o join identity.app_user u on u.organization_id = o.id join identity.person p on p.id = u.person_id
       group by o.id order by 1`,
    )
    expect(zones).toEqual([
      { organization: 'America/Chicago', users: ['America/Chicago', 'America/Los_Angeles', 'America/New_York'] },
      {
        organization: 'Europe/Berlin',
        users: ['America/New_York', 'Europe/Berlin', 'Europe/Dublin', 'Europe/Oslo', 'Europe/Stockholm'],
      },
    ])
  })
})

describe('invoices', () => {
  it('have tax if the customer is in the country of the seller, as most customers are', async () => {
    const [numbers] = await query(
      `select count(*)::int as issued, count(*) filter (where tax_total > 0)::int as taxed from commerce.invoice
       where organization_id = $1 and status <> 'DRAFT'`,
      [loaded().demo.organizations[0]!.id],
    )
    expect(numbers).toEqual({ issued: 66, taxed: 37 })
  })

  it('are in every state, and the overdue ones and the lost ones were reminded of', async () => {
    const rows = await query<{ status: string; n: number; reminded: number }>(
      `select status, count(*)::int as n, count(*) filter (where reminder_count > 0)::int as reminded
       from commerce.invoice group by status`,
    )
    expect(rows.map(({ status }) => status).toSorted()).toEqual(Object.keys(InvoiceStatus).toSorted())
    const remindedOf = rows.filter(({ reminded }) => reminded > 0).map(({ status }) => status)
    expect(remindedOf.toSorted()).toEqual(['OVERDUE', 'UNCOLLECTIBLE'])
    expect(rows.find(({ status }) => status === 'UNCOLLECTIBLE')).toMatchObject({
      reminded: rows.find(({ status }) => status === 'UNCOLLECTIBLE')!.n,
    })
    expect(await query('select from commerce.dunning_run where finished_at is not null')).not.toEqual([])
  })
})

describe('credit notes', () => {
  it('of each organization are one that is applied to an invoice and one of which all is left, with the events of both', async () => {
    const rows = await query(
      `select n.organization_id = $1 as first, n.status, n.credit_note_number as number, n.amount_left = n.total as "isLeft",
         n.amount_applied = n.total as "isApplied", i.status as invoice, i.amount_credited = n.amount_applied as "isCredited",
         i.amount_due = i.total - i.amount_paid - i.amount_credited as "isDue", n.issue_date >= i.issue_date and n.total < i.total as fits,
         (select array_agg(type order by e.occurred_at, e.id) from kernel.event e where e.organization_id = n.organization_id and e.record_id = n.id) as events
       from commerce.credit_note n join commerce.invoice i on i.organization_id = n.organization_id and i.id = n.invoice_id
       order by 1, n.amount_left desc`,
      [loaded().demo.organizations[0]!.id],
    )
    const issued = ['credit_note.created', 'credit_note.updated', 'credit_note.issued']
    const both = { status: 'ISSUED', isDue: true, isCredited: true, fits: true }
    const open = { ...both, isLeft: true, isApplied: false, invoice: 'PAID', events: issued }
    const applied = {
      ...both,
      isLeft: false,
      isApplied: true,
      invoice: 'PARTIALLY_PAID',
      events: [...issued, 'credit_note.updated', 'credit_note.applied'],
    }
    expect(rows.map(({ number: _number, ...row }) => row)).toEqual(
      [false, true].flatMap((first) => [open, applied].map((note) => ({ first, ...note }))),
    )
    expect(new Set(rows.map(({ first, number }) => `${first} ${number}`))).toEqual(
      new Set([false, true].flatMap((first) => ['1', '2'].map((number) => `${first} CN-2026-00000${number}`))),
    )
  })

  it('are continued by the numbers of the next ones', async () => {
    const { services, demo } = loaded()
    const ctx = systemContext(services, demo.organizations[1]!.id)
    expect(await nextNumber(ctx, 'credit_note:2026')).toBe(3)
  })
})

describe('the leads of the demo', () => {
  it('are in every status, and the converted ones became the contacts and opportunities that name them', async () => {
    const [numbers] = await query(
      `select count(distinct status)::int as statuses, count(*) filter (where status = 'CONVERTED')::int as converted,
         count(converted_opportunity_id)::int as deals from crm.lead where organization_id = $1`,
      [loaded().demo.organizations[0]!.id],
    )
    expect(numbers).toEqual({ statuses: 6, converted: 91, deals: 79 })
    const wrong = await query(
      `select l.name, l.converted_at from crm.lead l
       left join crm.account a on a.organization_id = l.organization_id and a.id = l.converted_account_id
       left join crm.contact c on c.organization_id = l.organization_id and c.id = l.converted_contact_id
       left join crm.opportunity o on o.organization_id = l.organization_id and o.id = l.converted_opportunity_id
       where l.status = 'CONVERTED' and not coalesce(a.created_at <= l.converted_at and a.domain = split_part(l.email, '@', 2)
         and c.created_at = l.converted_at and c.converted_from_lead_id = l.id and c.account_id = a.id and c.normalized_email = l.email
         and c.lead_source = l.lead_source and l.first_response_at between l.created_at and l.converted_at
         and (o.id is null or (o.created_at = l.converted_at and o.account_id = a.id and o.primary_contact_id = c.id)), false)`,
    )
    expect(wrong).toEqual([])
  })

  it('have the event of their conversion', async () => {
    const events = await query(
      `select count(*)::int as n from crm.lead l join kernel.event e on e.record_id = l.id and e.type = 'lead.converted'
       and e.occurred_at = l.converted_at and e.data -> 'previous' ->> 'status' = 'QUALIFIED' and e.data -> 'record' ->> 'status' = 'CONVERTED'`,
    )
    expect(events).toEqual([{ n: 100 }])
    expect(
      await query(
        `select 1 from kernel.event where type = 'lead.created' and data -> 'record' ->> 'status' = 'CONVERTED'`,
      ),
    ).toEqual([])
  })
})

describe('the activities and tasks of the demo', () => {
  it.each(['account', 'contact', 'lead', 'opportunity'])(
    'are what the activity dates of each %s say',
    async (object) => {
      const wrong = await query(
        `select r.id, r.last_activity_date, r.next_activity_date, d.* from crm.${object} r,
       lateral (select greatest(
           (select max(occurred_at) from crm.activity a where a.${object}_id = r.id and not a.is_planned),
           (select max(completed_at) from crm.task t where t.${object}_id = r.id)) as last,
         least(
           (select min(occurred_at) from crm.activity a where a.${object}_id = r.id and a.is_planned),
           (select min(due_date) from crm.task t where t.${object}_id = r.id and t.status not in ('COMPLETED', 'CANCELLED'))) as next) d
       where (r.last_activity_date, r.next_activity_date) is distinct from (d.last, d.next) limit 3`,
      )
      expect(wrong).toEqual([])
    },
  )

  it('happen while their records exist', async () => {
    const wrong = await query(
      `select a.subject, a.occurred_at, a.created_at from crm.activity a
       left join crm.contact c on c.id = a.contact_id left join crm.lead l on l.id = a.lead_id
       left join crm.opportunity o on o.id = a.opportunity_id
       where not (a.created_at < '${midnight.toISOString()}' and (a.is_planned or a.occurred_at <= a.created_at)
         and (c.account_id is null or c.account_id = a.account_id)
         and a.occurred_at >= greatest(l.created_at, case when a.related_to_type = 'OPPORTUNITY' then o.created_at end)) limit 3`,
    )
    expect(wrong).toEqual([])
    const late = await query(
      `select t.subject, t.status, t.created_at, t.due_date, t.completed_at from crm.task t
       where not (t.created_at < '${midnight.toISOString()}' and t.due_date > t.created_at
         and coalesce(t.completed_at, t.created_at) between t.created_at and '${midnight.toISOString()}') limit 3`,
    )
    expect(late).toEqual([])
  })

  it('include overdue tasks, planned meetings and series of tasks', async () => {
    const [numbers] = await query(
      `select count(*) filter (where is_overdue)::int as overdue, count(next_task_id)::int as continued,
         count(*) filter (where status = 'COMPLETED')::int as completed,
         (select count(*)::int from crm.activity where is_planned) as planned,
         (select count(*)::int from crm.task t join crm.task n on n.id = t.next_task_id and n.created_at = t.completed_at and n.subject = t.subject) as linked
       from crm.task`,
    )
    expect(numbers).toEqual({ overdue: 37, continued: 40, completed: 462, planned: 31, linked: 40 })
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

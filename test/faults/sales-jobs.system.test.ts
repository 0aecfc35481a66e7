import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { activity, aLine, each, lead, quote, task } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aProcess, aSecondProcess, type Process } from '../processes.ts'
import { restClient } from '../rest-client.ts'

const platform = usePlatform()
const patience = { timeout: 90_000, interval: 5 }
const count = 14
const numbers = Array.from({ length: count }, (_, index) => index)
let member: Member

beforeAll(async () => {
  member = await platform.member({ organizationId: await platform.organization('Killed') })
})

const ids = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id)

const eventsOf = (recordIds: readonly string[], type: string) =>
  platform.query<{ recordId: string; n: number }>(
    `select record_id as "recordId", count(*)::int as n from kernel.event
     where organization_id = $1 and record_id = any($2::uuid[]) and type = $3 group by record_id`,
    [member.organizationId, recordIds, type],
  )

// Processes start slowly on a busy machine.
const slowly = { timeout: 240_000 }

describe('a worker that is killed in the middle of its jobs', slowly, () => {
  it('expires quotes, marks tasks and begins meetings once each, when it runs again', async () => {
    const lineItems = [aLine()]
    const quotes = ids(await each(numbers, () => quote(member, { lineItems })))
    const tasks = ids(await each(numbers, (index) => task(member, { subject: `Task ${index}` })))
    const soon = new Date(platform.now.getTime() + 3_600_000).toISOString()
    const meetings = ids(await each([1, 2, 3], () => activity(member, { type: 'MEETING', occurredAt: soon })))
    const past = `date_trunc('milliseconds', now()) - interval '1 hour'`
    await platform.query(
      `update commerce.quote set status = 'SENT', sent_at = ${past}, valid_until = ${past} where id = any($1)`,
      [quotes],
    )
    await platform.query(`update crm.task set due_date = ${past}, reminder_at = ${past} where id = any($1)`, [tasks])
    await platform.query(`update crm.activity set occurred_at = ${past}, is_planned = true where id = any($1)`, [
      meetings,
    ])

    const worker = await aProcess(
      ['bin/run', 'worker'],
      {
        DATABASE_URL: platform.services.databaseUrl,
        DATA_DIR: platform.dataDir,
        LOG_LEVEL: 'warn',
        DEMO: 'off',
      },
      '',
    )
    onTestFinished(() => worker.kill())
    const happening = [
      [quotes, 'quote.expired'],
      [tasks, 'task.overdue'],
      [tasks, 'task.reminder'],
    ] as const
    const done = async (): Promise<number[]> =>
      Promise.all(happening.map(async ([recordIds, type]) => (await eventsOf(recordIds, type)).length))
    const runJobs = (attempt: string) =>
      platform.query(
        `select count(*) from unnest($2::text[]) as name, lateral graphile_worker.add_job(name, job_key => name || $1)`,
        [attempt, ['quote.expire', 'task.overdue', 'task.reminder', 'activity.begin']],
      )

    worker.launch()
    await vi.waitFor(() => runJobs(' first'), patience)
    await vi.waitFor(async () => expect(Math.max(...(await done()))).toBeGreaterThan(0), patience)
    await worker.kill()
    worker.launch()
    await vi.waitFor(() => runJobs(' second'), patience)
    await vi.waitFor(async () => expect(await done()).toEqual([count, count, count]), patience)
    await runJobs(' third')
    const planned = `select count(*)::int as n from crm.activity where id = any($1) and is_planned`
    await vi.waitFor(async () => expect(await platform.query(planned, [meetings])).toEqual([{ n: 0 }]), patience)
    await worker.kill()

    for (const [recordIds, type] of happening)
      expect((await eventsOf(recordIds, type)).filter(({ n }) => n !== 1)).toEqual([])
    const wrong = await platform.query(
      `select 1 from commerce.quote where id = any($1) and (status <> 'EXPIRED' or expired_at is null)
       union all select 1 from crm.task where id = any($2) and (not is_overdue or reminded_at is null)`,
      [quotes, tasks],
    )
    expect(wrong).toEqual([])
  })
})

/** How many quotes are decided; the ids of those that are decided in part, or without exactly one event. */
async function decidedOf(quotes: readonly string[]) {
  const rows = await platform.query<{ id: string; isDecided: boolean; isWhole: boolean }>(
    `select q.id, q.status <> 'SENT' as "isDecided",
       case q.status
         when 'SENT' then q.decision is null and q.accepted_at is null and q.rejected_at is null and e.n = 0
         when 'ACCEPTED' then q.decision ->> 'method' = 'PHONE' and q.accepted_by_name = 'Ann' and q.accepted_at is not null
           and q.rejected_at is null and e.n = 1 and e.type = 'quote.accepted'
         when 'REJECTED' then q.decision ->> 'method' = 'PHONE' and q.rejected_by_name = 'Ann' and q.rejected_at is not null
           and q.accepted_at is null and e.n = 1 and e.type = 'quote.rejected'
         else false end as "isWhole"
     from commerce.quote q, lateral (
       select count(*)::int as n, min(type) as type from kernel.event
       where organization_id = q.organization_id and record_id = q.id and type in ('quote.accepted', 'quote.rejected')) e
     where q.id = any($1)`,
    [quotes],
  )
  const broken = rows.filter(({ isWhole }) => !isWhole).map(({ id }) => id)
  return { decided: rows.filter(({ isDecided }) => isDecided).length, broken }
}

describe('a server that is killed while it converts, completes, decides and sends', slowly, () => {
  let server: Process
  const requests = () => restClient(platform.contract, server.url, member.headers)

  it('has done each of them wholly or not at all, and once when it is asked again', async () => {
    const lineItems = [aLine()]
    const accepted = ids(await each(numbers, () => quote(member, { lineItems })))
    const drafts = ids(await each(numbers, () => quote(member, { lineItems })))
    const leads = ids(await each(numbers, (index) => lead(member, { company: `Killed ${index}` })))
    const dueDate = platform.now.toISOString()
    const recurring = { recurrenceRule: 'FREQ=WEEKLY', dueDate }
    const tasks = ids(await each(numbers, (index) => task(member, { subject: `Again ${index}`, ...recurring })))
    const offered = ids(await each(numbers, () => quote(member, { lineItems })))
    await platform.query(`update commerce.quote set status = 'ACCEPTED' where id = any($1)`, [accepted])
    const sent = `update commerce.quote set status = 'SENT', sent_at = now() - interval '1 hour' where id = any($1)`
    await platform.query(sent, [offered])

    server = await aSecondProcess(platform)
    onTestFinished(() => server.kill())
    await server.start()
    const work = numbers.flatMap((index) => [
      () => requests().quoteConvert!({ id: accepted[index] }),
      () => requests().leadConvert!({ id: leads[index], body: {} }),
      () => requests().taskComplete!({ id: tasks[index] }),
      () =>
        requests()[index % 2 ? 'quoteAccept' : 'quoteDecline']!({
          id: offered[index],
          body: { name: 'Ann', method: 'PHONE' },
        }),
      () => requests().quoteSend!({ id: drafts[index], body: { to: `killed-${index}@example.com` } }),
    ])
    let answered = 0
    const killAfter = count
    const left = work.values()
    const clients = Array.from({ length: 6 }, async () => {
      for (const send of left) {
        await send()
        if (++answered === killAfter) await server.kill()
      }
    })
    await Promise.allSettled(clients)
    expect(answered).toBeGreaterThanOrEqual(killAfter)
    const killed = await decidedOf(offered)
    expect(killed.broken).toEqual([])
    expect(killed.decided).toBeLessThan(count)

    await server.start()
    for (const send of work) await send()
    // Requests that are sent again decide nothing twice.
    expect(await decidedOf(offered)).toEqual({ decided: count, broken: [] })
    const twice = await platform.query(
      `select 'order' as what, quote_id as id from commerce."order" where quote_id = any($1) group by quote_id having count(*) <> 1
       union all select 'quote', q.id from commerce.quote q where q.id = any($1) and (q.status <> 'CONVERTED' or not exists (
         select from commerce."order" o where o.id = q.order_id and o.quote_id = q.id))
       union all select 'lead', l.id from crm.lead l where l.id = any($2) and (l.status <> 'CONVERTED'
         or (select count(*) from crm.contact c where c.converted_from_lead_id = l.id) <> 1)
       union all select 'task', t.id from crm.task t where t.id = any($3) and (t.status <> 'COMPLETED'
         or (select count(*) from crm.task n where n.id = t.next_task_id and n.subject = t.subject) <> 1)
       union all select 'series', null from crm.task where subject like 'Again %' group by subject having count(*) <> 2`,
      [accepted, leads, tasks],
    )
    expect(twice).toEqual([])
    for (const [recordIds, type] of [
      [accepted, 'quote.converted'],
      [leads, 'lead.converted'],
      [tasks, 'task.completed'],
      [drafts, 'quote.sent'],
    ] as const)
      expect([type, (await eventsOf(recordIds, type)).map(({ n }) => n)]).toEqual([type, numbers.map(() => 1)])
    // A second request mails another link; a quote that was sent has the mail of each of its links.
    const unmailed = await platform.query(
      `select q.id from commerce.quote q where q.id = any($1) and (q.status <> 'SENT'
         or not exists (select from commerce.quote_link l where l.quote_id = q.id))
       union all
       select null from (select count(*) as n from commerce.quote_link where quote_id = any($1)) links,
         (select count(*) as n from kernel.mail where recipient like 'killed-%@example.com') mails where links.n <> mails.n`,
      [drafts],
    )
    expect(unmailed).toEqual([])
  })
})

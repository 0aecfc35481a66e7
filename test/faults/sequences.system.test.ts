import { beforeAll, describe, expect, it, vi } from 'vitest'
import { contact, each } from '../builders.ts'
import { manyEnrolled } from '../outreach/many-enrolled.ts'
import { aMail, aSequence } from '../outreach/sequence.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aWorker, patience, useSmtpReceiver } from './killed-worker.ts'

const platform = usePlatform()
const smtp = useSmtpReceiver()
const count = 120
let member: Member

beforeAll(async () => {
  member = await platform.member({ organizationId: await platform.organization('Killed') })
})

describe('a worker that is killed while it executes sequences', { timeout: 240_000 }, () => {
  it('queues one mail for each step of each enrollment, whenever it dies', async () => {
    const plain = { subject: 'Dock slots', bodyHtml: '<p>Hello</p>' }
    const { id, stepIds } = await aSequence(
      member,
      [aMail(plain), { type: 'TASK', task: { subject: 'Look' } }, aMail(plain)],
      { settings: { dailyLimitPerSender: 1000 } },
    )
    const people = await each(
      Array.from({ length: count }, (_, index) => index),
      (index) => contact(member, { email: `killed${index}@sequence.example` }),
    )
    const { body } = await member.rest.sequenceEnrollBulk!({
      id,
      body: { entityType: 'CONTACT', entityIds: people.map((person) => person.id) },
    })
    expect(body.enrolled).toBe(count)
    // The worker has the clock of the machine.
    const due = () =>
      platform.query(
        `update outreach.sequence_enrollment set next_run_at = now() - interval '1 hour', leased_until = null
         where sequence_id = $1 and status = 'ACTIVE'`,
        [id],
      )
    const worker = await aWorker(platform, { SMTP_URL: smtp.url() })
    const attempts = async () =>
      (
        await platform.query<{ n: number }>(
          'select count(*)::int as n from outreach.sequence_attempt where sequence_id = $1',
          [id],
        )
      )[0]!.n
    const start = async () => {
      await due()
      await worker.start('sequence.run')
    }
    for (const part of [0.1, 0.4, 0.8]) {
      await start()
      await vi.waitFor(async () => expect(await attempts()).toBeGreaterThan(count * 3 * part), patience)
      await worker.kill()
    }
    await start()
    await vi.waitFor(async () => expect(await attempts()).toBe(count * 3), patience)
    await worker.kill()

    const byStep = await platform.query<{
      stepId: string
      attempts: number
      enrollments: number
      mails: number
      queued: number
    }>(
      `select a.step_id as "stepId", count(*)::int as attempts, count(distinct a.enrollment_id)::int as enrollments,
         count(distinct m.internet_message_id)::int as mails, count(o.id)::int as queued
       from outreach.sequence_attempt a
       left join outreach.email_message m on m.organization_id = a.organization_id and m.id = a.message_id
       left join outreach.outgoing_email o on o.organization_id = a.organization_id and o.id = a.message_id
       where a.sequence_id = $1 group by 1`,
      [id],
    )
    expect(new Map(byStep.map(({ stepId, ...counts }) => [stepId, counts]))).toEqual(
      new Map([
        [stepIds[0], { attempts: count, enrollments: count, mails: count, queued: count }],
        [stepIds[1], { attempts: count, enrollments: count, mails: 0, queued: 0 }],
        [stepIds[2], { attempts: count, enrollments: count, mails: count, queued: count }],
      ]),
    )
    const [all] = await platform.query(
      `select (select count(*)::int from outreach.email_message where organization_id = $1) as messages,
         (select count(*)::int from outreach.outgoing_email where organization_id = $1) as queued,
         (select count(*)::int from crm.task where organization_id = $1) as tasks,
         (select sum(sent)::int from outreach.sequence_sender_day where organization_id = $1) as counted,
         (select count(*)::int from outreach.sequence_enrollment where organization_id = $1 and status = 'COMPLETED') as completed`,
      [member.organizationId],
    )
    expect(all).toEqual({ messages: 2 * count, queued: 2 * count, tasks: count, counted: 2 * count, completed: count })
  })
  it('ends and resumes all enrollments of a sequence once, in batches, whenever it dies', async () => {
    const hour = 3_600_000
    const [ended, resumed] = [await aSequence(member, [aMail()]), await aSequence(member, [aMail()])]
    const nextRunAt = new Date(platform.now.getTime() + 48 * hour).toISOString()
    await manyEnrolled(platform, member, ended, { count: 1500, nextRunAt })
    await manyEnrolled(platform, member, resumed, { count: 6000, nextRunAt })
    expect((await member.rest.sequenceDelete!({ id: ended.id, query: { force: 'true' } })).status).toBe(204)
    await member.rest.sequenceToggle!({ id: resumed.id })
    platform.advanceClock(24 * hour)
    expect((await member.rest.sequenceToggle!({ id: resumed.id })).body.status).toBe('ACTIVE')

    const counted = async () =>
      (
        await platform.query<{ ended: number; resumed: number }>(
          `select count(*) filter (where sequence_id = $1 and status = 'UNENROLLED')::int as ended,
             count(*) filter (where sequence_id = $2 and paused_ms = $3 and next_run_at = $4)::int as resumed
           from outreach.sequence_enrollment where sequence_id in ($1, $2)`,
          [ended.id, resumed.id, 24 * hour, new Date(Date.parse(nextRunAt) + 24 * hour).toISOString()],
        )
      )[0]!
    // The first batch of each is part of the request.
    expect(await counted()).toEqual({ ended: 100, resumed: 1000 })
    const worker = await aWorker(platform, { SMTP_URL: smtp.url() })
    for (const part of [200, 800]) {
      await worker.start('outreach.sequenceWork')
      await vi.waitFor(async () => expect((await counted()).ended).toBeGreaterThan(part), patience)
      await worker.kill()
    }
    await worker.start('outreach.sequenceWork')
    await vi.waitFor(
      async () => expect(await platform.query('select from outreach.sequence_work')).toEqual([]),
      patience,
    )
    await worker.kill()
    expect(await counted()).toEqual({ ended: 1500, resumed: 6000 })
    const events = await platform.query(
      `select count(*)::int as events, count(distinct record_id)::int as records from kernel.event
       where organization_id = $1 and type = 'sequence.unenrolled'`,
      [member.organizationId],
    )
    expect(events).toEqual([{ events: 1500, records: 1500 }])
  })
})

describe('a worker that is killed around a delay of a sequence', { timeout: 240_000 }, () => {
  it('skips and repeats no step: neither while the delay lasts, nor while the step after it is committed', async () => {
    // The mails of the other tests must not delay its mails.
    const owner = await platform.member({ organizationId: await platform.organization('Killed around a delay') })
    const plain = { subject: 'Berths', bodyHtml: '<p>Hello</p>' }
    const later = { delayDays: 3 }
    const steps = [aMail(plain), { type: 'WAIT', ...later }, aMail({ ...plain, ...later })]
    const { id, stepIds } = await aSequence(owner, steps)
    const enroll = async (email: string) => {
      const body = { entityType: 'CONTACT', entityId: (await contact(owner, { email })).id }
      return (await owner.rest.sequenceEnroll!({ id, body })).body.id as string
    }
    const worker = await aWorker(platform, { SMTP_URL: smtp.url() })
    const start = () => worker.start('sequence.run')
    const due = (enrollmentId: string) =>
      platform.query(
        `update outreach.sequence_enrollment set next_run_at = now() - interval '1 hour', leased_until = null where id = $1`,
        [enrollmentId],
      )
    const results = async (enrollmentId: string) =>
      (
        await platform.query<{ stepId: string; result: string }>(
          'select step_id as "stepId", result from outreach.sequence_attempt where enrollment_id = $1 order by step_position',
          [enrollmentId],
        )
      ).map(({ stepId, result }) => [stepId, result])
    const stateOf = async (enrollmentId: string) => {
      const [row] = await platform.query(
        `select status, current_step_position as position, next_run_at > now() as waits, leased_until > now() as "isLeased"
         from outreach.sequence_enrollment where id = $1`,
        [enrollmentId],
      )
      return row
    }
    const executed = [
      [stepIds[0], 'SENT'],
      [stepIds[1], 'WAITED'],
      [stepIds[2], 'SENT'],
    ]
    const email = 'delayed@sequence.example'
    /** Its mails, those that the worker has recorded as sent, and those that the server has received. */
    const mails = async () => {
      const [row] = await platform.query<{ queued: number; sent: number }>(
        `select count(*)::int as queued, count(*) filter (where o.state = 'SENT')::int as sent
         from outreach.email_message m join outreach.outgoing_email o on o.organization_id = m.organization_id and o.id = m.id
         where m.organization_id = $1 and m.to_emails = array[$2]`,
        [owner.organizationId, email],
      )
      return { ...row!, received: smtp.receiver.received.filter(({ to }) => to.includes(email)).length }
    }
    const waiting = await enroll(email)
    await due(waiting)
    await start()
    await vi.waitFor(async () => expect(await results(waiting)).toEqual(executed.slice(0, 1)), patience)
    await vi.waitFor(async () => expect(await mails()).toEqual({ queued: 1, sent: 1, received: 1 }), patience)
    await worker.kill()

    // Another enrollment shows that the worker looks for due ones.
    const other = await enroll('undelayed@sequence.example')
    await due(other)
    await start()
    await vi.waitFor(async () => expect(await results(other)).toHaveLength(1), patience)
    await worker.kill()
    expect(await results(waiting)).toEqual(executed.slice(0, 1))
    expect(await stateOf(waiting)).toEqual({ status: 'ACTIVE', position: 2, waits: true, isLeased: null })

    for (const done of [1, 2]) {
      await due(waiting)
      await platform.services.database.transaction(async (sql) => {
        await sql.query('lock table outreach.sequence_attempt in share mode')
        await start()
        await vi.waitFor(async () => expect(await locks('not granted')).toBe(1), patience)
        await worker.kill()
      })
      await vi.waitFor(async () => expect(await locks('true')).toBe(0), patience)
      expect(await results(waiting)).toEqual(executed.slice(0, done))
      expect(await stateOf(waiting)).toEqual({ status: 'ACTIVE', position: done + 1, waits: false, isLeased: true })
      // Its lease ends.
      await due(waiting)
      await start()
      await vi.waitFor(async () => expect(await results(waiting)).toEqual(executed.slice(0, done + 1)), patience)
      await vi.waitFor(
        async () => expect(await mails()).toEqual({ queued: done, sent: done, received: done }),
        patience,
      )
      await worker.kill()
    }
    expect(await stateOf(waiting)).toMatchObject({ status: 'COMPLETED' })
  })

  /** Number of locks on the executions of steps. */
  const locks = async (which: string) =>
    (
      await platform.query<{ n: number }>(
        `select count(*)::int as n from pg_locks where relation = 'outreach.sequence_attempt'::regclass and ${which}`,
      )
    )[0]!.n
})

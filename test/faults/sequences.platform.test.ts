import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import { contact, each } from '../builders.ts'
import { aMail, aSequence } from '../outreach/sequence.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aProcess } from '../processes.ts'

const platform = usePlatform()
const receiver = new SmtpReceiver()
const patience = { timeout: 90_000, interval: 5 }
const count = 120
let member: Member
let smtpUrl: string

beforeAll(async () => {
  smtpUrl = await receiver.start()
  member = await platform.member({ organizationId: await platform.organization('Killed') })
})
afterAll(() => receiver.stop())

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
    const worker = await aProcess(
      ['bin/run', 'worker'],
      {
        DATABASE_URL: platform.services.databaseUrl,
        DATA_DIR: platform.dataDir,
        SMTP_URL: smtpUrl,
        LOG_LEVEL: 'warn',
        DEMO: 'off',
      },
      '',
    )
    onTestFinished(() => worker.kill())
    const attempts = async () =>
      (
        await platform.query<{ n: number }>(
          'select count(*)::int as n from outreach.sequence_attempt where sequence_id = $1',
          [id],
        )
      )[0]!.n
    const start = async (name: string) => {
      await due()
      worker.launch()
      const add = `select count(*) from graphile_worker.add_job('sequence.run', job_key => $1)`
      await vi.waitFor(() => platform.query(add, [name]), patience)
    }
    for (const [round, part] of [0.1, 0.4, 0.8].entries()) {
      await start(`sequences ${round}`)
      await vi.waitFor(async () => expect(await attempts()).toBeGreaterThan(count * 3 * part), patience)
      await worker.kill()
    }
    await start('sequences last')
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
})

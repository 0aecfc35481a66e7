import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { SmtpMailer } from '../../subgraphs/kernel/mail/smtp-mailer.ts'
import { createUser } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { defaultsOf } from '../../subgraphs/kernel/record/structure.ts'
import { QueueWorker } from '../../subgraphs/kernel/queue/queue-worker.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import { runSequences } from '../../subgraphs/outreach/enrollment/run/run-sequences.ts'
import { SequenceSettings } from '../../subgraphs/outreach/sequence/sequence-settings.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { atMost, type Finding } from './report.ts'
import type { Tenant } from './tenants.ts'

const enrollments = 10_000
const senders = 20

/** Executes the mails of ten thousand enrollments that are due, by one worker, and sends them to an SMTP server on this machine. */
export async function measureSequences(
  services: OpenServices,
  { organizationId, ownerId }: Tenant,
): Promise<Finding[]> {
  const sink = fork(join(import.meta.dirname, 'smtp-sink-process.ts'), { execArgv: [] })
  const [smtpUrl] = (await once(sink, 'message')) as [string]
  const { database } = services
  await fill(services, organizationId, ownerId)
  const withSink = { ...services, mailer: new SmtpMailer(smtpUrl, 'CRM <crm@platform.example>') }
  const began = performance.now()
  const queue = await QueueWorker.start(withSink, services.databaseUrl, [outgoingEmailQueue])
  while ((await runSequences(withSink)) > 0);
  const executedSeconds = (performance.now() - began) / 1000
  const waiting = async (): Promise<number> =>
    (
      await database.query<{ n: number }>(
        `select count(*)::int as n from outreach.email_message where organization_id = $1 and status = 'QUEUED'`,
        [organizationId],
      )
    )[0]!.n
  const waitingThen = await waiting()
  const [executed] = await database.query<{ n: number }>(
    `select count(*)::int as n from outreach.sequence_attempt where organization_id = $1 and result = 'SENT'`,
    [organizationId],
  )
  const sendingBegan = performance.now()
  const sendingMs = 10_000
  while ((await waiting()) > 0 && performance.now() - sendingBegan < sendingMs)
    await new Promise((resolve) => setTimeout(resolve, 500))
  const sent = waitingThen - (await waiting())
  const rate = sent / ((performance.now() - sendingBegan) / 1000)
  await queue.close()
  sink.kill()
  if (executed!.n !== enrollments) throw new Error(`${executed!.n} of ${enrollments} enrollments were executed.`)
  return [
    atMost(
      `${enrollments} due enrollments by one worker, with ${enrollments - waitingThen} of their mails sent`,
      executedSeconds,
      60,
      ' s',
    ),
    atMost(`One mail of those that wait afterwards`, rate > 0 ? 1000 / rate : 0, 12, ' ms'),
  ]
}

/** One sequence of one mail for each enrollment, with so many senders that no daily limit is reached. */
async function fill(services: OpenServices, organizationId: string, ownerId: string): Promise<void> {
  const { database } = services
  const [sequenceId, stepId] = [newId(), newId()]
  const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN']
  const anyTime = { timezone: 'UTC', sendDays: days, sendStart: '00:00', sendEnd: '24:00' }
  const settings = { ...defaultsOf(SequenceSettings), ...anyTime, dailyLimitPerSender: 1000 }
  const users = await senderIds(services, organizationId)
  const common = 'organization_id, id, owner_id, created_at, updated_at, version, custom_fields'
  await database.query(
    `insert into outreach.sequence (${common}, name, status, entity_types, settings, step_count)
     values ($1, $2, $3, now(), now(), 1, '{}', 'Bench', 'ACTIVE', '{CONTACT}', $4, 1)`,
    [organizationId, sequenceId, ownerId, JSON.stringify(settings)],
  )
  await database.query(
    `insert into outreach.sequence_step (${common}, sequence_id, position, type, delay_days, delay_hours, delay_from, subject, body_html)
     values ($1, $2, $3, now(), now(), 1, '{}', $4, 1, 'EMAIL', 0, 0, 'PREVIOUS_STEP', 'Dock slots for {{contact.firstName | you}}', $5)`,
    [
      organizationId,
      stepId,
      ownerId,
      sequenceId,
      '<p>Hello {{contact.firstName | there}},</p><p>see <a href="https://fjordline.example/slots">the slots</a>.</p><p>{{sender.name}}</p>',
    ],
  )
  await database.query(
    `with people as (
       select gen_random_uuid() as id, n from generate_series(1, $2::int) n
     ), inserted as (
       insert into crm.contact (organization_id, id, owner_id, created_at, updated_at, version, custom_fields, first_name, last_name, name, email,
         normalized_email, email_status, lifecycle_stage, status)
       select $1, id, $3, now(), now(), 1, '{}', 'Ida', 'Berg', 'Ida Berg', 'bench' || n || '@sequence.example',
         'bench' || n || '@sequence.example', 'UNKNOWN', 'LEAD', 'ACTIVE' from people
     )
     insert into outreach.sequence_enrollment (organization_id, id, owner_id, created_at, updated_at, version, custom_fields, sequence_id, entity_type,
       entity_id, email, status, current_step_id, current_step_position, next_run_at, enrolled_by_id, sender_id, enrolled_at)
     select $1, gen_random_uuid(), $3, now(), now(), 1, '{}', $4, 'CONTACT', id, 'bench' || n || '@sequence.example', 'ACTIVE', $5, 1,
       now() - interval '1 minute', $3, ($6::uuid[])[1 + n % cardinality($6::uuid[])], now()
     from people`,
    [organizationId, enrollments, ownerId, sequenceId, stepId, users],
  )
  for (const table of ['crm.contact', 'outreach.sequence_enrollment']) await database.query(`analyze ${table}`)
}

async function senderIds(services: OpenServices, organizationId: string): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < senders; number++) {
    const wanted = {
      email: `sender${number}.${newId()}@example.com`,
      name: `Sender ${number}`,
      role: 'MEMBER',
    } as const
    ids.push((await createUser(services, organizationId, { ...wanted, visibility: 'ALL', isEmailVerified: true })).id)
  }
  return ids
}

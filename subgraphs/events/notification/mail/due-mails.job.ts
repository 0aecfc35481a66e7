import { recipientsOf } from '../../../identity/public.ts'
import { eachInBatches } from '../../../kernel/jobs/each-in-batches.ts'
import type { Job } from '../../../kernel/jobs/job.ts'
import { systemContext, type Services } from '../../../kernel/request.ts'
import { withSql } from '../create/candidates.ts'
import { mailTogether, type Mailed } from './mail-notifications.ts'

const batchSize = 200
/** Notifications of one mail; a user has at most 1,000. */
const mailedMax = 1_000

interface DueUser {
  readonly organizationId: string
  readonly userId: string
}

/** Sends the mails that waited for the end of quiet hours or for the time of the digest: one for each user. */
export const dueMails: Job = {
  name: 'notification.mail',
  cron: '* * * * *',
  run: (services) =>
    eachInBatches(
      (after: DueUser | null) => dueUsers(services, after),
      (user) => mailDue(services, user),
    ),
}

function dueUsers({ database, clock }: Services, after: DueUser | null): Promise<DueUser[]> {
  return database.query<DueUser>(
    `select distinct organization_id as "organizationId", user_id as "userId" from events.notification
     where email_due_at <= $1 and ($2::uuid is null or (organization_id, user_id) > ($2, $3::uuid))
     order by 1, 2 limit ${batchSize}`,
    [clock.now().toISOString(), after?.organizationId ?? null, after?.userId ?? null],
  )
}

/** The mail and the marks that it was sent are one transaction, so that it is sent once. */
async function mailDue(services: Services, { organizationId, userId }: DueUser): Promise<void> {
  await services.database.transaction(async (sql) => {
    const due = await sql.query<Mailed & { id: string }>(
      `select id, event_key, group_key, subject, count, priority from events.notification
       where organization_id = $1 and user_id = $2 and email_due_at <= $3
       order by created_at desc, id desc limit ${mailedMax} for update`,
      [organizationId, userId, services.clock.now().toISOString()],
    )
    if (due.length === 0) return
    const [recipient] = await recipientsOf(sql, organizationId, [userId])
    const email = recipient?.email ?? null
    await sql.query(
      `update events.notification set email_due_at = null,
         email = case when not $3 then 'SUPPRESSED' when email = 'PENDING' then 'SENT' else email end
       where organization_id = $1 and id = any($2::uuid[])`,
      [organizationId, due.map(({ id }) => id), email !== null],
    )
    if (email !== null)
      await mailTogether(withSql(systemContext(services, organizationId), sql), { userId, email }, due)
  })
}

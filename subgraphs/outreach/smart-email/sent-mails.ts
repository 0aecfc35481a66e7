import type { RequestContext } from '../../kernel/request.ts'
import type { SentMails } from './best-hour.ts'

/** The newest mails that are read, so that the cost does not grow with the number of mails. */
const mailsMax = { all: 10_000, account: 2_000, contact: 500 } as const
const threadsMax = 500

const sums = `count(*)::int as sends, count(*) filter (where m.open_count > 0)::int as opens,
  count(*) filter (where m.status = 'REPLIED')::int as replies`
// Time zones have offsets of whole quarters of an hour.
const quarter = `date_bin('15 minutes', m.sent_at, 'epoch')`
const isSent = `m.direction = 'OUTBOUND' and m.sent_at is not null and m.deleted_at is null`

/** Only times and counts are read, so mails count also when the caller does not see them. */
const readSentMails = (ctx: RequestContext, text: string, values: readonly unknown[]): Promise<SentMails[]> =>
  ctx.db.query<SentMails & Record<string, unknown>>(text, values, 'SCAN')

/** The newest mails of the organization, by the time zones of the contacts whom their threads concern. */
export const sentToAll = (ctx: RequestContext, defaultZone: string): Promise<SentMails[]> =>
  readSentMails(
    ctx,
    `select coalesce(c.timezone, $2) as timezone, ${quarter} as at, ${sums}
     from (
       select m.thread_id, m.sent_at, m.open_count, m.status from outreach.email_message m
       where m.organization_id = $1 and ${isSent} order by m.sent_at desc limit ${mailsMax.all}
     ) m
     join outreach.email_thread t on t.organization_id = $1 and t.id = m.thread_id
     left join crm.contact c on c.organization_id = $1 and c.id = t.contact_id
     group by 1, 2`,
    [ctx.caller.organizationId, defaultZone],
  )

const threadsOf = (column: string): string =>
  `(select t.id, t.contact_id from outreach.email_thread t
    where t.organization_id = $1 and t.${column} = $2 and t.deleted_at is null
    order by t.created_at desc, t.id desc limit ${threadsMax})`

/** The newest mails of the threads that concern contacts of the account. */
export const sentToAccount = (ctx: RequestContext, accountId: string, defaultZone: string): Promise<SentMails[]> =>
  readSentMails(
    ctx,
    `select coalesce(c.timezone, $3) as timezone, ${quarter} as at, ${sums}
     from (
       select t.contact_id, m.sent_at, m.open_count, m.status from ${threadsOf('account_id')} t
       join outreach.email_message m on m.organization_id = $1 and m.thread_id = t.id and ${isSent}
       order by m.sent_at desc limit ${mailsMax.account}
     ) m left join crm.contact c on c.organization_id = $1 and c.id = m.contact_id
     group by 1, 2`,
    [ctx.caller.organizationId, accountId, defaultZone],
  )

/** The newest mails of the threads that concern the contact. */
export const sentToContact = (ctx: RequestContext, contactId: string, timezone: string): Promise<SentMails[]> =>
  readSentMails(
    ctx,
    `select $3 as timezone, ${quarter} as at, ${sums}
     from (
       select m.sent_at, m.open_count, m.status from ${threadsOf('contact_id')} t
       join outreach.email_message m on m.organization_id = $1 and m.thread_id = t.id and ${isSent}
       order by m.sent_at desc limit ${mailsMax.contact}
     ) m group by 2`,
    [ctx.caller.organizationId, contactId, timezone],
  )

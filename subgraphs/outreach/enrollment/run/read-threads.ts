import type { RequestContext } from '../../../kernel/request.ts'

/** What a further mail of a thread needs of it. */
export interface ReadThread {
  readonly id: string
  readonly subject: string
  /** The Message-IDs of its last 20 mails, oldest first. */
  readonly messageIds: readonly string[]
  /** The mailbox of its last mail that has one; null if none has. */
  readonly mailboxId: string | null
}

/** The live threads with these ids, by id. */
export async function readThreads(
  { db, caller }: RequestContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReadThread>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<{ id: string; subject: string; messageIds: string[]; mailboxId: string | null }>(
    `select t.id, t.subject, array(
       select m.internet_message_id from (
         select internet_message_id, created_at, id from outreach.email_message
         where organization_id = t.organization_id and thread_id = t.id and deleted_at is null and internet_message_id is not null
         order by created_at desc, id desc limit 20) m
       order by m.created_at, m.id) as "messageIds", (
       select m.mailbox_id from outreach.email_message m
       where m.organization_id = t.organization_id and m.thread_id = t.id and m.deleted_at is null and m.mailbox_id is not null
       order by m.created_at desc, m.id desc limit 1) as "mailboxId"
     from outreach.email_thread t where t.organization_id = $1 and t.id = any($2::uuid[]) and t.deleted_at is null`,
    [caller.organizationId, ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

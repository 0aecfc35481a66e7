import type { RequestContext } from '../../../kernel/request.ts'
import type { ReadThread } from './read-threads.ts'

/** A mailbox that sends mails. */
export interface ReadMailbox {
  readonly id: string
  readonly email: string
}

/** The mailboxes of users that are on, by the id of the user, oldest first. An organization has at most 100. */
export async function readMailboxes(
  { db, caller }: RequestContext,
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ReadMailbox[]>> {
  if (ownerIds.length === 0) return new Map()
  const rows = await db.query<ReadMailbox & { ownerId: string }>(
    `select id, email, owner_id as "ownerId" from outreach.mailbox
     where organization_id = $1 and owner_id = any($2::uuid[]) and is_enabled and deleted_at is null order by created_at, id`,
    [caller.organizationId, ownerIds],
  )
  return Map.groupBy(rows, ({ ownerId }) => ownerId)
}

/** The mailbox of the last mail of the thread, if it is one of these; otherwise the one with the address of the sender, otherwise the oldest. */
export function chooseMailbox(
  boxes: readonly ReadMailbox[],
  senderEmail: string,
  thread: Pick<ReadThread, 'mailboxId'> | null,
): ReadMailbox | null {
  const ofThread = thread && boxes.find(({ id }) => id === thread.mailboxId)
  const ofAddress = boxes.find(({ email }) => email.toLowerCase() === senderEmail.toLowerCase())
  return ofThread ?? ofAddress ?? boxes[0] ?? null
}

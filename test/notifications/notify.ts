import { consumeNext } from '../../subgraphs/kernel/outbox/consume-events.ts'
import { notificationConsumer } from '../../subgraphs/events/notification/create/create-notifications.ts'
import { mailPlace } from '../../subgraphs/kernel/mail/queue-mail.ts'
import { platformId } from '../../subgraphs/kernel/secrets/vault.ts'
import type { Member, MemberOptions, Platform } from '../platform.ts'

/** Creates the notifications of all events of the organization so far, as a worker does. */
export async function notify(platform: Platform, organizationId: string): Promise<void> {
  // It waits for a relay that is assigning positions, and assigns those that are left.
  await platform.query('select kernel.assign_event_positions(100000)')
  while (await consumeNext(platform.services, notificationConsumer, organizationId));
}

/** The mails that were queued for an address, oldest first: their subjects and texts. */
export async function mailsTo(platform: Platform, userId: string): Promise<{ subject: string; text: string }[]> {
  const { vault } = platform.services
  const rows = await platform.query<{ id: string; content: string }>(
    `select m.id, m.content from kernel.mail m join identity.person p on p.email = m.recipient
     join identity.app_user u on u.person_id = p.id where u.id = $1 order by m.created_at, m.id`,
    [userId],
  )
  return rows.map(({ id, content }) => {
    const { subject, text } = JSON.parse(vault.open(platformId, mailPlace(id), content)) as {
      subject: string
      text: string
    }
    return { subject, text }
  })
}

/** A member who has proved to read the address of the account. */
export const memberWithEmail = (platform: Platform, options: MemberOptions): Promise<Member> =>
  platform.member({ ...options, isEmailVerified: true })

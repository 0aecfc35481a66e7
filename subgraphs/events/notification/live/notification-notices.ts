import type { Logger } from 'pino'
import { Notices } from '../../../kernel/database/notices.ts'
import { notificationsChannel } from '../create/notification-rows.ts'

/** What a message of the channel is about: the notifications of users of an organization. */
export const notificationNotices = (databaseUrl: string, log: Pick<Logger, 'warn'>): Notices =>
  new Notices({
    databaseUrl,
    channel: notificationsChannel,
    keysOf(message) {
      const [organizationId, ...userIds] = message.split(',')
      return userIds.map((userId) => notificationsOf(organizationId!, userId))
    },
    log,
  })

export const notificationsOf = (organizationId: string, userId: string): string => `${organizationId} ${userId}`

import type { Recipient } from '../../../identity/public.ts'
import { isWithinLocalTime, nextLocalTime } from '../../../kernel/time/local-time.ts'
import type { NotificationKind } from '../catalog/notification-kind.ts'
import type { ChannelState } from '../notification.ts'
import {
  digestOf,
  quietHoursOf,
  wantedChannels,
  zoneOf,
  type StoredPreferences,
} from '../preferences/preferences.rules.ts'

/** Beyond this many single mails in an hour, mails to a user are gathered until the end of the hour. */
export const singleMailsMax = 10
/** Beyond this many push messages in an hour, none is sent to a user. */
export const pushesMax = 30

const hourMs = 3_600_000
/** An event that is older when it is read is listed, but neither mailed nor pushed. */
const currentForMs = 24 * hourMs

export interface Plan {
  readonly inApp: ChannelState
  readonly email: ChannelState
  /** When a mail that is not sent at once is due. */
  readonly emailDueAt: Date | null
  readonly push: ChannelState
  /** When a push message that is not sent at once is due. */
  readonly pushDueAt: Date | null
}

export interface Situation {
  readonly now: Date
  readonly occurredAt: string
  readonly preferences: StoredPreferences
  readonly recipient: Pick<Recipient, 'email' | 'timezone'>
  /** Whether a push message can be sent to the user: keys are configured, and a device is subscribed. */
  readonly hasDevice: boolean
  /** In the last hour. */
  readonly singleMails: number
  readonly pushes: number
}

/** What happens to a notification on each channel; null if it is wanted on none. */
export function planOf(kind: NotificationKind, situation: Situation): Plan | null {
  const { now, occurredAt, preferences, recipient, hasDevice, pushes } = situation
  const wanted = wantedChannels(preferences, kind)
  const isCurrent = now.getTime() - Date.parse(occurredAt) < currentForMs
  const isMailed = wanted.email && recipient.email !== null && isCurrent
  const isPushed = wanted.push && hasDevice && isCurrent && pushes < pushesMax
  if (!wanted.inApp && !isMailed && !isPushed) return null
  const quietUntil = kind.priority === 'HIGH' ? null : quietEnd(situation)
  return {
    inApp: wanted.inApp ? 'SENT' : 'SUPPRESSED',
    ...(isMailed ? mailPlan(kind, situation, quietUntil) : { email: 'SUPPRESSED', emailDueAt: null }),
    push: isPushed ? 'PENDING' : 'SUPPRESSED',
    pushDueAt: isPushed ? quietUntil : null,
  }
}

function mailPlan(
  { priority }: NotificationKind,
  { now, preferences, recipient, singleMails }: Situation,
  quietUntil: Date | null,
): Pick<Plan, 'email' | 'emailDueAt'> {
  const digest = digestOf(preferences)
  if (digest.enabled && priority !== 'HIGH')
    return {
      email: 'DIGESTED',
      emailDueAt: nextLocalTime(now, digest.time, zoneOf(digest, recipient.timezone)),
    }
  if (quietUntil) return { email: 'PENDING', emailDueAt: quietUntil }
  if (singleMails >= singleMailsMax) return { email: 'DIGESTED', emailDueAt: nextHour(now) }
  return { email: 'SENT', emailDueAt: null }
}

const nextHour = (now: Date): Date => new Date(Math.floor(now.getTime() / hourMs + 1) * hourMs)

/** The end of the quiet hours that contain this moment; null if there are none. */
function quietEnd({ now, preferences, recipient }: Situation): Date | null {
  const hours = quietHoursOf(preferences)
  if (!hours.enabled) return null
  const zone = zoneOf(hours, recipient.timezone)
  return isWithinLocalTime(now, hours.start, hours.end, zone) ? nextLocalTime(now, hours.end, zone) : null
}

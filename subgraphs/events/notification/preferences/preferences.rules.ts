import type { FieldProblem } from '../../../kernel/errors.ts'
import { isTimeOfDay } from '../../../kernel/time/local-time.ts'
import { timezoneProblems } from '../../../kernel/values/time-zone.ts'
import { catalog } from '../catalog/catalog.ts'
import { categories, type Channel, type NotificationKind, type Switches } from '../catalog/notification-kind.ts'
import type {
  NotificationDigest,
  NotificationPreferences,
  NotificationPreferencesInput,
  QuietHours,
} from './preferences.ts'

/** What a user has set. Everything absent has its default. */
export interface StoredPreferences {
  readonly events?: Readonly<Record<string, Partial<Switches>>>
  readonly quietHours?: QuietHours
  readonly digest?: NotificationDigest
  readonly emailCategories?: Readonly<Record<string, boolean>>
}

const channelNames: readonly Channel[] = ['inApp', 'email', 'push']
const quietDefault: QuietHours = { enabled: false, start: '22:00', end: '07:00', timezone: null, followProfile: true }
const digestDefault: NotificationDigest = { enabled: false, time: '08:00', timezone: null, followProfile: true }

export const quietHoursOf = ({ quietHours }: StoredPreferences): QuietHours => quietHours ?? quietDefault
export const digestOf = ({ digest }: StoredPreferences): NotificationDigest => digest ?? digestDefault

/** The channels of a kind for a user with these preferences, before its categories. */
const switchesOf = ({ events }: StoredPreferences, { key, channels, mailedBy }: NotificationKind): Switches => {
  const set = { ...channels, ...(events && Object.hasOwn(events, key) ? events[key] : {}) }
  return mailedBy === undefined ? set : { ...set, email: false }
}

/** The channels on which a user with these preferences gets notifications of a kind. */
export function wantedChannels(preferences: StoredPreferences, kind: NotificationKind): Switches {
  const switches = switchesOf(preferences, kind)
  const isMailed = preferences.emailCategories?.[kind.category] !== false
  return { ...switches, email: switches.email && isMailed }
}

/** The complete preferences, with all defaults. */
export const completePreferences = (stored: StoredPreferences): Omit<NotificationPreferences, 'emailSuppressedBy'> => ({
  events: Object.fromEntries([...catalog.values()].map((kind) => [kind.key, switchesOf(stored, kind)])),
  quietHours: quietHoursOf(stored),
  digest: digestOf(stored),
  emailCategories: Object.fromEntries(
    Object.keys(categories).map((name) => [name, stored.emailCategories?.[name] !== false]),
  ),
})

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const absent = <T>(value: T | null | undefined): value is null | undefined => value === null || value === undefined

/** The preferences after a change. */
export const changedPreferences = (
  stored: StoredPreferences,
  { events, quietHours, digest, emailCategories }: NotificationPreferencesInput,
): StoredPreferences => ({
  ...stored,
  ...(isFields(events) && { events: differences(events as Record<string, Partial<Switches>>) }),
  ...(!absent(quietHours) && { quietHours: withDefaults(quietDefault, quietHours) }),
  ...(!absent(digest) && { digest: withDefaults(digestDefault, digest) }),
  ...(isFields(emailCategories) && { emailCategories: emailCategories as Record<string, boolean> }),
})

/** What equals the default is not stored, so that a client that sends everything back does not fix the defaults of today. */
function differences(events: Record<string, Partial<Switches>>): Record<string, Partial<Switches>> {
  return Object.fromEntries(
    Object.entries(events).flatMap(([key, switches]) => {
      const defaults = catalog.get(key)!.channels
      const set = channelNames.filter((name) => !absent(switches[name]) && switches[name] !== defaults[name])
      return set.length > 0 ? [[key, Object.fromEntries(set.map((name) => [name, switches[name]!]))]] : []
    }),
  )
}

const withDefaults = <T extends object>(defaults: T, given: { readonly [K in keyof T]?: T[K] | null }): T => ({
  ...defaults,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => !absent(value))),
})

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

export const preferenceProblems = (input: NotificationPreferencesInput): FieldProblem[] => [
  ...eventProblems(input.events),
  ...quietHoursProblems(input.quietHours),
  ...digestProblems(input.digest),
  ...categoryProblems(input.emailCategories),
]

function eventProblems(events: unknown): FieldProblem[] {
  if (absent(events)) return []
  if (!isFields(events)) return [problem('events', 'WRONG_TYPE', 'events must be an object with event keys.')]
  return Object.entries(events).flatMap(([key, switches]) => {
    const path = `events.${key}`
    const kind = catalog.get(key)
    if (!kind)
      return [
        problem(path, 'UNKNOWN_EVENT_KEY', `${key.slice(0, 100)} is no event key of the catalog of notifications.`),
      ]
    if (!isFields(switches))
      return [problem(path, 'WRONG_TYPE', `${path} must be an object with inApp, email or push.`)]
    const found = Object.entries(switches).flatMap(([name, value]) => {
      if (!channelNames.includes(name as Channel))
        return [problem(`${path}.${name}`, 'UNKNOWN_FIELD', `${path} may have inApp, email and push only.`)]
      return absent(value) || typeof value === 'boolean'
        ? []
        : [problem(`${path}.${name}`, 'WRONG_TYPE', `${path}.${name} must be true or false.`)]
    })
    if (kind.mailedBy !== undefined && switches['email'] === true)
      found.push(
        problem(`${path}.email`, 'NOT_AVAILABLE', `${key} is mailed by ${kind.mailedBy}; email must be false.`),
      )
    return found
  })
}

function categoryProblems(given: unknown): FieldProblem[] {
  if (absent(given)) return []
  if (!isFields(given))
    return [problem('emailCategories', 'WRONG_TYPE', 'emailCategories must be an object with categories.')]
  return Object.entries(given).flatMap(([name, value]) => {
    const path = `emailCategories.${name}`
    if (!Object.hasOwn(categories, name))
      return [
        problem(
          path,
          'UNKNOWN_CATEGORY',
          `${name.slice(0, 100)} is no category; use ${Object.keys(categories).join(', ')}.`,
        ),
      ]
    return typeof value === 'boolean' ? [] : [problem(path, 'WRONG_TYPE', `${path} must be true or false.`)]
  })
}

function quietHoursProblems(given: NotificationPreferencesInput['quietHours']): FieldProblem[] {
  if (absent(given)) return []
  const hours = withDefaults(quietDefault, given)
  const found = [
    ...timeProblems('quietHours.start', hours.start),
    ...timeProblems('quietHours.end', hours.end),
    ...zoneProblems('quietHours', hours),
  ]
  if (hours.start === hours.end)
    found.push(problem('quietHours.end', 'OUT_OF_RANGE', 'quietHours.end must differ from quietHours.start.'))
  return found
}

function digestProblems(given: NotificationPreferencesInput['digest']): FieldProblem[] {
  if (absent(given)) return []
  const digest = withDefaults(digestDefault, given)
  return [...timeProblems('digest.time', digest.time), ...zoneProblems('digest', digest)]
}

const timeProblems = (path: string, value: string): FieldProblem[] =>
  isTimeOfDay(value)
    ? []
    : [problem(path, 'WRONG_FORMAT', `${path} must be a time of day as HH:MM, from 00:00 to 23:59.`)]

function zoneProblems(
  path: string,
  { timezone, followProfile }: { readonly timezone: string | null; readonly followProfile: boolean },
): FieldProblem[] {
  if (timezone !== null) return timezoneProblems(`${path}.timezone`, timezone)
  return followProfile
    ? []
    : [problem(`${path}.timezone`, 'REQUIRED', `${path}.timezone is required when followProfile is false.`)]
}

/** The time zone in which a schedule applies. */
export const zoneOf = (
  { timezone, followProfile }: Pick<QuietHours, 'timezone' | 'followProfile'>,
  ofProfile: string,
): string => (followProfile ? ofProfile : (timezone ?? ofProfile))

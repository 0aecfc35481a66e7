import type { LoggedEvent } from '../../../kernel/outbox/event-feed.ts'
import type { NotificationPriority } from '../notification.ts'

export const categories = {
  ASSIGNMENTS: 'Records that became yours.',
  TASKS: 'Reminders and due dates of tasks.',
  CASES: 'What happens to your cases.',
  DEALS: 'What happens to your opportunities, and leads that were converted.',
  QUOTES_AND_ORDERS:
    'Answers of customers to quotes, approvals, undelivered quotes and invoices, and the progress of orders.',
  SECURITY: 'Sign-ins and API keys.',
  INTEGRATIONS: 'Webhooks and other connections.',
} as const

export type Category = keyof typeof categories

export type Channel = 'inApp' | 'email' | 'push'
export type Switches = Readonly<Record<Channel, boolean>>

/** The values of a record in an event, without those that the recipient may not read. */
export type Values = Readonly<Record<string, unknown>>

/** The record that a notification is about. */
export interface Subject {
  readonly object: string
  readonly id: string
}

export interface Told {
  /** The record, as the recipient may see it. */
  readonly record: Values
  readonly event: LoggedEvent
  /** The name of a user; null when there is none. */
  readonly nameOf: (userId: unknown) => string | null
}

/** The recipients besides those that the record names. */
export type Others = 'MANAGERS_OF_OWNER'

/** One kind of notification: which events it follows from, who gets it, and what it says. */
export interface NotificationKind {
  readonly key: string
  /** The types of the events. */
  readonly on: readonly string[]
  readonly category: Category
  /** What happened, as the title of every notification of this kind. It contains nothing that a user has written. */
  readonly title: string
  readonly description: string
  readonly priority: keyof typeof NotificationPriority
  readonly channels: Switches
  /** Another mail tells the same, so this kind is never mailed. */
  readonly mailedBy?: string
  /** Fields of the record with ids of users. */
  readonly to: readonly string[]
  readonly others?: Others
  /** Ids of users whom the event names in another way. */
  readonly named?: (event: LoggedEvent) => readonly string[]
  /** Ids of users who do not get it. */
  readonly except?: (event: LoggedEvent) => readonly string[]
  /** Only if it returns true. */
  readonly when?: (event: LoggedEvent) => boolean
  /** The record that it is about, when it is not the record of the event. It is read from the database. */
  readonly about?: (event: LoggedEvent) => Subject
  /** The user who acted gets it too. */
  readonly isForActor?: boolean
  /** The record belongs to its recipient, as an API key does; its visibility is not checked. */
  readonly isOwnRecord?: boolean
  /** Only owners and admins get it, because only they may see the record at this moment; all owners if the record names none of them. */
  readonly isForAdministrators?: boolean
  /** True: several of one record belong together. Otherwise all of this kind do. */
  readonly groupsByRecord?: boolean
  /** Those with the same value of this field of the record belong together. */
  readonly groupsBy?: string
  /** The field with the name of the record; null if it has none. */
  readonly nameField: string | null
  readonly body?: (told: Told) => readonly (string | null | undefined)[]
}

const day = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 10) : null)

/** `Due 2026-11-05.`; null without a date. */
export const dueOn = (value: unknown, what = 'Due'): string | null => {
  const date = day(value)
  return date && `${what} ${date}.`
}

export const assignedBy = ({ event, nameOf }: Told): string | null => {
  const name = nameOf(event.actorId)
  return name && `Assigned by ${name}.`
}

export const changedBy = ({ event, nameOf }: Told): string | null => {
  const name = nameOf(event.actorId)
  return name && `Changed by ${name}.`
}

/** A text that somebody has written, after a word: `Reason: Ordered twice.` Null without a text. */
export const said = (word: string, text: unknown): string | null =>
  typeof text === 'string' && text !== '' ? `${word} ${text}${/[.!?]$/.test(text) ? '' : '.'}` : null

/** A value of an enumeration as words: `CLOSED_WON` is `closed won`. */
export const words = (value: unknown): string =>
  typeof value === 'string' ? value.toLowerCase().replaceAll('_', ' ') : ''

/** The amount with its currency; null when one of them may not be read. */
export const amountOf = ({ amount, currency }: Values): string | null =>
  amount === null || amount === undefined
    ? null
    : `${JSON.stringify(amount)}${typeof currency === 'string' ? ` ${currency}` : ''}`

/** An event by which a record that exists or begins to exist gets an owner or assignee. */
export const becomesSomeones =
  (field: string) =>
  ({ data }: LoggedEvent): boolean => {
    const { record, previous } = data as { record?: Values; previous?: Values | null }
    return typeof record?.[field] === 'string' && record[field] !== previous?.[field]
  }

const both = (email: boolean, push = true): Switches => ({ inApp: true, email, push })
/** The default channels. */
export const channels = {
  /** In the list only. */
  list: { inApp: true, email: false, push: false },
  listAndPush: both(false),
  all: both(true),
} as const

export const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const

type Weekday = (typeof weekdays)[number]

/** The working hours of an organization: spans of local time by weekday, and holidays without working time. */
export interface BusinessHours {
  /** IANA name. */
  readonly timezone: string
  /** `{"MON": [["09:00", "12:30"], ["13:30", "17:00"]]}`; a missing day has no working time. */
  readonly days: Readonly<Partial<Record<Weekday, readonly (readonly [string, string])[]>>>
  /** `2027-12-25` */
  readonly holidays?: readonly string[]
}

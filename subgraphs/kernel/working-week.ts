export const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const

type Weekday = (typeof weekdays)[number]

/** When an organization works: spans of local time by weekday, and the days on which it does not work at all. */
export interface BusinessHours {
  /** IANA name. */
  readonly timezone: string
  /** `{"MON": [["09:00", "12:30"], ["13:30", "17:00"]]}`; a day that is absent is off. */
  readonly days: Readonly<Partial<Record<Weekday, readonly (readonly [string, string])[]>>>
  /** `2027-12-25` */
  readonly holidays?: readonly string[]
}

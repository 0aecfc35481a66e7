import { timezoneProblems } from '../../kernel/values/time-zone.ts'
import type { SendWindow } from './send-window.ts'
import type { ReadSettings } from './sequence-reading.ts'

export interface Zones {
  readonly recipient: string | null
  readonly sender: string | null
  readonly organization: string | null
}

const known = (zone: string | null | undefined): zone is string =>
  typeof zone === 'string' && timezoneProblems('', zone).length === 0

/**
 * The send window of a sequence for one recipient. An unknown zone of the recipient is replaced by that of the sender, any other unknown zone by
 * that of the organization, then by UTC.
 */
export function windowOf(settings: ReadSettings, zones: Zones, holidays: ReadonlySet<string>): SendWindow {
  const { timezone, sendDays, sendStart, sendEnd, skipHolidays } = settings
  const { recipient, sender, organization } = zones
  const wanted = timezone === 'RECIPIENT' ? [recipient, sender] : timezone === 'SENDER' ? [sender] : [timezone]
  const zone = [...wanted, organization].find(known) ?? 'UTC'
  return {
    zone,
    days: new Set(sendDays),
    start: sendStart,
    end: sendEnd,
    holidays: skipHolidays ? holidays : new Set(),
  }
}

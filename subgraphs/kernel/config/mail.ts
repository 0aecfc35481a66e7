import { ConfigError } from './config-error.ts'

/** At most `max` mails a day of an organization that is younger than `untilAgeMs`. */
export interface NewOrganizationMails {
  readonly max: number
  readonly untilAgeMs: number
}

/** `100/1d,300/7d`: at most 100 mails a day until the organization is one day old, 300 until it is seven days old; or `off`. */
export function newOrganizationMailsOf(text: string): NewOrganizationMails[] {
  if (text === 'off') return []
  const stages = text.split(',').map((part) => {
    const match = /^\s*(\d{1,9})\/([1-9]\d{0,3})d\s*$/.exec(part)
    if (!match)
      throw new ConfigError(`NEW_ORGANIZATION_MAILS: "${part}" must have the form 100/1d or 300/7d, or be "off".`)
    return { max: Number(match[1]), untilAgeMs: Number(match[2]) * 86_400_000 }
  })
  return stages.toSorted((one, other) => one.untilAgeMs - other.untilAgeMs)
}

export function senderOf(text: string): string {
  if (/^[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>$|^[^\s<>@]+@[^\s<>@]+$/.test(text)) return text
  throw new ConfigError(`MAIL_FROM: "${text}" must have the form name@example.com or Name <name@example.com>.`)
}

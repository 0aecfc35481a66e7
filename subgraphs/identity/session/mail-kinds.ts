import type { MailKind, MailLimit } from '../../kernel/mail/mail-limits.ts'
import { lifeMs } from '../one-time-token/one-time-token.ts'
import { invitationsGuard } from '../user/mail-guard.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * Limits of mails that anonymous callers request. Limits of the mailbox are silent, because a refusal would reveal other callers'
 * requests. The window of a mailbox is as long as the lifetime of its mails: when a mail is left out, an earlier valid one has
 * arrived, so too many requests never lock the owner out.
 */
const anonymousRequestLimits = (windowMs: number): readonly MailLimit[] => [
  { by: ['MAILBOX'], max: 3, windowMs, isSilent: true },
  { by: ['CLIENT', 'MAILBOX'], max: 5, windowMs: hourMs },
  { by: ['CLIENT', 'MAILBOX'], max: 10, windowMs: dayMs },
  { by: ['CLIENT'], max: 50, windowMs: hourMs },
]

const ofPerson = { of: 'PERSON', guard: null } as const
const ofOrganization = { of: 'ORGANIZATION', guard: invitationsGuard } as const

/** Limits of mails that follow another operation, which succeeds also when the mail is left out. */
const followUpLimits = (hourly: number, daily: number): readonly MailLimit[] => [
  { by: ['MAILBOX'], max: hourly, windowMs: hourMs, isSilent: true },
  { by: ['MAILBOX'], max: daily, windowMs: dayMs, isSilent: true },
]

export const signInLinks: MailKind = {
  name: 'SIGN_IN_LINK',
  ...ofPerson,
  limits: anonymousRequestLimits(lifeMs.MAGIC_LINK),
}
export const resetCodes: MailKind = {
  name: 'RESET_CODE',
  ...ofPerson,
  limits: anonymousRequestLimits(lifeMs.RESET_PASSWORD),
}
export const verifications: MailKind = { name: 'VERIFICATION', ...ofPerson, limits: followUpLimits(3, 10) }
/** Counted separately, so that other mails cannot suppress this notice. */
export const passwordNotices: MailKind = { name: 'PASSWORD_NOTICE', ...ofPerson, limits: followUpLimits(5, 20) }
export const registrationNotices: MailKind = { name: 'REGISTRATION_NOTICE', ...ofPerson, limits: followUpLimits(1, 2) }

const invitationLimits: readonly MailLimit[] = [
  { by: ['ORGANIZATION', 'MAILBOX'], max: 3, windowMs: hourMs },
  { by: ['ORGANIZATION', 'MAILBOX'], max: 5, windowMs: dayMs },
  { by: ['MAILBOX'], max: 10, windowMs: hourMs },
  { by: ['MAILBOX'], max: 20, windowMs: dayMs },
  { by: ['SENDER'], max: 100, windowMs: hourMs },
  { by: ['SENDER'], max: 300, windowMs: dayMs },
  { by: ['CLIENT'], max: 200, windowMs: hourMs },
  { by: ['ORGANIZATION'], max: 1000, windowMs: dayMs },
]

export const invitations: MailKind = { name: 'INVITATION', ...ofOrganization, limits: invitationLimits }

/** Invitations of organizations without an owner whose email address is verified, because anybody can register one. */
export const unverifiedOrganizationInvitations: MailKind = {
  name: 'INVITATION',
  ...ofOrganization,
  limits: [
    ...invitationLimits.filter(({ by }) => by.join() !== 'ORGANIZATION' && by.join() !== 'CLIENT'),
    { by: ['ORGANIZATION'], max: 50, windowMs: dayMs },
    { by: ['CLIENT'], max: 100, windowMs: dayMs },
  ],
}

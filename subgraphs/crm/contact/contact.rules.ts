import type { FieldProblem } from '../../kernel/errors.ts'
import { timezoneProblems } from '../../kernel/values/time-zone.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { fullName } from '../full-name.ts'
import type { Consent } from './consent.ts'
import type { Contact } from './contact.ts'

export const calculatedOfContact = (
  next: Contact,
  previous: Contact | null,
  given: Partial<Contact>,
): Partial<Contact> => ({
  name: fullName(next.firstName, next.lastName),
  normalizedEmail: next.email === null ? null : parseEmail(next.email),
  consent: consentOf(next, previous),
  ...optOutOf(next, previous, given),
  isPrimary: mayStayPrimary(next, previous, given) && next.isPrimary,
})

/**
 * Who has unsubscribed wants no marketing emails, so both fields say it. Taking the opt-out back alone also takes the status back; that
 * emails arrive again does not follow from it.
 */
function optOutOf(
  next: Contact,
  previous: Contact | null,
  given: Partial<Contact>,
): Pick<Contact, 'emailOptOut' | 'emailStatus'> {
  const { emailStatus, emailOptOut } = next
  if (emailStatus !== 'UNSUBSCRIBED' || emailOptOut) return { emailStatus, emailOptOut }
  const isTakenBack = previous?.emailStatus === 'UNSUBSCRIBED' && previous.emailOptOut && given.emailOptOut === false
  return isTakenBack && given.emailStatus === undefined
    ? { emailStatus: 'UNKNOWN', emailOptOut }
    : { emailStatus, emailOptOut: true }
}

function consentOf({ consent, updatedAt }: Contact, previous: Contact | null): Consent | null {
  if (!consent) return null
  const before = previous?.consent
  return { ...consent, recordedAt: before?.status === consent.status ? before.recordedAt : updatedAt }
}

function mayStayPrimary(next: Contact, previous: Contact | null, given: Partial<Contact>): boolean {
  if (next.deletedAt !== null) return false
  return !previous?.isPrimary || given.isPrimary === true || next.accountId === previous.accountId
}

const notAnEmail = (path: string): FieldProblem => ({
  path,
  code: 'NOT_AN_EMAIL',
  message: `${path} must be an email address.`,
})

export function contactProblems(next: Contact, previous: Contact | null): FieldProblem[] {
  const changes = (name: keyof Contact): boolean => next[name] !== previous?.[name]
  return [
    ...(next.email !== null && next.normalizedEmail === null && changes('email') ? [notAnEmail('email')] : []),
    ...(changes('secondaryEmails')
      ? next.secondaryEmails.flatMap((email, index) =>
          parseEmail(email) === null ? [notAnEmail(`secondaryEmails.${index}`)] : [],
        )
      : []),
    ...(next.timezone !== null && changes('timezone') ? timezoneProblems('timezone', next.timezone) : []),
    ...(next.isPrimary && next.accountId === null
      ? [
          {
            path: 'isPrimary',
            code: 'REQUIRED',
            message: 'isPrimary needs an accountId; set the account of the contact.',
          },
        ]
      : []),
  ]
}

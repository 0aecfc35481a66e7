import { IANAZone } from 'luxon'
import { emailLengthMax, isStoredEmail, parseEmail } from '../kernel/email-address.ts'
import { invalid, type FieldProblem } from '../kernel/errors.ts'
import { isStorable } from '../kernel/record/scalars.ts'

interface Bounds {
  readonly min?: number
  readonly max: number
}

/** Length in characters, and whether PostgreSQL can store it. */
export function textProblems(path: string, text: string, { min = 0, max }: Bounds): FieldProblem[] {
  if (!isStorable(text)) {
    return [{ path, code: 'NOT_TEXT', message: `${path} contains a NUL character or half of a surrogate pair.` }]
  }
  const length = text.length > max * 2 ? text.length : Array.from(text).length
  if (length > max) return [{ path, code: 'TOO_LONG', message: `${path} takes at most ${max} characters.` }]
  if (length < min) return [{ path, code: 'TOO_SHORT', message: `${path} takes at least ${min} characters.` }]
  return []
}

/** Of people, their parts, and organizations. */
export const nameLengthMax = 255
export { emailLengthMax }

/** The form in which an address is stored and looked up. What is no address stays as it is, and is found nowhere. */
export const normalizeEmail = (text: string): string => parseEmail(text) ?? text

/** Of an address that `normalizeEmail` gave. */
export function emailProblems(text: string, path = 'email'): FieldProblem[] {
  const problems = textProblems(path, text, { max: emailLengthMax })
  if (problems.length > 0 || isStoredEmail(text)) return problems
  return [{ path, code: 'NOT_AN_EMAIL', message: `${path} is not an email address.` }]
}

/** Offsets such as +05:30 are time zones to Intl, and no names. */
export const timezoneProblems = (path: string, value: unknown): FieldProblem[] =>
  typeof value === 'string' && value.length <= 100 && /^[A-Z]/i.test(value) && IANAZone.isValidZone(value)
    ? []
    : [{ path, code: 'NOT_A_TIMEZONE', message: `${path} is the IANA name of a time zone, for example Europe/Oslo.` }]

/** Throws when there is a problem. */
export function refuseAny(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid(...problems)
}

import { emailLengthMax, isStoredEmail, parseEmail } from '../kernel/values/email-address.ts'
import { invalid, type FieldProblem } from '../kernel/errors.ts'
import { isStorable } from '../kernel/record/scalars.ts'

interface Bounds {
  readonly min?: number
  readonly max: number
}

/** Checks the length in characters, and whether PostgreSQL can store the text. */
export function textProblems(path: string, text: string, { min = 0, max }: Bounds): FieldProblem[] {
  if (!isStorable(text)) {
    return [{ path, code: 'NOT_TEXT', message: `${path} must not contain a NUL character or an unpaired surrogate.` }]
  }
  const length = text.length > max * 2 ? text.length : Array.from(text).length
  if (length > max) return [{ path, code: 'TOO_LONG', message: `${path} must have at most ${max} characters.` }]
  if (length < min) return [{ path, code: 'TOO_SHORT', message: `${path} must have at least ${min} characters.` }]
  return []
}

/** Maximum length of names of people and organizations. */
export const nameLengthMax = 255
export { emailLengthMax }

/** The canonical form of an email address for storing and lookup. A text that is not an address is returned unchanged; no account has it. */
export const normalizeEmail = (text: string): string => parseEmail(text) ?? text

/** Checks a text that `normalizeEmail` has returned. */
export function emailProblems(text: string, path = 'email'): FieldProblem[] {
  const problems = textProblems(path, text, { max: emailLengthMax })
  if (problems.length > 0 || isStoredEmail(text)) return problems
  return [{ path, code: 'NOT_AN_EMAIL', message: `${path} must be an email address.` }]
}

const urlLengthMax = 500

/** Requires https, because pages of clients show what is behind the URL. */
export const httpsUrlProblems = (path: string, text: string): FieldProblem[] =>
  URL.canParse(text) && new URL(text).protocol === 'https:' && new URL(text).href.length <= urlLengthMax
    ? []
    : [{ path, code: 'NOT_A_URL', message: `${path} must be an https URL of at most ${urlLengthMax} characters.` }]

/** Throws a refusal when there are problems. */
export function refuseAny(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid(...problems)
}

import { hash, verify, type Options } from '@node-rs/argon2'
import type { FieldProblem } from '../../kernel/errors.ts'
import { textProblems } from '../text.ts'

const passwordLengthMin = 12
export const passwordLengthMax = 256

const kinds: readonly (readonly [RegExp, string])[] = [
  [/\p{Lu}/u, 'an upper-case letter'],
  [/\p{Ll}/u, 'a lower-case letter'],
  [/\p{Nd}/u, 'a digit'],
  [/[^\p{L}\p{N}\s]/u, 'a symbol'],
]

/** Checks a new password. */
export function passwordProblems(password: string, path = 'password'): FieldProblem[] {
  const problems = textProblems(path, password, { min: passwordLengthMin, max: passwordLengthMax })
  if (problems.length > 0) return problems
  const missing = kinds.flatMap(([kind, name]) => (kind.test(password) ? [] : [name]))
  if (missing.length === 0) return []
  return [{ path, code: 'TOO_SIMPLE', message: `${path} must contain ${missing.join(', ')}.` }]
}

/** Options for Argon2id, the default algorithm of the package. */
export const hashing: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const hashPassword = (password: string): Promise<string> => hash(password, hashing)

/** The hash of a random password. It is verified for unknown accounts, so that they take as long as existing ones. */
export const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$dR+1jJWKyneE/t/T9Q3+nw$H3BA2UwUGgATGmPkWnwnHTPHiWpMgmsYGd5yJRlC1wA'

export const isPassword = async (password: string, passwordHash: string | null): Promise<boolean> =>
  (await verify(passwordHash ?? nobodysHash, password)) && passwordHash !== null

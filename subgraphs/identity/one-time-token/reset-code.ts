import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { derivedKey } from '../../kernel/secrets/derived-key.ts'
import { invalid, type FieldProblem, type Refusal } from '../../kernel/errors.ts'
import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { storeIssued, tokenColumns, type OneTimeToken, type Subject } from './one-time-token.ts'

const digits = 8
/** Number of wrong guesses after which a code is invalid. */
const guessesMax = 5

/** An HMAC, because a plain hash of 8 digits is found by trying all codes. The key is not stored in the database. */
const hashOf = ({ keys }: IdentityContext, email: string, code: string): string =>
  createHmac('sha256', derivedKey(keys.encryption, 'one-time-code')).update(`${email} ${code}`).digest('hex')

export const wrongCode = (): Refusal =>
  invalid({
    path: 'code',
    code: 'CODE_INVALID',
    message: 'The code is wrong, was already used or has expired. Request a new code.',
  })

export const codeProblems = (code: string): FieldProblem[] =>
  /^\d{8}$/.test(code) ? [] : [{ path: 'code', code: 'NOT_A_CODE', message: `code must have ${digits} digits.` }]

/** Issues a new code for the address and invalidates earlier codes. Must be called in a transaction. */
export async function issueCode(ctx: IdentityContext, subject: Subject) {
  const code = String(randomInt(10 ** digits)).padStart(digits, '0')
  await ctx.db.query(
    `update identity.one_time_token set used_at = $2 where email = $1 and purpose = 'RESET_PASSWORD' and used_at is null`,
    [subject.email, ctx.clock.now().toISOString()],
  )
  return {
    code,
    expiresAt: await storeIssued(ctx, 'RESET_PASSWORD', subject, hashOf(ctx, subject.email, code)),
  }
}

/** Finds a valid code without consuming it. A wrong guess is counted, also when the request fails later. */
export function checkCode(ctx: IdentityContext, email: string, code: string): Promise<OneTimeToken | null> {
  return inTransaction(ctx, async ({ db, clock }) => {
    // The row lock serializes concurrent guesses.
    const [found] = await db.query<OneTimeToken & { secretHash: string }>(
      `select ${tokenColumns}, secret_hash as "secretHash" from identity.one_time_token
       where email = $1 and purpose = 'RESET_PASSWORD' and used_at is null and expires_at > $2 and attempts < $3
       order by created_at desc, id desc limit 1 for update`,
      [email, clock.now().toISOString(), guessesMax],
    )
    if (!found) return null
    if (timingSafeEqual(Buffer.from(found.secretHash), Buffer.from(hashOf(ctx, email, code)))) return found
    await db.query('update identity.one_time_token set attempts = attempts + 1 where id = $1', [found.id])
    return null
  })
}

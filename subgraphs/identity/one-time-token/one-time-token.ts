import { hash, randomBytes } from 'node:crypto'
import { invalid, type Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { lockPerson } from '../user/user.ts'

export type Purpose = 'VERIFY_EMAIL' | 'MAGIC_LINK' | 'RESET_PASSWORD' | 'INVITATION'

const minuteMs = 60_000
/** Lifetime of each kind of token. */
export const lifeMs: Readonly<Record<Purpose, number>> = {
  VERIFY_EMAIL: 24 * 60 * minuteMs,
  MAGIC_LINK: 15 * minuteMs,
  RESET_PASSWORD: 15 * minuteMs,
  INVITATION: 7 * 24 * 60 * minuteMs,
}

export interface Subject {
  readonly email: string
  /** Null for an address without an account. */
  readonly personId: string | null
  readonly organizationId?: string
  readonly data?: Readonly<Record<string, unknown>>
}

export interface OneTimeToken {
  readonly id: string
  readonly email: string
  readonly personId: string | null
  readonly organizationId: string | null
  readonly data: Readonly<Record<string, unknown>>
  readonly expiresAt: string
}

export const tokenColumns = `id, email, person_id as "personId", organization_id as "organizationId", data, expires_at as "expiresAt"`

const form = /^[A-Za-z0-9_-]{43}$/
const hashOf = (token: string): string => hash('sha256', token, 'hex')

export const wrongToken = (): Refusal =>
  invalid({
    path: 'token',
    code: 'TOKEN_INVALID',
    message: 'The token is wrong, was already used or has expired. Request a new mail.',
  })

/** Stores an issued token. Only `secretHash` is stored of the secret. */
export async function storeIssued(
  ctx: RequestContext,
  purpose: Purpose,
  { email, personId, organizationId = '', data = {} }: Subject,
  secretHash: string,
): Promise<Date> {
  const now = ctx.clock.now()
  const expiresAt = new Date(now.getTime() + lifeMs[purpose])
  await ctx.db.query(
    `insert into identity.one_time_token (id, purpose, email, person_id, organization_id, data, secret_hash, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      newId(),
      purpose,
      email,
      personId,
      organizationId || null,
      JSON.stringify(data),
      secretHash,
      now.toISOString(),
      expiresAt.toISOString(),
    ],
  )
  return expiresAt
}

/** Issues a new token. The caller mails it; only its hash is stored. */
export async function issueToken(ctx: RequestContext, purpose: Purpose, subject: Subject) {
  const token = randomBytes(32).toString('base64url')
  return { token, expiresAt: await storeIssued(ctx, purpose, subject, hashOf(token)) }
}

/** Finds a valid token without consuming it. */
export async function findToken(ctx: RequestContext, purpose: Purpose, token: string): Promise<OneTimeToken | null> {
  if (!form.test(token)) return null
  const [found] = await ctx.db.query<OneTimeToken>(
    `select ${tokenColumns} from identity.one_time_token
     where secret_hash = $1 and purpose = $2 and used_at is null and expires_at > $3`,
    [hashOf(token), purpose, ctx.clock.now().toISOString()],
  )
  return found ?? null
}

export interface ProvenToken extends OneTimeToken {
  readonly personId: string
}

/** Consumes the token in the transaction of `ctx`. Of several concurrent attempts, exactly one succeeds. */
export async function consumeToken(ctx: RequestContext, purpose: Purpose, token: string): Promise<ProvenToken | null> {
  const found = await findToken(ctx, purpose, token)
  return found && (await consumeFoundToken(ctx, found))
}

/**
 * Consumes a found token in the transaction of `ctx`; null when another request has consumed it, or when the person has another
 * address since. Locks the person first, in the same order as `invalidateTokens`, so that a later change of the person cannot deadlock.
 */
export async function consumeFoundToken(ctx: RequestContext, found: OneTimeToken): Promise<ProvenToken | null> {
  const { id, personId, email } = found
  if (personId === null || !(await lockPerson(ctx.db, { id: personId, email }))) return null
  const taken = await ctx.db.query(
    'update identity.one_time_token set used_at = $2 where id = $1 and used_at is null and expires_at > $2 returning id',
    [id, ctx.clock.now().toISOString()],
  )
  return taken.length === 1 ? { ...found, personId } : null
}

const accessPurposes: readonly Purpose[] = ['MAGIC_LINK', 'RESET_PASSWORD']

/** Invalidates all mailed and unused tokens that give access to the account. The person must be locked. */
export async function invalidateTokens(
  { db, clock }: RequestContext,
  personId: string,
  purposes: readonly Purpose[] = accessPurposes,
): Promise<void> {
  await db.query(
    'update identity.one_time_token set used_at = $2 where person_id = $1 and used_at is null and purpose = any($3::text[])',
    [personId, clock.now().toISOString(), purposes],
  )
}

/** Invalidates all unused tokens of a person, for example when the address belongs to another person. The person must be locked. */
export const invalidateAllTokens = (ctx: RequestContext, personId: string): Promise<void> =>
  invalidateTokens(ctx, personId, Object.keys(lifeMs) as Purpose[])

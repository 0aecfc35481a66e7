import { setTimeout as delay } from 'node:timers/promises'
import { Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import type { CredentialServices } from '../../kernel/outbound/named-credentials.ts'
import { OutboundError, type OutboundAnswer } from '../../kernel/outbound/outbound.ts'
import { tokenPlace } from './secret.ts'

/** What a token is fetched with. */
export interface TokenClient {
  readonly organizationId: string
  readonly id: string
  readonly apiName: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: readonly string[]
  readonly timeoutMs: number
}

interface Stored extends Record<string, unknown> {
  readonly sealed: string | null
  readonly expiresAt: string | null
}

const pollMs = 50
/** Of the process that fetches a token; longer than the request may take. */
const leaseMs = 15_000
const waitMs = 12_000
const answerBytesMax = 65_536
const lifetimeWithoutStatementMs = 300_000
const tokenText = /^[!-~]{1,8192}$/

/** A token that its receiver would refuse while a request with it is under way is not used. */
const usedMs = (lifetimeMs: number): number => lifetimeMs - Math.min(60_000, lifetimeMs / 10)

const notIssued = (apiName: string, reason: string): Refusal => {
  const message = `No token was issued for the named credential ${apiName}: ${reason}`
  return new Refusal('UNAVAILABLE', message, { retryAfter: 10 })
}

/** What is left until a time of `performance.now()`; at least 1, because 0 would be no limit. */
export const millisecondsUntil = (endsAt: number): number => Math.max(1, Math.ceil(endsAt - performance.now()))

/**
 * The token of a credential: the stored one, or a new one that one process at a time fetches. `refused` is one that a receiver has answered with 401,
 * and that is fetched again unless another process has done so. Whether it is fetched or another process is waited for, it takes no longer than
 * until `endsAt`, a time of `performance.now()`.
 */
export async function tokenOf(
  services: CredentialServices,
  client: TokenClient,
  refused: string | null,
  endsAt: number,
): Promise<string> {
  const waitsUntil = Math.min(endsAt, performance.now() + waitMs)
  for (;;) {
    const usable = await usableToken(services, client, refused, await storedToken(services, client))
    if (usable !== null) return usable
    const leaseId = newId()
    const taken = await takeLease(services, client, leaseId)
    if (taken) {
      // Another process may have stored one before the lease was taken.
      const stored = await usableToken(services, client, refused, taken)
      if (stored === null) return fetchWithLease(services, client, leaseId, endsAt)
      await endLease(services, client, leaseId)
      return stored
    }
    if (performance.now() > waitsUntil) throw notIssued(client.apiName, 'another request for one has not ended.')
    await delay(Math.min(pollMs, millisecondsUntil(waitsUntil)))
  }
}

async function storedToken({ database }: CredentialServices, { organizationId, id }: TokenClient) {
  const [row] = await database.query<Stored>(
    `select sealed_token as sealed, expires_at as "expiresAt" from extensions.named_credential_token
     where organization_id = $1 and credential_id = $2`,
    [organizationId, id],
  )
  return row
}

async function usableToken(
  { vault, clock }: CredentialServices,
  { organizationId, id }: TokenClient,
  refused: string | null,
  stored: Stored | undefined,
): Promise<string | null> {
  if (!stored?.sealed || Date.parse(stored.expiresAt ?? '') <= clock.now().getTime()) return null
  await vault.load(organizationId, stored.sealed)
  const token = vault.open(organizationId, tokenPlace(organizationId, id), stored.sealed)
  return token === refused ? null : token
}

async function takeLease(
  { database, clock }: CredentialServices,
  { organizationId, id }: TokenClient,
  leaseId: string,
): Promise<Stored | undefined> {
  const now = clock.now().getTime()
  const [row] = await database.query<Stored>(
    `insert into extensions.named_credential_token as t (organization_id, credential_id, lease_id, lease_until)
     values ($1, $2, $3, $4)
     on conflict (organization_id, credential_id) do update set lease_id = excluded.lease_id, lease_until = excluded.lease_until
       where t.lease_until is null or t.lease_until <= $5
     returning sealed_token as sealed, expires_at as "expiresAt"`,
    [organizationId, id, leaseId, new Date(now + leaseMs).toISOString(), new Date(now).toISOString()],
  )
  return row
}

const endLease = ({ database }: CredentialServices, { organizationId, id }: TokenClient, leaseId: string) =>
  database.query(
    `update extensions.named_credential_token set lease_id = null, lease_until = null
     where organization_id = $1 and credential_id = $2 and lease_id = $3`,
    [organizationId, id, leaseId],
  )

async function fetchWithLease(
  services: CredentialServices,
  client: TokenClient,
  leaseId: string,
  endsAt: number,
): Promise<string> {
  const { organizationId, id } = client
  try {
    const { token, lifetimeMs } = await fetchToken(services, client, endsAt)
    await services.vault.load(organizationId)
    const sealed = services.vault.seal(organizationId, tokenPlace(organizationId, id), token)
    const expiresAt = new Date(services.clock.now().getTime() + usedMs(lifetimeMs)).toISOString()
    // Without the lease the settings or the secret have changed meanwhile, and the token is used for this request only.
    await services.database.query(
      `update extensions.named_credential_token set sealed_token = $4, expires_at = $5, lease_id = null, lease_until = null
       where organization_id = $1 and credential_id = $2 and lease_id = $3`,
      [organizationId, id, leaseId, sealed, expiresAt],
    )
    return token
  } catch (error) {
    await endLease(services, client, leaseId)
    throw error
  }
}

const formText = (text: string): string => new URLSearchParams({ v: text }).toString().slice(2)

async function fetchToken({ outbound }: CredentialServices, client: TokenClient, endsAt: number) {
  const { apiName, clientId, clientSecret, scopes } = client
  const basic = Buffer.from(`${formText(clientId)}:${formText(clientSecret)}`).toString('base64')
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  if (scopes.length > 0) form.set('scope', scopes.join(' '))
  let answer: OutboundAnswer
  try {
    answer = await outbound.send({
      method: 'POST',
      url: client.tokenUrl,
      headers: {
        accept: 'application/json',
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: form.toString(),
      timeoutMs: Math.min(client.timeoutMs, millisecondsUntil(endsAt)),
      answerBytesMax,
    })
  } catch (error) {
    if (error instanceof OutboundError) throw notIssued(apiName, error.message)
    throw error
  }
  if (answer.status !== 200) throw notIssued(apiName, `the token endpoint answered with status ${answer.status}.`)
  const issued = issuedToken(answer.body.toString('utf8'))
  if (!issued) throw notIssued(apiName, 'the token endpoint answered without a bearer token.')
  return issued
}

/** What the token endpoint has answered; null if it is no bearer token. */
function issuedToken(text: string): { token: string; lifetimeMs: number } | null {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return null
  }
  if (!isJsonObject(answer)) return null
  const { access_token: token, token_type: type = 'bearer', expires_in: seconds } = answer as Record<string, unknown>
  if (typeof token !== 'string' || !tokenText.test(token)) return null
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') return null
  const given = Number(seconds)
  const isStated = Number.isFinite(given) && given > 0 && given < 1e8
  return { token, lifetimeMs: isStated ? given * 1_000 : lifetimeWithoutStatementMs }
}

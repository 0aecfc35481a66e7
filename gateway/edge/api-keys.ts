import { inAllowList } from '../../subgraphs/kernel/network/address.ts'
import {
  parseApiKey,
  type ApiKeyRecord,
  type CredentialSource,
  userStateRefusal,
} from '../../subgraphs/kernel/credentials/public.ts'
import type { Counters } from '../../subgraphs/kernel/counters/counters.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { isBlockedPath } from './blocked-path.ts'
import { chain } from './chain.ts'
import { keyCredential } from './quota.ts'
import type { KeyCredential } from './quota.ts'
import { RecordCache } from './record-cache.ts'
import { FailedKeyThrottle } from './throttle.ts'

export interface KeyCheck {
  /** Null when no such key exists. */
  readonly key: KeyCredential | null
  readonly refusal: Refusal | null
}

export interface KeyRequest {
  readonly secret: string
  readonly address: string
  readonly target: string
}

const unknownKey = () => new Refusal('API_KEY_INVALID', 'This API key is not valid.')

/** The reason why the key is not authenticated, or null. The order of the checks is the documented one. */
function authenticationRefusal(record: ApiKeyRecord, nowMs: number): Refusal | null {
  const { revokedAt, expiresAt, previousSecretExpiresAt } = record
  if (revokedAt) return new Refusal('API_KEY_INVALID', 'This API key was revoked.')
  if (expiresAt && expiresAt.getTime() <= nowMs) return new Refusal('API_KEY_EXPIRED', 'This API key has expired.')
  if (previousSecretExpiresAt && previousSecretExpiresAt.getTime() <= nowMs) {
    return new Refusal('API_KEY_EXPIRED', 'This API key was rotated and its overlap has ended; use the new secret.')
  }
  const code = userStateRefusal(record)
  return code && new Refusal(code, standingMessages[code])
}

const standingMessages = {
  ORGANIZATION_SUSPENDED: 'The organization is suspended.',
  API_KEY_OWNER_INACTIVE: 'The owner of this API key is deactivated.',
  API_KEY_OWNER_NOT_IN_ORG: 'The owner of this API key has left the organization.',
}

/** The reason why an authenticated key may not make this request, or null. */
function admissionRefusal(record: ApiKeyRecord, { address, target }: KeyRequest): Refusal | null {
  if (!inAllowList(address, record.ipAllowList)) {
    return new Refusal('API_KEY_IP_NOT_ALLOWED', "This address is not in the API key's allow-list.")
  }
  if (isBlockedPath(target)) {
    return new Refusal('API_KEY_SCOPE_BLOCKED', 'API keys cannot call this path; it needs a signed-in session.')
  }
  return null
}

/**
 * Checks an API key before the scope check:
 * throttle, format, lookup, revoked, expired, organization, owner, allow-list, blocked paths.
 * Each 401 answer counts as a failed authentication of the address; other answers do not.
 */
export class ApiKeys {
  readonly #throttle: FailedKeyThrottle
  readonly #records: RecordCache<KeyCredential>

  constructor(counters: Counters, source: CredentialSource) {
    this.#throttle = new FailedKeyThrottle(counters)
    this.#records = new RecordCache({
      load: async (hash) => {
        const record = await source.findApiKey(hash)
        return record && keyCredential(record)
      },
      organizationOf: ({ record }) => record.organizationId,
    })
  }

  check(request: KeyRequest, nowMs: number): KeyCheck | Promise<KeyCheck> {
    return chain(this.#throttle.check(request.address, nowMs), (refusal) => {
      if (refusal) return { key: null, refusal }
      return chain(this.#find(request, nowMs), (key) => this.#checkFound(key, request, nowMs))
    })
  }

  /** Checks again a key that was admitted before. The throttle of failed keys is neither applied nor counted. */
  recheck(request: KeyRequest, nowMs: number): KeyCheck | Promise<KeyCheck> {
    return chain(this.#find(request, nowMs), (key) => ({
      key,
      refusal: key ? (authenticationRefusal(key.record, nowMs) ?? admissionRefusal(key.record, request)) : unknownKey(),
    }))
  }

  forget(hashOrOrganizationId: string): void {
    this.#records.forget(hashOrOrganizationId)
  }

  #find({ secret }: KeyRequest, nowMs: number): KeyCredential | null | Promise<KeyCredential | null> {
    const parsed = parseApiKey(secret)
    return parsed && this.#records.get(parsed.hash, nowMs)
  }

  #checkFound(key: KeyCredential | null, request: KeyRequest, nowMs: number): KeyCheck | Promise<KeyCheck> {
    const failure = key ? authenticationRefusal(key.record, nowMs) : unknownKey()
    if (failure) return chain(this.#throttle.failed(request.address, nowMs, failure), (refusal) => ({ key, refusal }))
    return { key, refusal: key && admissionRefusal(key.record, request) }
  }
}

import { inAllowList } from '../../subgraphs/kernel/network/address.ts'
import {
  parseApiKey,
  type ApiKeyRecord,
  type CredentialSource,
  userStateRefusal,
} from '../../subgraphs/kernel/credentials/public.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { isBlockedPath } from './blocked-path.ts'
import { chain } from './chain.ts'
import { keyCredential } from './quota.ts'
import type { KeyCredential } from './quota.ts'
import { RecordCache } from './record-cache.ts'

export interface KeyCheck {
  /** Null when no such key exists. */
  readonly key: KeyCredential | null
  readonly refusal: Refusal | null
  /** Whether the refusal is a 401, which counts as a failed authentication of the address. */
  readonly isFailure: boolean
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

function checkFound(key: KeyCredential | null, request: KeyRequest, nowMs: number): KeyCheck {
  const failure = key ? authenticationRefusal(key.record, nowMs) : unknownKey()
  if (failure) return { key, refusal: failure, isFailure: true }
  return { key, refusal: key && admissionRefusal(key.record, request), isFailure: false }
}

/** Checks an API key before the scope check: format, lookup, revoked, expired, organization, owner, allow-list, blocked paths. */
export class ApiKeys {
  readonly #records: RecordCache<KeyCredential>

  constructor(source: CredentialSource) {
    this.#records = new RecordCache({
      load: async (hash) => {
        const record = await source.findApiKey(hash)
        return record && keyCredential(record)
      },
      organizationOf: ({ record }) => record.organizationId,
    })
  }

  check(request: KeyRequest, nowMs: number): KeyCheck | Promise<KeyCheck> {
    const parsed = parseApiKey(request.secret)
    return chain(parsed && this.#records.get(parsed.hash, nowMs), (key) => checkFound(key, request, nowMs))
  }

  /** Undefined when the key must be read first. */
  checkCached(request: KeyRequest, nowMs: number): KeyCheck | undefined {
    const parsed = parseApiKey(request.secret)
    const key = parsed && this.#records.getCached(parsed.hash, nowMs)
    return key === undefined ? undefined : checkFound(key, request, nowMs)
  }

  forget(hashOrOrganizationId: string): void {
    this.#records.forget(hashOrOrganizationId)
  }
}

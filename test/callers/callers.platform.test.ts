import { beforeAll, describe, expect, it } from 'vitest'
import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import { restContract } from '../contract-of-rest.ts'
import { statusOfCode } from '../../subgraphs/kernel/errors.ts'
import { usePlatform } from '../platform.ts'
import { flawsOf } from '../requests/problem.ts'
import type { ValidRequest } from '../requests/requests.ts'
import { deadlineMs, type RawResponse } from '../requests/send.ts'
import { Sweep } from '../requests/sweep.ts'
import type { Access } from './access.ts'
import { recordsOf } from './callers.ts'
import type { Caller } from './kinds-of-callers.ts'
import { operationsOfCallers, triedAt } from './tried.ts'
import { createCallerFixture, type CallerFixture } from './caller-fixture.ts'

const { version } = restContract()
const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
let fixture: CallerFixture
beforeAll(async () => {
  fixture = await createCallerFixture(platform)
}, 30_000)

/** Checks the headers that every response carries, for every caller. */
function expectHeaders({ hasQuotaHeaders }: Caller, { status, headers }: RawResponse): void {
  expect(headers['x-request-id']).toMatch(/^req_[0-9a-f-]{36}$/)
  expect(headers['api-version']).toBe(version)
  const limit = headers['ratelimit-limit']
  expect(limit !== undefined).toBe(hasQuotaHeaders)
  if (!hasQuotaHeaders) return
  expect(headers['ratelimit-remaining']).toMatch(/^\d+$/)
  expect(headers['ratelimit-reset']).toMatch(/^[1-9]\d*$/)
  expect(headers['ratelimit-policy']).toMatch(new RegExp(`^${limit};w=(60|3600|86400)$`))
  if (status === 429)
    expect([headers['ratelimit-remaining'], headers['retry-after']]).toEqual(['0', headers['ratelimit-reset']])
}

type Headers = ValidRequest['headers']

async function ask(
  caller: Caller,
  access: Access,
  request: ValidRequest,
  headers: Headers,
): Promise<[RawResponse, string[]]> {
  const requests = recordsOf(caller, fixture, access)
  const asked = { ...request, headers }
  const answer = await requests.send(asked)
  return [answer, answer.status < 400 ? [] : flawsOf(requests.sent(asked), answer)]
}

/** A refusal names the scopes that the caller lacks: some of the required ones, in any order. */
function requiredBy(
  { scopes }: Pick<Access, 'scopes'>,
  missing: readonly string[] | undefined,
): readonly string[] | undefined {
  const isPart = missing !== undefined && missing.length > 0 && missing.every((scope) => scopes.includes(scope))
  return isPart ? scopes : missing
}

/**
 * How an operation refuses a record out of sight. It keeps its key, so an upsert neither changes it nor creates another one; the account that a new
 * opportunity must name is out of sight, too.
 */
function outOfSight({ documentId }: RestOperation): 'NOT_FOUND' | 'UNIQUE_VIOLATION' | 'VALIDATION_FAILED' {
  if (!documentId.endsWith('Upsert')) return 'NOT_FOUND'
  return documentId === 'opportunityUpsert' ? 'VALIDATION_FAILED' : 'UNIQUE_VIOLATION'
}

const sweep = new Sweep()
const tried = operationsOfCallers.map((operation) => [operation.id, triedAt(operation, sweep)] as const)

describe.each(tried)('%s', (_, { operation, access, refused }) => {
  it('is refused and changes nothing', { timeout: deadlineMs * 2 }, async () => {
    const request = await fixture.requests.valid(operation)
    const headers: Headers[] = []
    for (const caller of refused) headers.push(await caller.headers(fixture, access))
    const before = await platform.fingerprint()
    const found: unknown[] = []
    for (const [index, caller] of refused.entries()) {
      const [answer, flaws] = await ask(caller, access, request, headers[index]!)
      expectHeaders(caller, answer)
      found.push([caller.name, answer.status, answer.body.code, requiredBy(access, answer.body.missingScopes), flaws])
    }
    expect(found).toEqual(
      refused.map((caller) => {
        const refusal = caller.refusal(access)!
        const code = refusal === 'NOT_FOUND' ? outOfSight(operation) : refusal
        const scopes = code.endsWith('_SCOPE_INSUFFICIENT') ? access.scopes : undefined
        return [caller.name, statusOfCode[code], code, scopes, []]
      }),
    )
    expect(await platform.fingerprint()).toBe(before)
  })
})

// Accepted requests run after the refusals, because those check that all stored records are unchanged, and some answers are streams.
describe.each(tried.filter(([, { allowed }]) => allowed.length > 0))('%s', (_, { operation, access, allowed }) => {
  it.each(allowed.map((caller) => [caller.name, caller] as const))('is open to %s', async (_name, caller) => {
    const request = await recordsOf(caller, fixture, access).valid(operation, { fresh: operation.method !== 'get' })
    const [answer] = await ask(caller, access, request, await caller.headers(fixture, access))
    expect([answer.status, answer.status < 400 ? null : answer.body]).toEqual([operation.success.status, null])
    expectHeaders(caller, answer)
  })
})

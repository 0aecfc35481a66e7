import { beforeAll, describe, expect, it } from 'vitest'
import { restContract } from '../contract-of-rest.ts'
import { operationsOfCallers, triedAt } from '../callers/tried.ts'
import type { OperationObject } from '../../rest-adapter/openapi.ts'
import { usePlatform, type Member } from '../platform.ts'
import { Requests } from '../requests/requests.ts'
import { isFullSweep, Sweep } from '../requests/sweep.ts'
import { sessionOf } from '../requests/session.ts'

const { operations, document } = restContract()
const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
let requests: Requests
let withKey: Member
beforeAll(async () => {
  const organizationId = await platform.organization()
  requests = await Requests.of(platform, await platform.member({ organizationId, role: 'OWNER' }))
  withKey = await platform.member({ organizationId, role: 'MEMBER' })
})

const rolesOf = (described: OperationObject) =>
  (described as { 'x-required-roles'?: readonly string[] })['x-required-roles'] ?? null

/** The kind of credential that the operation accepts, of a user without a privileged role. */
async function asMember(takesKey: boolean): Promise<Record<string, string>> {
  if (takesKey) return { ...withKey.headers }
  // Some operations change the user of the session, such as the password.
  const member = await platform.member({ organizationId: requests.member.organizationId, role: 'MEMBER' })
  return { Authorization: `Bearer ${await sessionOf(platform, member)}` }
}

const sweep = new Sweep(false)
const triedByCallers = new Set(
  operationsOfCallers
    .map((operation) => triedAt(operation, sweep))
    .filter(({ access, allowed }) => access.roles !== null || allowed.some(({ isMember }) => isMember))
    .map(({ operation }) => operation.id),
)
// An alias path has the same document. `test/callers` refuses every MEMBER whom the roles of an operation exclude, and tries one elsewhere.
const ofUsers = operations.filter(
  ({ id, documentId, isPublic }) => !isPublic && (isFullSweep || (id === documentId && !triedByCallers.has(id))),
)

describe('x-required-roles', () => {
  it.each(ofUsers.map((operation) => [operation.id, operation] as const))(
    '%s names roles if, and only if, its role rule refuses a MEMBER',
    async (_, operation) => {
      const roles = rolesOf(document.paths[operation.path]![operation.method]!)
      const isChanging = operation.method !== 'get' && (roles === null || roles.includes('MEMBER'))
      const request = await requests.valid(operation, { fresh: isChanging })
      const headers = await asMember(operation.scopes.length > 0)
      const before = await platform.fingerprint()
      const { body } = (await requests.send({ ...request, headers })) as { body: Record<string, unknown> | null }
      const isRefused = body?.['code'] === 'PERMISSION_DENIED'
      expect(isRefused).toBe(roles !== null && !roles.includes('MEMBER'))
      if (isRefused) expect(await platform.fingerprint()).toBe(before)
    },
  )
})

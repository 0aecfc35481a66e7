import { beforeAll, describe, expect, it } from 'vitest'
import { restContract } from '../contract-of-rest.ts'
import type { OperationObject } from '../../rest-adapter/openapi.ts'
import { usePlatform } from '../platform.ts'
import { Requests } from '../requests/requests.ts'
import { sessionOf } from '../requests/session.ts'

const { operations, document } = restContract()
const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
let requests: Requests
beforeAll(async () => {
  const organizationId = await platform.organization()
  requests = await Requests.of(platform, await platform.member({ organizationId, role: 'OWNER' }))
})

const rolesOf = (described: OperationObject) =>
  (described as { 'x-required-roles'?: readonly string[] })['x-required-roles'] ?? null

/** A user without a privileged role, with the kind of credential that the operation accepts. */
async function asMember(takesKey: boolean): Promise<Record<string, string>> {
  const member = await platform.member({ organizationId: requests.member.organizationId, role: 'MEMBER' })
  return takesKey ? { ...member.headers } : { Authorization: `Bearer ${await sessionOf(platform, member)}` }
}

describe('x-required-roles', () => {
  it.each(operations.filter(({ isPublic }) => !isPublic).map((operation) => [operation.id, operation] as const))(
    '%s names roles if, and only if, its role rule refuses a MEMBER',
    async (_, operation) => {
      const roles = rolesOf(document.paths[operation.path]![operation.method]!)
      const request = await requests.valid(operation, { fresh: operation.method !== 'get' })
      const headers = await asMember(operation.scopes.length > 0)
      const before = await platform.fingerprint()
      const { body } = (await requests.send({ ...request, headers })) as { body: Record<string, unknown> | null }
      const isRefused = body?.['code'] === 'PERMISSION_DENIED'
      expect(isRefused).toBe(roles !== null && !roles.includes('MEMBER'))
      if (isRefused) expect(await platform.fingerprint()).toBe(before)
    },
  )
})

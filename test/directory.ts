import type { Member, Platform } from './platform.ts'
import { sessionOf } from './requests/session.ts'
import { answerOf, restClient, type Answer, type RestClient } from './rest-client.ts'

export type Scim = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

export interface Directory {
  readonly organizationId: string
  readonly owner: Member
  readonly admin: RestClient
  readonly token: string
  readonly scim: Scim
}

export const scimWith =
  (platform: Platform, token: string): Scim =>
  async (method, path, body, headers = {}) =>
    answerOf(
      await fetch(`${platform.url}/v1/scim/v2${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/scim+json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )

/** A new organization whose owner has created a SCIM token. */
export async function newDirectory(platform: Platform): Promise<Directory> {
  const organizationId = await platform.organization()
  const owner = await platform.member({ organizationId, role: 'OWNER' })
  const session = { Authorization: `Bearer ${await sessionOf(platform, owner)}` }
  const admin = restClient(platform.contract, platform.url, session)
  const { token } = (await admin.scimTokenRotate!()).body
  return { organizationId, owner, admin, token, scim: scimWith(platform, token) }
}

export const patch = (...Operations: unknown[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})

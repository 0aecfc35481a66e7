import type { Caller, Role } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { anonymous, type IdentityWorld, type AnswerPart } from '../identity.fixture.ts'

/** A signed-in user, of a new organization unless one is given. */
export async function aSignedInUser(
  world: IdentityWorld,
  role: Role = 'MEMBER',
  organizationId?: string,
): Promise<Caller> {
  const organization = organizationId ?? (await world.anOrganization()).id
  const user = await world.aUser(organization, { role, visibility: 'ALL' })
  return {
    ...anonymous,
    kind: 'SESSION',
    organizationId: organization,
    userId: user.id,
    role,
    visibility: 'ALL',
    ownerIds: null,
    credentialId: newId(),
  }
}

export const keyFields = `id name prefix scopes rateLimit { limit window } ipAllowList expiresAt expiresSoon status revokedAt
  previousSecretExpiresAt ownerId version secret`

const creating = `mutation($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) { ${keyFields} } }`

export async function aKeyOf(world: IdentityWorld, caller: Caller, input: object = {}): Promise<AnswerPart> {
  const given = { name: 'Sync', scopes: ['READ_ACCOUNTS'], ...input }
  return (await world.run(creating, { input: given }, caller)).data.apiKeyCreate!
}

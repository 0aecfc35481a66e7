import { roles } from '../../subgraphs/kernel/context.ts'
import { ScimRefusal } from './scim-error.ts'
import { attributeOf, flag, isObject, primaryValue, text, type Attributes } from './values.ts'

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'

/** As the graph answers. */
export interface GraphUser {
  readonly id: string
  readonly externalId: string | null
  readonly userName: string
  readonly displayName: string
  readonly givenName: string | null
  readonly familyName: string | null
  readonly active: boolean
  readonly role: string
  readonly groups: readonly { readonly id: string; readonly name: string }[]
  readonly createdAt: string
  readonly updatedAt: string
}

export const userFields = `id externalId userName displayName givenName familyName active role groups { id name } createdAt updatedAt`

/** Of the graph: what is absent stays, null takes back. */
export type UserInput = Record<string, string | boolean | null>

export function userResource(user: GraphUser, base: string): object {
  const { id, externalId, userName, displayName, givenName, familyName, active, role, groups } = user
  return {
    schemas: [userSchema],
    id,
    ...(externalId !== null && { externalId }),
    userName,
    displayName,
    name: {
      formatted: displayName,
      ...(givenName !== null && { givenName }),
      ...(familyName !== null && { familyName }),
    },
    active,
    emails: [{ value: userName, type: 'work', primary: true }],
    roles: [{ value: role, primary: true }],
    groups: groups.map((group) => ({ value: group.id, display: group.name, $ref: `${base}/Groups/${group.id}` })),
    meta: {
      resourceType: 'User',
      created: user.createdAt,
      lastModified: user.updatedAt,
      location: `${base}/Users/${id}`,
    },
  }
}

function role(value: unknown): string | null | undefined {
  const name = primaryValue(value, 'roles')
  if (name == null) return name === null ? 'MEMBER' : undefined
  if (!roles.some((known) => known === name))
    throw new ScimRefusal('invalidValue', `roles is one of ${roles.join(', ')}.`)
  return name
}

const given = (input: Readonly<Record<string, string | boolean | null | undefined>>): UserInput =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as UserInput

/** What one attribute of a user says; null for one that we neither have nor need, which a directory may send all the same. */
export function userAttribute(name: string, value: unknown): UserInput | null {
  switch (name.toLowerCase()) {
    case 'username':
      return given({ userName: text(value, 'userName') ?? undefined })
    case 'externalid':
      return given({ externalId: text(value, 'externalId') })
    case 'displayname':
    case 'name.formatted':
      return given({ displayName: text(value, 'displayName') })
    case 'active':
      return given({ active: flag(value, 'active') })
    case 'name':
      return isObject(value)
        ? given({
            givenName: text(attributeOf(value, 'givenName'), 'name.givenName'),
            familyName: text(attributeOf(value, 'familyName'), 'name.familyName'),
          })
        : given({ givenName: null, familyName: null })
    case 'name.givenname':
      return given({ givenName: text(value, 'name.givenName') })
    case 'name.familyname':
      return given({ familyName: text(value, 'name.familyName') })
    case 'roles':
      return given({ role: role(value) })
    // The address is the userName; what a directory says beside it is compared and not kept.
    case 'emails':
      primaryValue(value, 'emails')
      return {}
    default:
      return null
  }
}

/** Attributes of a whole user that we do not keep are dropped, as RFC 7644 lets a service do; a password among them. */
export const userInput = (attributes: Attributes): UserInput =>
  Object.assign({}, ...Object.entries(attributes).map(([name, value]) => userAttribute(name, value) ?? {})) as UserInput

/** What a replacement does not say is taken back, as far as it may be absent. */
export const replacedUser = (attributes: Attributes): UserInput => ({
  externalId: null,
  givenName: null,
  familyName: null,
  ...userInput(attributes),
})

import { roles } from '../../subgraphs/kernel/context.ts'
import { ScimRefusal } from './scim-error.ts'
import { attributeOf, flag, isObject, primaryValue, text, type Attributes } from './values.ts'

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'

/** The extension with the manager. Its other attributes, such as the department, are not kept. */
export const enterpriseSchema = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** A user in the graph. */
export interface GraphUser {
  readonly id: string
  readonly externalId: string | null
  readonly userName: string
  readonly displayName: string
  readonly givenName: string | null
  readonly familyName: string | null
  readonly active: boolean
  readonly role: string
  readonly manager: { readonly id: string; readonly name: string } | null
  readonly groups: readonly { readonly id: string; readonly name: string }[]
  readonly createdAt: string
  readonly updatedAt: string
}

export const userFields = `id externalId userName displayName givenName familyName active role manager { id name } groups { id name } createdAt updatedAt`

/** The input of the graph: an absent field stays unchanged, null removes its value. */
export type UserInput = Record<string, string | boolean | null>

export function userResource(user: GraphUser, base: string): object {
  const { id, externalId, userName, displayName, givenName, familyName, active, role, groups, manager } = user
  return {
    schemas: manager ? [userSchema, enterpriseSchema] : [userSchema],
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
    ...(manager && {
      [enterpriseSchema]: {
        manager: { value: manager.id, displayName: manager.name, $ref: `${base}/Users/${manager.id}` },
      },
    }),
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
    throw new ScimRefusal('invalidValue', `roles must be one of ${roles.join(', ')}.`)
  return name
}

/** A manager as `{value}`, which RFC 7643 defines, or as a plain id, which Microsoft Entra ID sends; null or an empty id removes it. */
const managerOf = (value: unknown): string | null => primaryValue(value, 'manager') || null

/** The input for one attribute of the enterprise extension, `manager` or `manager.value`; others are not kept. */
export const enterpriseAttribute = (name: string, value: unknown): UserInput =>
  /^manager(?:\.value)?$/i.test(name) ? { managerId: managerOf(value) } : {}

function enterprise(value: unknown): UserInput {
  const manager = isObject(value) ? attributeOf(value, 'manager') : undefined
  return manager === undefined ? {} : enterpriseAttribute('manager', manager)
}

const withoutUndefined = (input: Readonly<Record<string, string | boolean | null | undefined>>): UserInput =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as UserInput

/** The input for one attribute of a user; null for one that we do not keep. Only `userName` changes the address. */
export function userAttribute(name: string, value: unknown): UserInput | null {
  switch (name.toLowerCase()) {
    case 'username':
      return withoutUndefined({ userName: text(value, 'userName') ?? undefined })
    case 'externalid':
      return withoutUndefined({ externalId: text(value, 'externalId') })
    case 'displayname':
    case 'name.formatted':
      return withoutUndefined({ displayName: text(value, 'displayName') })
    case 'active':
      return withoutUndefined({ active: flag(value, 'active') })
    case 'name':
      return isObject(value)
        ? withoutUndefined({
            givenName: text(attributeOf(value, 'givenName'), 'name.givenName'),
            familyName: text(attributeOf(value, 'familyName'), 'name.familyName'),
          })
        : withoutUndefined({ givenName: null, familyName: null })
    case 'name.givenname':
      return withoutUndefined({ givenName: text(value, 'name.givenName') })
    case 'name.familyname':
      return withoutUndefined({ familyName: text(value, 'name.familyName') })
    case 'roles':
      return withoutUndefined({ role: role(value) })
    case enterpriseSchema.toLowerCase():
      return enterprise(value)
    case `${enterpriseSchema}:manager`.toLowerCase():
      return enterpriseAttribute('manager', value)
    default:
      return null
  }
}

/** Reads a complete user. Unknown attributes and passwords are dropped, which RFC 7644 allows. */
export const userInput = (attributes: Attributes): UserInput =>
  Object.assign({}, ...Object.entries(attributes).map(([name, value]) => userAttribute(name, value) ?? {})) as UserInput

/** Whether the request names the enterprise extension, so that an absent manager means none. */
const hasEnterprise = (attributes: Attributes): boolean => {
  const named = attributeOf(attributes, 'schemas')
  const names = [...Object.keys(attributes), ...(Array.isArray(named) ? (named as unknown[]) : [])]
  return names.some((name) => typeof name === 'string' && name.toLowerCase() === enterpriseSchema.toLowerCase())
}

/** Reads a replacement: nullable attributes that are not given become null; the manager only if the request names its extension. */
export const replacedUser = (attributes: Attributes): UserInput => ({
  ...(hasEnterprise(attributes) && { managerId: null }),
  externalId: null,
  givenName: null,
  familyName: null,
  ...userInput(attributes),
})

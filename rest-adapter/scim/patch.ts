import { ScimRefusal } from './scim-error.ts'
import { isUnkept } from './unkept.ts'
import { enterpriseAttribute, enterpriseSchema, userAttribute, type UserInput } from './user-resource.ts'
import { attributeOf, isObject, memberIds, text, type Attributes } from './values.ts'

const operationsMax = 100

interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string | null
  readonly value: unknown
}

/** The operations of a PatchOp. The case of `op` is ignored, because Azure AD sends `Add` and `Replace`. */
export function operationsOf(body: Attributes): PatchOperation[] {
  const operations = attributeOf(body, 'Operations')
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > operationsMax) {
    throw new ScimRefusal('invalidSyntax', `Operations must be a list of 1 to ${operationsMax} operations.`)
  }
  return (operations as unknown[]).map((operation) => {
    if (!isObject(operation)) throw new ScimRefusal('invalidSyntax', 'An operation must be an object.')
    const op = String(attributeOf(operation, 'op')).toLowerCase()
    if (op !== 'add' && op !== 'replace' && op !== 'remove') {
      throw new ScimRefusal('invalidSyntax', 'op must be add, replace or remove.')
    }
    const path = text(attributeOf(operation, 'path'), 'path')?.trim() || null
    if (op === 'remove' && path === null) throw new ScimRefusal('noTarget', 'remove must have a path.')
    const value = attributeOf(operation, 'value')
    if (op !== 'remove' && value === undefined) throw new ScimRefusal('invalidValue', `${op} must have a value.`)
    return { op, path, value }
  })
}

const unknownPath = (path: string) =>
  new ScimRefusal('invalidPath', `path must name a known attribute; ${path.slice(0, 100)} is not known.`)

const schemaPrefix = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i
/** Attributes of other schema extensions. They are ignored, because directories send them anyway. */
const extension = /^urn:(?!ietf:params:scim:schemas:core:)[a-z0-9][a-z0-9-]{0,31}:.+$/is
const enterprisePath = new RegExp(`^${enterpriseSchema.replaceAll('.', '\\.')}:(.+)$`, 'is')
const roleValue = /^roles\[\s*(?:type|primary|value)\s+eq\s+(?:"\w+"|true)\s*\](?:\.value)?$/i

function userChange({ op, path, value }: PatchOperation): UserInput {
  const newValue = op === 'remove' ? null : value
  if (path === null) {
    if (!isObject(newValue))
      throw new ScimRefusal('invalidValue', 'Without a path, value must be an object of attributes.')
    return Object.assign(
      {},
      ...Object.entries(newValue).map(([name, inner]) => userChange({ op, path: name, value: inner })),
    )
  }
  const name = path.replace(schemaPrefix, '')
  const [, inEnterprise] = enterprisePath.exec(name) ?? []
  if (inEnterprise !== undefined) return enterpriseAttribute(inEnterprise, newValue)
  if (name.toLowerCase() === enterpriseSchema.toLowerCase())
    return newValue === null ? { managerId: null } : (userAttribute(name, newValue) ?? {})
  if (extension.test(name)) return {}
  if (roleValue.test(name)) return userAttribute('roles', newValue) ?? {}
  if (op === 'remove' && /^(userName|active)$/i.test(name)) {
    throw new ScimRefusal('mutability', `${name} must not be removed.`)
  }
  const change = userAttribute(name, newValue)
  if (change !== null) return change
  if (isUnkept('User', name)) return {}
  throw unknownPath(path)
}

/** Combines all operations into one change, which is applied atomically. A later operation overrides an earlier one. */
export const patchedUser = (body: Attributes): UserInput =>
  Object.assign({}, ...operationsOf(body).map(userChange)) as UserInput

export interface GroupInput {
  displayName?: string | null
  externalId?: string | null
  members?: string[]
  joining?: string[]
  leaving?: string[]
}

const memberValue = /^members\[\s*value\s+eq\s+"([^"\\]{1,100})"\s*\]$/i

function groupAttribute(input: GroupInput, name: string, { op, value }: PatchOperation): void {
  if (extension.test(name)) return
  switch (name.toLowerCase()) {
    case 'displayname':
      if (op === 'remove') throw new ScimRefusal('mutability', 'displayName must not be removed.')
      input.displayName = text(value, 'displayName') ?? null
      return
    case 'externalid':
      input.externalId = op === 'remove' ? null : (text(value, 'externalId') ?? null)
      return
    case 'members':
      return changeMembers(input, op, value)
    default:
      if (!isUnkept('Group', name)) throw unknownPath(name)
  }
}

function changeMembers(input: GroupInput, op: PatchOperation['op'], value: unknown): void {
  const ids = value === undefined || value === null ? null : memberIds(value)
  if (op === 'replace' || (op === 'remove' && ids === null)) {
    Object.assign(input, { members: ids ?? [], joining: [], leaving: [] })
  } else if (op === 'add') {
    input.leaving = (input.leaving ?? []).filter((id) => !ids?.includes(id))
    input.joining = [...(input.joining ?? []), ...(ids ?? [])]
  } else {
    input.joining = (input.joining ?? []).filter((id) => !ids?.includes(id))
    input.leaving = [...(input.leaving ?? []), ...(ids ?? [])]
  }
}

export function patchedGroup(body: Attributes): GroupInput {
  const input: GroupInput = {}
  for (const operation of operationsOf(body)) {
    const name = operation.path?.replace(schemaPrefix, '') ?? null
    const [, member] = memberValue.exec(name ?? '') ?? []
    if (member !== undefined) {
      if (operation.op !== 'remove') throw unknownPath(operation.path!)
      changeMembers(input, 'remove', member)
    } else if (name !== null) groupAttribute(input, name, operation)
    else if (isObject(operation.value)) {
      for (const [inner, value] of Object.entries(operation.value))
        groupAttribute(input, inner, { ...operation, value })
    } else throw new ScimRefusal('invalidValue', 'Without a path, value must be an object of attributes.')
  }
  return input
}

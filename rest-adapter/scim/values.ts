import { ScimRefusal } from './scim-error.ts'

export type Attributes = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Attributes =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Attribute names are compared case-insensitively (RFC 7643, section 2.1). */
export function attributeOf(attributes: Attributes, name: string): unknown {
  const key = Object.keys(attributes).find((candidate) => candidate.toLowerCase() === name.toLowerCase())
  return key === undefined ? undefined : attributes[key]
}

/** Text; null removes the value; undefined if it is not given. */
export function text(value: unknown, name: string): string | null | undefined {
  if (value === undefined || value === null) return value
  if (typeof value !== 'string') throw new ScimRefusal('invalidValue', `${name} must be text.`)
  return value
}

/** A boolean; also "True" and "False", because Azure AD sends them as text. */
export function flag(value: unknown, name: string): boolean | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return value
  if (typeof value === 'string' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  throw new ScimRefusal('invalidValue', `${name} must be true or false.`)
}

/** The primary value of a list of `{value, primary}`, because only one value is stored; also of a plain list or value. */
export function primaryValue(value: unknown, name: string): string | null | undefined {
  if (!Array.isArray(value)) return isObject(value) ? text(attributeOf(value, 'value'), name) : text(value, name)
  const items = value as unknown[]
  const chosen = items.find((item) => isObject(item) && attributeOf(item, 'primary') === true) ?? items[0]
  if (chosen === undefined) return null
  return primaryValue(isObject(chosen) ? attributeOf(chosen, 'value') : chosen, name)
}

const membersMax = 1000

/** Ids of members: `[{value}]`, one `{value}`, or plain ids. */
export function memberIds(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [value]
  if (items.length > membersMax)
    throw new ScimRefusal(
      'tooMany',
      `One operation must have at most ${membersMax} members; split it into several requests.`,
      413,
    )
  return items.map((item) => {
    const id = isObject(item) ? attributeOf(item, 'value') : item
    if (typeof id !== 'string') throw new ScimRefusal('invalidValue', 'value of a member must be its id.')
    return id
  })
}

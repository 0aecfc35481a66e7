import { ScimRefusal } from './scim-error.ts'

export type Attributes = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Attributes =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Names of attributes are compared without regard to case (RFC 7643, section 2.1). */
export function attributeOf(attributes: Attributes, name: string): unknown {
  const key = Object.keys(attributes).find((candidate) => candidate.toLowerCase() === name.toLowerCase())
  return key === undefined ? undefined : attributes[key]
}

/** Text, null to take it back, undefined when it is not given. */
export function text(value: unknown, name: string): string | null | undefined {
  if (value === undefined || value === null) return value
  if (typeof value !== 'string') throw new ScimRefusal('invalidValue', `${name} is text.`)
  return value
}

/** Azure AD sends "True" and "False" as text. */
export function flag(value: unknown, name: string): boolean | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return value
  if (typeof value === 'string' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  throw new ScimRefusal('invalidValue', `${name} is true or false.`)
}

/** The value of a list of `{value, primary}`, of which we keep one; also of a plain list or value. */
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
  if (items.length > membersMax) throw new ScimRefusal('tooMany', `At most ${membersMax} members at a time.`, 413)
  return items.map((item) => {
    const id = isObject(item) ? attributeOf(item, 'value') : item
    if (typeof id !== 'string') throw new ScimRefusal('invalidValue', 'A member is named by its id in value.')
    return id
  })
}

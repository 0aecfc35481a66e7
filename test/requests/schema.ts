import type { Contract } from '../../rest-adapter/contract.ts'
import { resolve, typesOf, type Schema } from '../../rest-adapter/openapi.ts'

export type Path = readonly (string | number)[]

/** One input of a body with its schema. */
export interface Field {
  readonly path: Path
  readonly schema: Schema
  readonly required: boolean
}

/** The schema without references. An object that may be null is described by two alternatives; the object schema then allows null. */
export function schemaAt({ document }: Contract, given: Schema): Schema {
  const schema = resolve<Schema>(document, given)
  const alternatives = ((schema['anyOf'] ?? []) as Schema[]).map((one) => resolve<Schema>(document, one))
  const [object, ...others] = alternatives.filter((one) => !typesOf(one).includes('null'))
  if (!object || others.length > 0 || alternatives.length !== 2) return schema
  return { ...object, type: [...typesOf(object), 'null'] }
}

export const allows = (schema: Schema, type: string): boolean => {
  const types = typesOf(schema)
  return types.length === 0 || types.includes(type)
}

export const isFreeForm = (schema: Schema): boolean =>
  typesOf(schema).includes('object') && schema['additionalProperties'] !== false && !schema.properties

/** Every input that a schema describes; lists are represented by their first item. */
export function fieldsOf(contract: Contract, given: Schema, path: Path = []): Field[] {
  const schema = schemaAt(contract, given)
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]): Field[] => {
    const inner = schemaAt(contract, property)
    const at = [...path, name]
    return [
      { path: at, schema: inner, required: schema.required?.includes(name) ?? false },
      ...fieldsOf(contract, inner, at),
    ]
  })
  if (!schema.items) return own
  const items = schemaAt(contract, schema.items)
  const at = [...path, 0]
  return [...own, { path: at, schema: items, required: false }, ...fieldsOf(contract, items, at)]
}

/** The value at a path of a body; undefined if the path does not exist. */
export function valueAt(body: unknown, path: Path): unknown {
  let value = body
  for (const key of path) value = (value as Record<string | number, unknown> | null | undefined)?.[key]
  return value
}

/** Returns `body` if it contains the path; otherwise adds the top-level property of `whole` that contains it. */
export function withPath(body: unknown, whole: unknown, path: Path): unknown {
  if (path.length < 2 || valueAt(body, path.slice(0, -1)) !== undefined) return body
  return { ...(body as object), [path[0]!]: valueAt(whole, path.slice(0, 1)) }
}

const raw = '@@raw@@'

/** The body as text with `text` as the value at a path; objects and lists on the path are created where the body has none. */
export function withText(body: unknown, path: Path, text: string): string {
  const copy: unknown = structuredClone(body ?? {})
  let at = copy as Record<string | number, unknown>
  for (const [index, key] of path.entries()) {
    if (index === path.length - 1) at[key] = raw
    else {
      if (typeof at[key] !== 'object' || at[key] === null) at[key] = typeof path[index + 1] === 'number' ? [] : {}
      at = at[key] as Record<string | number, unknown>
    }
  }
  return JSON.stringify(copy).replace(`"${raw}"`, () => text)
}

export function without(body: unknown, path: Path): unknown {
  const copy = structuredClone(body)
  let at = copy as Record<string | number, unknown>
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>
  delete at[path.at(-1)!]
  return copy
}

import type { Contract } from '../../rest-adapter/contract.ts'
import { typesOf, type Schema } from '../../rest-adapter/openapi.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { valuesOfField, valuesOfList } from './field-values.ts'
import { schemaAt } from './schema.ts'

/** Values of reference fields, by field name. */
export type ReferenceOf = (name: string) => string | null

let counter = 0

/** A prefix that no other sample has, for unique columns. */
export const freshPrefix = (): string => `s${(++counter).toString(36)}-`
const freshText = (): string => `${freshPrefix()}sample`

function textFor(schema: Schema, name: string): string {
  const { pattern, minLength = 0, maxLength = Infinity } = schema as { pattern?: string } & Schema
  const candidates = [
    freshText().padEnd(minLength, 'x'),
    ...(schema['example'] === undefined ? [] : [schema['example'] as string]),
  ]
  const fits = candidates.find((text) => text.length <= maxLength && (!pattern || new RegExp(pattern, 'u').test(text)))
  if (fits === undefined) throw new Error(`${name} must have an example in the OpenAPI document.`)
  return fits
}

/** A value that the schema accepts; `whole` fills every property, otherwise only the required ones. */
export function validValue(
  contract: Contract,
  given: Schema,
  name: string,
  reference: ReferenceOf,
  whole: boolean,
): unknown {
  const schema = schemaAt(contract, given)
  const known = schema.items ? undefined : valuesOfField[name]
  if (known) return known()
  if (schema.items && valuesOfList[name]) return valuesOfList[name]()
  if (schema.enum) return schema.enum[0]
  const inner = (of: Schema, called: string): unknown => validValue(contract, of, called, reference, whole)
  switch (typesOf(schema).find((type) => type !== 'null')) {
    case 'string':
      if (schema.format === 'uuid') return reference(name) ?? newId()
      // An import says when a record was created, which is not in the future.
      if (schema.format === 'date-time')
        return name === 'createdAt' ? '2021-03-04T05:06:07.000Z' : '2027-03-04T05:06:07.000Z'
      return textFor(schema, name)
    case 'integer':
    case 'number':
      return Math.max(Number(schema['minimum'] ?? 1), 1)
    case 'boolean':
      return true
    case 'array':
      return Array.from({ length: Math.max(Number(schema['minItems'] ?? 0), 1) }, () => inner(schema.items ?? {}, name))
    case 'object': {
      if (schema['example'] !== undefined) return schema['example']
      const names = Object.keys(schema.properties ?? {}).filter((key) => whole || schema.required?.includes(key))
      if (names.length === 0 && !schema.properties) return { sample: 'value' }
      return Object.fromEntries(names.map((key) => [key, inner(schema.properties![key]!, key)]))
    }
    default:
      return 'anything'
  }
}

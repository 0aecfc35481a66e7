import { expect, it } from 'vitest'
import { loadContract } from '../../rest-adapter/contract.ts'
import type { Schema } from '../../rest-adapter/openapi.ts'

const { document, operations } = loadContract('schema/rest')

const pascalCase = (name: string): string =>
  name.replace(/(?:^|[^A-Za-z0-9]+)(\w)/g, (_, first: string) => first.toUpperCase())

/** Whether a generator gives a type of its own to a property or parameter: it is written out, and more than one plain type. */
const isNamed = (schema: Schema): boolean =>
  schema.enum !== undefined || schema.items?.enum !== undefined || Array.isArray(schema.type)

// Generators of clients, such as orval, name such a type after its schema or operation and its own name. Two of the same name do not compile.
it('gives no two types that generators of clients name themselves the same name', () => {
  const ofProperties = Object.entries(document.components['schemas'] as Readonly<Record<string, Schema>>).flatMap(
    ([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([property, schema]) =>
        isNamed(schema) ? [[pascalCase(name) + pascalCase(property), `${name}.${property}`] as const] : [],
      ),
  )
  const ofParameters = operations.flatMap(({ id, parameters }) =>
    parameters.flatMap(({ name, in: place, schema }) =>
      place === 'query' && schema && isNamed(schema)
        ? [[pascalCase(id) + pascalCase(name), `${id}(${name})`] as const]
        : [],
    ),
  )
  const byName = Map.groupBy([...ofProperties, ...ofParameters], ([type]) => type)
  const colliding = [...byName.values()].filter((types) => types.length > 1)
  expect(byName.size).toBeGreaterThan(500)
  expect(colliding.map((types) => types.map(([, from]) => from))).toEqual([])
})

import addFormatsModule from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { OpenApiDocument, Schema } from '../../rest-adapter/openapi.ts'

// The package is CommonJS, but its types declare a default export.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default

/** Refuses every property that an object does not describe, unless it is open on purpose. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  const isObject = typeof copy['properties'] === 'object' && copy['type'] === 'object'
  return isObject && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy
}

/** Returns what is wrong with a value, in words; empty if the schema of the OpenAPI document accepts it. */
export type FaultsOf = (schema: Schema, value: unknown) => string[]

/** Validates values against schemas of the document, and refuses properties that it does not describe. */
export function faultFinder(document: OpenApiDocument): FaultsOf {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addSchema(closed(document) as object, 'openapi')
  const compiled = new Map<string, ReturnType<Ajv2020['compile']>>()
  return (schema, value) => {
    const text = JSON.stringify(closed(schema)).replaceAll('"#/components', '"openapi#/components')
    let accepts = compiled.get(text)
    if (!accepts) compiled.set(text, (accepts = ajv.compile(JSON.parse(text) as object)))
    if (accepts(value)) return []
    return accepts.errors!.map(({ instancePath, message, params }) =>
      [instancePath, message, JSON.stringify(params)].join(' '),
    )
  }
}

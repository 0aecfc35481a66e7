import type { Schema } from './openapi.ts'

const prefix = '#/components/schemas/'

const isExpandable = (property: Schema): boolean => property['x-expandable'] === true

/**
 * A related record is answered without related records of its own, so it has a schema of its own: `RelatedInvoice` is `Invoice` without the
 * properties that `expand` adds. Generators that write out what a schema refers to would otherwise repeat the schemas in one another.
 */
export function addRelatedSchemas(schemas: Record<string, unknown>): void {
  const known = schemas as Record<string, Schema>
  const relatedTo = (reference: string): string => {
    const name = reference.slice(prefix.length)
    const { properties = {}, ...schema } = known[name] ?? {}
    const own = Object.entries(properties).filter(([, property]) => !isExpandable(property))
    if (own.length === Object.keys(properties).length) return reference
    const related = `Related${name}`
    known[related] ??= { ...schema, properties: Object.fromEntries(own) }
    return `${prefix}${related}`
  }
  for (const [name, schema] of Object.entries(known)) {
    const { properties } = schema
    if (!properties || !Object.values(properties).some(isExpandable)) continue
    const shown = Object.entries(properties).map(([key, property]) => {
      const { anyOf } = property
      if (!isExpandable(property) || !anyOf) return [key, property] as const
      const referred = anyOf.map((one) => ('$ref' in one ? { ...one, $ref: relatedTo(String(one.$ref)) } : one))
      return [key, { ...property, anyOf: referred }] as const
    })
    known[name] = { ...schema, properties: Object.fromEntries(shown) }
  }
}

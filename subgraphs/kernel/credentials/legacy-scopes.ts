import { scopeAreas } from '../scope-areas.ts'

/**
 * The specification gives `read` and `write` "only leads through activities, and webhooks", says that "orders, cases, custom
 * objects and custom fields always need an explicit scope", and lists its resources in this order: leads, contacts, accounts,
 * opportunities, products, quotes, orders, tasks, activities, cases, custom objects, custom fields, webhooks. Therefore the
 * legacy scopes cover the resources from leads to activities except orders, and webhooks.
 */
const covered = Object.keys(scopeAreas).filter((area) => scopeAreas[area]!.isLegacy)
const reads = covered.map((area) => `READ_${area}`)
const writes = covered.map((area) => `WRITE_${area}`)

/** The scopes that each legacy scope implies. No legacy scope implies an action scope, or grants an operation for which the specification states `*`. */
export const legacyScopes: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['read', new Set(reads)],
  ['write', new Set([...reads, ...writes])],
  ['WEBHOOKS', new Set(['READ_WEBHOOKS', 'WRITE_WEBHOOKS'])],
])

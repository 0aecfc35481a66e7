/**
 * The specification gives `read` and `write` "only leads through activities, and webhooks", says that "orders, cases, custom
 * objects and custom fields always need an explicit scope", and lists its resources in this order: leads, contacts, accounts,
 * opportunities, products, quotes, orders, tasks, activities, cases, custom objects, custom fields, webhooks. Therefore the
 * legacy scopes cover the resources from leads to activities except orders, and webhooks.
 */
const coveredResources = [
  'LEADS',
  'CONTACTS',
  'ACCOUNTS',
  'OPPORTUNITIES',
  'PRODUCTS',
  'QUOTES',
  'TASKS',
  'ACTIVITIES',
  'WEBHOOKS',
] as const

const reads = coveredResources.map((resource) => `READ_${resource}`)
const writes = coveredResources.map((resource) => `WRITE_${resource}`)

/** The scopes that each legacy scope implies. No legacy scope implies an action scope, or grants an operation that requires `*`. */
export const legacyScopes: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['read', new Set(reads)],
  ['write', new Set([...reads, ...writes])],
  ['WEBHOOKS', new Set(['READ_WEBHOOKS', 'WRITE_WEBHOOKS'])],
])

/**
 * The specification gives `read` and `write` "only leads through activities, and webhooks", says that "orders, cases, custom
 * objects and custom fields always need an explicit scope", and lists its resources in this order: leads, contacts, accounts,
 * opportunities, products, quotes, orders, tasks, activities, cases, custom objects, custom fields, webhooks. So they reach
 * the rows from leads to activities without orders, and webhooks.
 */
const reached = [
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

const reads = reached.map((resource) => `READ_${resource}`)
const writes = reached.map((resource) => `WRITE_${resource}`)

/** What each scope from before scopes per resource opens. None opens an action scope or an operation that needs `*`. */
export const legacyScopes: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['read', new Set(reads)],
  ['write', new Set([...reads, ...writes])],
  ['WEBHOOKS', new Set(['READ_WEBHOOKS', 'WRITE_WEBHOOKS'])],
])

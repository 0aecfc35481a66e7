const resources = [
  'LEADS',
  'CONTACTS',
  'ACCOUNTS',
  'OPPORTUNITIES',
  'PRODUCTS',
  'QUOTES',
  'ORDERS',
  'TASKS',
  'ACTIVITIES',
  'CASES',
  'CUSTOM_OBJECTS',
  'CUSTOM_FIELDS',
  'WEBHOOKS',
]
const actions = ['INVOKE_FUNCTIONS', 'MANAGE_METADATA', 'PUBLISH_EVENTS', 'READ_EVENTS']

/** Scopes that a new key may get (specification, Scopes). Old keys may also have legacy scopes (`kernel/credentials/legacy-scopes.ts`). */
export const grantableScopes: readonly string[] = [
  '*',
  ...resources.flatMap((resource) => [`READ_${resource}`, `WRITE_${resource}`]),
  ...actions,
]

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

/** What a new key may be granted (specification, Scopes). The legacy scopes (`kernel/legacy-scopes.ts`) are honoured on old keys. */
export const grantableScopes: readonly string[] = [
  '*',
  ...resources.flatMap((resource) => [`READ_${resource}`, `WRITE_${resource}`]),
  ...actions,
]

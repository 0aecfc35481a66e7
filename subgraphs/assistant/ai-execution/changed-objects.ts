/** The records that actions may change, by their names in settings, each with its mutation. */
export const updatedObjects: ReadonlyMap<string, { readonly object: string; readonly type: string }> = new Map([
  ['ACCOUNT', { object: 'account', type: 'Account' }],
  ['CONTACT', { object: 'contact', type: 'Contact' }],
  ['LEAD', { object: 'lead', type: 'Lead' }],
  ['OPPORTUNITY', { object: 'opportunity', type: 'Opportunity' }],
  ['CASE', { object: 'case', type: 'Case' }],
  ['TASK', { object: 'task', type: 'Task' }],
])

/** What a task can be related to. */
const related: ReadonlySet<string> = new Set([
  'LEAD',
  'CONTACT',
  'ACCOUNT',
  'OPPORTUNITY',
  'CASE',
  'QUOTE',
  'ORDER',
  'INVOICE',
])

/** The name of the object of events of this type, as settings name it: `LEAD` of `lead.created`. */
export const objectOfType = (eventType: string | null): string | null =>
  eventType?.slice(0, eventType.lastIndexOf('.')).toUpperCase() ?? null

export const relatedType = (eventType: string | null): string | null => {
  const name = objectOfType(eventType)
  return name !== null && related.has(name) ? name : null
}

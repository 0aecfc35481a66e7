/** The record types that a proposal may create or update. Nothing else can be proposed: no deletion, no mail, no user, no credential. */
export const proposedObjects: readonly string[] = [
  'task',
  'activity',
  'contact',
  'lead',
  'opportunity',
  'account',
  'case',
]

export const proposedActions = ['create', 'update'] as const
export type ProposedAction = (typeof proposedActions)[number]

/** The record types that a proposal may create or update. Besides them only runs of custom actions: no deletion, no mail, no user, no credential. */
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

/** The object word of proposals that run a custom action. */
export const actionObject = 'custom_action'
export type StoredAction = ProposedAction | 'execute'

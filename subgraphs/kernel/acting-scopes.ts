import type { Caller } from './context.ts'
import { eventCatalog } from './outbox/event-catalog.ts'
import { customObjectName, customObjectOfEvents, customObjectScope } from './record/custom-object.ts'
import { recordNamed } from './record/record-registry.ts'
import { knownReadScope } from './record/requires-scope.ts'
import { requireScopes } from './unmet-scopes.ts'

// What an automation does later, a credential does by setting it up. So it needs the scopes for that, too.

/** The scope to read records of a type; `*` if no other one opens them. */
export function readScopeOfObject(object: string): string {
  if (customObjectName(object) !== null) return customObjectScope
  const shape = recordNamed(object)
  return (shape && knownReadScope(shape.entity)) ?? '*'
}

/** The scope to change records of a type; `*` if no other one opens them. */
export const writeScopeOfObject = (object: string): string => readScopeOfObject(object).replace(/^READ_/, 'WRITE_')

/** The scopes to receive the events of these types. Types that do not exist need none. */
export const scopesOfEventTypes = (types: readonly string[]): string[] =>
  types.flatMap((type) => {
    if (type.startsWith('custom.')) return ['READ_EVENTS']
    if (customObjectOfEvents(type.slice(0, type.lastIndexOf('.'))) !== null) return [customObjectScope]
    const entry = eventCatalog().find(type)
    return entry ? [readScopeOfObject(entry.object)] : []
  })

/** Refuses a caller whose credential lacks one of the scopes with which an automation acts. */
export const requireActingScopes = (caller: Caller, scopes: readonly string[]): void =>
  requireScopes(
    caller,
    scopes.map((scope) => [[scope]]),
  )

/** Whether a change only turns an automation off. It needs no scopes of what the automation does: whoever must stop it may. */
export const isOnlyTurnedOff = (input: object): boolean => {
  const [change, ...others] = Object.entries(input).filter(([, value]) => value !== undefined)
  return others.length === 0 && change?.[0] === 'isActive' && change[1] === false
}

import type { Caller } from '../context.ts'
import { holdsScope } from '../scopes.ts'
import type { RecordShape } from './definition.ts'
import { hiddenParts } from './field-security.ts'
import { knownReadScope } from './requires-scope.ts'

/** Whether the caller may read records of the type at all: by scope, by plan, and by profile where they consist of parts. */
export function mayReadType(caller: Caller, shape: Pick<RecordShape, 'entity' | 'entitlement' | 'partsOf'>): boolean {
  if (caller.kind === 'SYSTEM') return true
  const { entity, entitlement } = shape
  const scope = knownReadScope(entity)
  if (scope !== null && !holdsScope(caller, scope)) return false
  return (
    (entitlement === undefined || caller.entitlements.includes(entitlement)) && hiddenParts(caller, shape).length === 0
  )
}

import type { Caller } from '../kernel/context.ts'
import { invalid } from '../kernel/errors.ts'
import { customObjectName, customObjectScope } from '../kernel/record/custom-object.ts'
import type { RecordShape } from '../kernel/record/definition.ts'
import { readScopeOf } from '../kernel/record/requires-scope.ts'
import { holdsScope } from '../kernel/scopes.ts'
import { requireScopes } from '../kernel/unmet-scopes.ts'

interface Named {
  readonly names: readonly string[]
  /** The argument with the names. */
  readonly path: string
  /** What the record types of these names are, for refusals. */
  readonly what: string
}

/**
 * The record types with these names, each once. Refuses a name of none, and a type without its scope. Which custom objects there are is told to
 * nobody who may not read their records.
 */
export function namedShapes(caller: Caller, all: readonly RecordShape[], { names, path, what }: Named): RecordShape[] {
  const byName = new Map(all.map((shape) => [shape.object, shape]))
  const scopeOf = (name: string): string =>
    customObjectName(name) === null ? readScopeOf(byName.get(name)!.entity) : customObjectScope
  const isHeld = (name: string): boolean => holdsScope(caller, scopeOf(name))
  const unknown = names.findIndex((name) => !byName.has(name) && (customObjectName(name) === null || isHeld(name)))
  if (unknown >= 0) {
    const known = [...byName.keys()].filter(isHeld).join(', ')
    throw invalid({
      path: `${path}.${unknown}`,
      code: 'NOT_ALLOWED',
      message: `${path} must contain record types ${what}: ${known}.`,
    })
  }
  requireScopes(
    caller,
    names.map((name) => [[scopeOf(name)]]),
  )
  return [...new Set(names)].map((name) => byName.get(name)!)
}

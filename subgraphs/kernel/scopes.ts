import type { Caller } from './context.ts'
import { legacyScopes } from './legacy-scopes.ts'

/**
 * Requirements that no API key or OAuth token can meet. `SESSION` stands on what only a signed-in user may do (the blocked
 * path families of the specification), `PUBLIC` on what a person does before signing in, `SCIM` on what only a directory
 * that provisions users may do, which in turn may do nothing else.
 */
export const sessionOnly = new Set(['SESSION', 'PUBLIC', 'SCIM'])

/** What every OAuth token holds and nothing else: it stands on what an app asks about itself. */
const appOnly = 'APP'

/** A requirement as `@requiresScopes` writes it: any of the lists, all of each list. */
export type ScopeRequirement = readonly (readonly string[])[]

/** The one scope beside `*` that brings this one with it: WRITE implies READ, PUBLISH_EVENTS implies READ_EVENTS. */
export function scopeImplying(scope: string): string | null {
  if (scope === 'READ_EVENTS') return 'PUBLISH_EVENTS'
  return scope.startsWith('READ_') ? `WRITE_${scope.slice('READ_'.length)}` : null
}

/** `*` implies every scope of an integration. */
export function holdsScope(caller: Pick<Caller, 'kind' | 'scopes'>, scope: string): boolean {
  switch (caller.kind) {
    case 'SYSTEM':
      return true
    case 'SESSION':
      return scope !== 'SCIM'
    case 'SCIM':
      return scope === 'SCIM'
    case 'ANONYMOUS':
      return scope === 'PUBLIC'
    default:
  }
  if (sessionOnly.has(scope)) return false
  if (scope === appOnly) return caller.kind === 'OAUTH'
  const { scopes } = caller
  if (scopes.includes('*') || scopes.includes(scope)) return true
  const implying = scopeImplying(scope)
  if (implying !== null && scopes.includes(implying)) return true
  return caller.kind === 'API_KEY' && scopes.some((held) => legacyScopes.get(held)?.has(scope))
}

export function meets(caller: Pick<Caller, 'kind' | 'scopes'>, requirement: ScopeRequirement): boolean {
  return requirement.some((all) => all.every((scope) => holdsScope(caller, scope)))
}

import type { Caller } from './context.ts'
import { legacyScopes } from './credentials/public.ts'

/**
 * Requirements that no API key or OAuth token can meet. `SESSION` marks operations for signed-in users only (the blocked
 * path families of the specification), `PUBLIC` marks operations before sign-in, and `SCIM` marks the operations of a directory
 * that provisions users, which may call no other operation.
 */
export const sessionOnly = new Set(['SESSION', 'PUBLIC', 'SCIM'])

/** A scope that every OAuth token has and no other credential: for operations in which an app reads its own data. */
const appOnly = 'APP'

/** A scope that every signed-in user, every key and every app has: for operations that need a credential and no scope of it. */
export const memberScope = 'MEMBER'

/** A requirement in the form of `@requiresScopes`: at least one of the lists, with all scopes of that list. */
export type ScopeRequirement = readonly (readonly string[])[]

/** The scope other than `*` that implies this one: WRITE implies READ, PUBLISH_EVENTS implies READ_EVENTS. */
export function scopeImplying(scope: string): string | null {
  if (scope === 'READ_EVENTS') return 'PUBLISH_EVENTS'
  return scope.startsWith('READ_') ? `WRITE_${scope.slice('READ_'.length)}` : null
}

const nounOfScope: Readonly<Record<string, string>> = {
  SESSION: 'a session',
  PUBLIC: 'no credential',
  SCIM: 'a SCIM token',
  APP: 'an OAuth access token',
}

const named = (scope: string): string => nounOfScope[scope] ?? scope

/** The scopes of all these requirements in one sentence for the reference: `Needs READ_CASES.` Empty without requirements. */
export function needsSentence(requirements: readonly ScopeRequirement[]): string {
  const alternatives = requirements.filter((requirement) => requirement.length > 1)
  const all = new Set(requirements.filter(({ length }) => length === 1).flatMap(([scopes]) => scopes!))
  const needed = [...all].filter((scope) => !all.has(scopeImplying(scope) ?? ''))
  const either = alternatives.map((requirement) =>
    requirement.map((scopes) => scopes.map(named).join(' and ')).join(' or '),
  )
  const parts = [...new Set([...needed.map(named), ...either])]
  return parts.length > 0 ? `Needs ${parts.join(', and ')}.` : ''
}

/** Whether the caller holds the scope. `*` implies every scope of API keys and OAuth tokens. */
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
  if (scope === memberScope) return true
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

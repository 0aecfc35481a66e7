import type { Caller } from './context.ts'
import { Refusal } from './errors.ts'
import { holdsScope, meets, scopeImplying, sessionOnly, type ScopeRequirement } from './scopes.ts'

/** The missing scopes of the alternative of which the caller lacks the fewest scopes. */
function fewestMissing(caller: Caller, requirement: ScopeRequirement): readonly string[] {
  const alternatives = requirement.map((all) => all.filter((scope) => !holdsScope(caller, scope)))
  return alternatives.reduce(
    (fewest, missing) => (missing.length < fewest.length ? missing : fewest),
    alternatives[0] ?? [],
  )
}

/** The scopes to grant: a scope that another missing scope implies is omitted. */
function withoutImplied(scopes: readonly string[]): string[] {
  const all = new Set(scopes)
  const isImplied = (scope: string): boolean =>
    all.has(scopeImplying(scope) ?? '') || (all.has('*') && scope !== '*' && !sessionOnly.has(scope))
  return [...all].filter((scope) => !isImplied(scope)).sort()
}

/** Reject mode: one unmet requirement refuses the whole operation, and the refusal names every missing scope. */
export function requireScopes(caller: Caller, requirements: readonly ScopeRequirement[]): void {
  const unmet = requirements.filter((requirement) => !meets(caller, requirement))
  if (unmet.length === 0) return
  if (caller.kind === 'ANONYMOUS')
    throw new Refusal('UNAUTHENTICATED', 'Send a credential in the Authorization or X-API-Key header.')

  const missingScopes = withoutImplied(unmet.flatMap((requirement) => fewestMissing(caller, requirement)))
  const blocked = missingScopes.filter((scope) => sessionOnly.has(scope))
  if (caller.kind === 'SCIM') throw new Refusal('PERMISSION_DENIED', 'A SCIM token may call SCIM operations only.')
  if (caller.kind === 'AUTOMATION') {
    if (blocked.length > 0) throw new Refusal('PERMISSION_DENIED', `This operation requires ${blocked.join(', ')}.`)
    const message = `The automation lacks the scope ${missingScopes.join(', ')}.`
    throw new Refusal('PERMISSION_DENIED', message, { missingScopes })
  }
  if (caller.kind === 'SESSION') {
    throw new Refusal('PERMISSION_DENIED', `This operation requires ${blocked.join(', ')}.`)
  }
  if (blocked.length > 0) {
    throw new Refusal('API_KEY_SCOPE_BLOCKED', 'This operation requires the session of a signed-in user.')
  }
  const named = missingScopes.join(', ')
  if (caller.kind === 'OAUTH') {
    throw new Refusal('OAUTH_SCOPE_INSUFFICIENT', `The access token lacks the scope ${named}.`, { missingScopes })
  }
  throw new Refusal('API_KEY_SCOPE_INSUFFICIENT', `The API key lacks the scope ${named}.`, { missingScopes })
}

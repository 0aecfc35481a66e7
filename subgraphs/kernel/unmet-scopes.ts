import type { Caller } from './context.ts'
import { Refusal } from './errors.ts'
import { holdsScope, meets, scopeImplying, sessionOnly, type ScopeRequirement } from './scopes.ts'

/** The scopes that would meet a requirement at the least cost: the alternative of which the caller lacks fewest. */
function lackedOf(caller: Caller, requirement: ScopeRequirement): readonly string[] {
  const alternatives = requirement.map((all) => all.filter((scope) => !holdsScope(caller, scope)))
  return alternatives.reduce(
    (fewest, lacked) => (lacked.length < fewest.length ? lacked : fewest),
    alternatives[0] ?? [],
  )
}

/** What has to be granted: a scope that comes with another missing one is not named. */
function leastOf(scopes: readonly string[]): string[] {
  const all = new Set(scopes)
  return [...all].filter((scope) => !all.has(scopeImplying(scope) ?? '')).sort()
}

/** Reject mode: one unmet requirement refuses the whole operation, and every missing scope is named. */
export function refuseUnmet(caller: Caller, requirements: readonly ScopeRequirement[]): void {
  const unmet = requirements.filter((requirement) => !meets(caller, requirement))
  if (unmet.length === 0) return
  if (caller.kind === 'ANONYMOUS') throw new Refusal('UNAUTHENTICATED', 'This operation needs a credential.')

  const missingScopes = leastOf(unmet.flatMap((requirement) => lackedOf(caller, requirement)))
  const blocked = missingScopes.filter((scope) => sessionOnly.has(scope))
  if (caller.kind === 'SCIM') throw new Refusal('PERMISSION_DENIED', 'A SCIM token is good for SCIM operations only.')
  if (caller.kind === 'SESSION') {
    throw new Refusal('PERMISSION_DENIED', `This operation is open to ${blocked.join(', ')} only.`)
  }
  if (blocked.length > 0) {
    throw new Refusal('API_KEY_SCOPE_BLOCKED', 'This operation is open to signed-in users only.')
  }
  const named = missingScopes.join(', ')
  if (caller.kind === 'OAUTH') {
    throw new Refusal('OAUTH_SCOPE_INSUFFICIENT', `The access token lacks the scope ${named}.`, { missingScopes })
  }
  throw new Refusal('API_KEY_SCOPE_INSUFFICIENT', `The API key lacks the scope ${named}.`, { missingScopes })
}

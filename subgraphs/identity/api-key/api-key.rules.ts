import { isAddressEntry } from '../../kernel/network/address.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { legacyScopes } from '../../kernel/credentials/public.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { keyScopes } from '../../kernel/scope-areas.ts'
import { rateLimitProblems, scopeProblems } from '../credential/grant.rules.ts'
import type { ApiKey } from './api-key.ts'

type Values = Pick<ApiKey, 'scopes' | 'rateLimit' | 'ipAllowList' | 'expiresAt'>

/** Only operators may grant legacy scopes, so that imported keys keep theirs. */
const isGrantable = (scope: string, byOperator: boolean): boolean =>
  keyScopes.includes(scope) || (byOperator && legacyScopes.has(scope))

const addressProblems = (entries: readonly string[]): FieldProblem[] =>
  entries.flatMap((entry, index) => {
    const path = `ipAllowList.${index}`
    return isAddressEntry(entry)
      ? []
      : { path, code: 'NOT_AN_ADDRESS', message: `${path} must be an IP address or a CIDR block.` }
  })

function expiryProblems({ clock }: RequestContext, { expiresAt }: Values): FieldProblem[] {
  if (!expiresAt || Date.parse(expiresAt) > clock.now().getTime()) return []
  return [{ path: 'expiresAt', code: 'NOT_IN_FUTURE', message: 'expiresAt must be in the future, or null for never.' }]
}

/** Checks only changed values: an old key keeps values that a newer rule would refuse. */
export async function apiKeyProblems(
  ctx: RequestContext,
  next: Values,
  previous: Values | null,
): Promise<FieldProblem[]> {
  const byOperator = ctx.caller.kind === 'SYSTEM'
  const isNew = (name: keyof Values) => JSON.stringify(next[name]) !== JSON.stringify(previous?.[name])
  return [
    ...(isNew('scopes') ? scopeProblems('A key', next.scopes, (scope) => isGrantable(scope, byOperator)) : []),
    ...(isNew('rateLimit') ? rateLimitProblems(next.rateLimit) : []),
    ...(isNew('ipAllowList') ? addressProblems(next.ipAllowList) : []),
    ...(isNew('expiresAt') ? expiryProblems(ctx, next) : []),
  ]
}

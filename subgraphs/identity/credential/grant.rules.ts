import type { QuotaWindow } from '../../kernel/credentials/public.ts'
import type { FieldProblem } from '../../kernel/errors.ts'

const rateLimitMax = 1_000_000

/** Removes duplicates and keeps the order. */
export const distinct = <T extends readonly string[] | null | undefined>(values: T): T =>
  (values ? [...new Set(values)] : values) as T

export function scopeProblems(
  holder: 'A key' | 'An app',
  scopes: readonly string[],
  isGrantable: (scope: string) => boolean,
): FieldProblem[] {
  if (scopes.length === 0)
    return [{ path: 'scopes', code: 'EMPTY', message: `${holder} must have at least one scope.` }]
  return scopes.flatMap((scope, index) => {
    const path = `scopes.${index}`
    const message = `${path} must be a scope that ${holder.toLowerCase()} can be granted; "${scope}" is not.`
    return isGrantable(scope) ? [] : { path, code: 'UNKNOWN_SCOPE', message }
  })
}

export function rateLimitProblems({ limit }: { readonly limit: number; readonly window: QuotaWindow }): FieldProblem[] {
  if (limit >= 1 && limit <= rateLimitMax) return []
  const message = `rateLimit.limit must be between 1 and ${rateLimitMax}.`
  return [{ path: 'rateLimit.limit', code: 'OUT_OF_RANGE', message }]
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DryRunMode } from '../../subgraphs/kernel/dry-run.ts'
import { invalid } from '../../subgraphs/kernel/errors.ts'
import { addApplied } from './applied-preferences.ts'

const preference = /(?:^|[,;])\s*dry-run\s*(?:=\s*"?([^",;\s]*)"?\s*)?(?=$|[,;])/i

/** The dry run that `Prefer` (RFC 7240) asks for; undefined for none. A value that is not known is refused, because a client that asks for a dry run wants no effect. */
export function dryRunOf({ headers }: Pick<IncomingMessage, 'headers'>): DryRunMode | undefined {
  const given = headers['prefer']
  if (given === undefined) return undefined
  const found = preference.exec(String(given))
  if (!found) return undefined
  const mode = found[1]?.toLowerCase() ?? ''
  if (mode === '') return 'CHANGES'
  if (mode === 'hooks') return 'HOOKS'
  throw invalid({
    path: 'Prefer',
    code: 'NOT_ALLOWED',
    message: 'Prefer must be dry-run, or dry-run=hooks to call hooks as well.',
  })
}

/** Says that the dry run was one, besides other preferences that were applied. */
export const setDryRunApplied = (res: ServerResponse, mode: DryRunMode): void =>
  addApplied(res, mode === 'HOOKS' ? 'dry-run=hooks' : 'dry-run')

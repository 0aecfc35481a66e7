import type { IncomingMessage, ServerResponse } from 'node:http'
import { invalid } from '../../subgraphs/kernel/errors.ts'
import { addApplied } from './applied-preferences.ts'

const preference = /(?:^|[,;])\s*duplicates\s*(?:=\s*"?([^",;\s]*)"?\s*)?(?=$|[,;])/i

/** Whether `Prefer` (RFC 7240) allows a change to make duplicates. A value that is not known is refused, because the client expects an effect of it. */
export function allowsDuplicates({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const given = headers['prefer']
  if (given === undefined) return false
  const found = preference.exec(String(given))
  if (!found) return false
  if (found[1]?.toLowerCase() === 'allow') return true
  throw invalid({
    path: 'Prefer',
    code: 'NOT_ALLOWED',
    message: 'The preference duplicates must be duplicates=allow.',
  })
}

/** Says that duplicates were allowed. */
export const setDuplicatesAllowed = (res: ServerResponse): void => addApplied(res, 'duplicates=allow')

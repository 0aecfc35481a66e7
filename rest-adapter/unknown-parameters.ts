import { addApplied } from '../gateway/edge/applied-preferences.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { suggestionList } from '../subgraphs/kernel/package-internals/suggestions.ts'
import { refusalOf } from './body.ts'

/** A longer name is not compared with the known ones. */
const comparedCharactersMax = 100

const handling = /(?:^|[,;\s])handling\s*=\s*"?(strict|lenient)\b/i

/**
 * Refuses unknown query parameters, because a misspelt filter would answer every record. `Prefer: handling=lenient` (RFC 7240) ignores
 * them.
 */
export function refuseUnknownParameters(
  unknown: readonly string[],
  known: readonly string[],
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const preference = handling.exec(String(req.headers['prefer'] ?? ''))?.[1]?.toLowerCase()
  if (preference) addApplied(res, `handling=${preference}`)
  if (unknown.length === 0 || preference === 'lenient') return
  throw refusalOf(
    Array.from(new Set(unknown), (path) => ({ path, code: 'UNKNOWN_FIELD', message: unknownMessage(path, known) })),
  )
}

function unknownMessage(name: string, known: readonly string[]): string {
  return `${name} is not a parameter of this operation; ${adviceFor(name, known)}`
}

/** The nearest known name, as advice to somebody who sent an unknown one. */
export function adviceFor(name: string, known: readonly string[]): string {
  const [nearest] = name.length > comparedCharactersMax ? [] : suggestionList(name, known)
  return nearest === undefined ? 'remove it.' : `did you mean ${nearest}?`
}

import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** A longer text is rare, and PostgreSQL keeps what it prepares in every connection. */
const charactersMax = 20_000
const entryCharacters = 200

/** Texts that came of late; those that came once have no name yet. */
const texts = new LRUCache<string, string>({ maxSize: 8_000_000 })

/**
 * The name that a statement is prepared under; empty for one that comes for the first time, as most of those that clients' filters
 * and orders make come once.
 */
export function statementName(text: string): string {
  if (text.length > charactersMax) return ''
  const known = texts.get(text)
  if (known) return known
  const name = known === undefined ? '' : createHash('sha1').update(text).digest('base64url')
  texts.set(text, name, { size: text.length + entryCharacters })
  return name
}

/** Characters that are kept of statements. */
export const charactersKept = (): number => texts.calculatedSize

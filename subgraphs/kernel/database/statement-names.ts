import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** Longer texts are rare and are not prepared, because PostgreSQL keeps a prepared statement in every connection. */
const charactersMax = 20_000
const entryCharacters = 200

/** In the text of a statement that never runs again, such as one with the current time: it is not prepared, and displaces no other text. */
export const runsOnce = '/* runs once */'

/** Recent statement texts and their names; a text seen once has an empty name. */
const texts = new LRUCache<string, string>({ maxSize: 8_000_000 })

/**
 * The name under which a statement is prepared. Empty the first time, because most statements from clients' filters and orders
 * run only once.
 */
export function statementName(text: string): string {
  if (text.length > charactersMax || text.includes(runsOnce)) return ''
  const known = texts.get(text)
  if (known) return known
  const name = known === undefined ? '' : createHash('sha1').update(text).digest('base64url')
  texts.set(text, name, { size: text.length + entryCharacters })
  return name
}

/** Total characters of the cached statement texts. */
export const charactersKept = (): number => texts.calculatedSize

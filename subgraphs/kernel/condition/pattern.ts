import { RE2JS } from 're2js'

export const patternCharactersMax = 256
/** Maximum instructions of a compiled pattern: a match takes at most this many steps for each character of the text. */
const instructionsMax = 1000
/** A pattern is compared with the beginning of a text, so that one match takes milliseconds. */
export const matchedCharactersMax = 10_000

/** A regular expression of a tenant. The engine takes linear time: there is no back-tracking. */
export interface Pattern {
  test(text: string): boolean
}

/** Returns the reason when the text is not a usable pattern. */
export function parsePattern(text: string): Pattern | { readonly reason: string } {
  if (text === '' || text.length > patternCharactersMax)
    return { reason: `must have between 1 and ${patternCharactersMax} characters` }
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(text)
  } catch (error) {
    return { reason: `must be a regular expression in RE2 syntax: ${(error as Error).message}` }
  }
  if (compiled.programSize() > instructionsMax)
    return { reason: 'is too complex: use fewer and smaller repetitions such as {1,100}' }
  return { test: (given) => compiled.test(given.slice(0, matchedCharactersMax)) }
}

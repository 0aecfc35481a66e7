import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'

export const patternCharactersMax = 256
/** Maximum instructions of a compiled pattern: a match takes at most this many steps for each character of the text. */
const instructionsMax = 300
/** A pattern is compared with the beginning of a text. Slow patterns take 3 ms of CPU for so many characters (`pattern.test.ts`). */
export const matchedCharactersMax = 1000

/**
 * The engine keeps the states that it has seen, at most one for each character, which take up to 40 bytes for each instruction. A
 * compiled pattern is therefore dropped after this many characters; compiling it again takes 0.3 ms.
 */
const charactersOfCompiledMax = 10_000
const compiledMax = 100

interface Compiled {
  readonly expression: RE2JS
  characters: number
}

const compiled = new LRUCache<string, Compiled>({ max: compiledMax })

/** A regular expression of a tenant. The engine takes linear time: there is no back-tracking. */
export class Pattern {
  constructor(private readonly text: string) {}

  test(given: string): boolean {
    let used = compiled.get(this.text)
    if (!used || used.characters > charactersOfCompiledMax)
      compiled.set(this.text, (used = { expression: RE2JS.compile(this.text), characters: 0 }))
    const matched = given.slice(0, matchedCharactersMax)
    used.characters += matched.length
    return used.expression.test(matched)
  }
}

/** Returns the reason when the text is not a usable pattern. */
export function parsePattern(text: string): Pattern | { readonly reason: string } {
  if (text === '' || text.length > patternCharactersMax)
    return { reason: `must have between 1 and ${patternCharactersMax} characters` }
  try {
    if (RE2JS.compile(text).programSize() <= instructionsMax) return new Pattern(text)
    return { reason: 'is too complex: use fewer and smaller repetitions such as {1,100}' }
  } catch (error) {
    return { reason: `must be a regular expression in RE2 syntax: ${(error as Error).message}` }
  }
}

import { invalid } from '../errors.ts'
import { escapeLikePattern } from './operators.ts'
import { isStorable } from './scalars.ts'

const charactersMax = 200

/** The pattern for `ilike` that finds a requested text anywhere in a value. */
export function searchPattern(text: string): string {
  if ([...text].length > charactersMax) {
    const message = `search must have at most ${charactersMax} characters.`
    throw invalid({ path: 'search', code: 'TOO_LONG', message })
  }
  if (!isStorable(text)) {
    const message = 'search must not contain a NUL character or an unpaired surrogate.'
    throw invalid({ path: 'search', code: 'NOT_TEXT', message })
  }
  return `%${escapeLikePattern(text)}%`
}

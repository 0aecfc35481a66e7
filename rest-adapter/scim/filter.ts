import { isStorable } from '../../subgraphs/kernel/record/scalars.ts'
import { ScimRefusal } from './scim-error.ts'

const equality = /^\s*([A-Za-z][\w.:$-]*)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i

/** `userName eq "x"` of one of these attributes (their names in any case); everything else is refused, never guessed at. */
export function readFilter<A extends string>(text: string, attributes: readonly A[]): { readonly [K in A]?: string } {
  const [, name = '', quoted = ''] = equality.exec(text) ?? []
  const attribute = attributes.find((known) => known.toLowerCase() === name.toLowerCase())
  if (!attribute) {
    const known = attributes.map((candidate) => `${candidate} eq "..."`).join(', ')
    throw new ScimRefusal('invalidFilter', `The filter is one of: ${known}.`)
  }
  const value = unquoted(quoted)
  if (value === null || !isStorable(value))
    throw new ScimRefusal('invalidFilter', 'The value of the filter is no text.')
  return { [attribute]: value } as { [K in A]?: string }
}

function unquoted(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

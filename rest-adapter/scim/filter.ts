import { isStorable } from '../../subgraphs/kernel/record/scalars.ts'
import { ScimRefusal } from './scim-error.ts'

const equality = /^\s*([A-Za-z][\w.:$-]*)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i

/** Reads `userName eq "x"` for one of these attributes (names in any case). Every other filter is refused. */
export function readFilter<A extends string>(text: string, attributes: readonly A[]): { readonly [K in A]?: string } {
  const [, name = '', quoted = ''] = equality.exec(text) ?? []
  const attribute = attributes.find((known) => known.toLowerCase() === name.toLowerCase())
  if (!attribute) {
    const known = attributes.map((candidate) => `${candidate} eq "..."`).join(', ')
    throw new ScimRefusal('invalidFilter', `filter must be one of: ${known}.`)
  }
  const value = unquoted(quoted)
  if (value === null || !isStorable(value))
    throw new ScimRefusal(
      'invalidFilter',
      'The value of filter must be text without NUL characters and unpaired surrogates.',
    )
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

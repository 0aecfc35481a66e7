import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const fragmentsFile = 'fragments.graphql'

/** The stored documents of one area by operation id, each with the fragments that it uses. */
export function documentsOf(folder: string): Map<string, string> {
  const shared = join(folder, fragmentsFile)
  const fragments = existsSync(shared) ? fragmentsIn(readFileSync(shared, 'utf8')) : new Map<string, string>()
  const files = readdirSync(folder).filter((name) => name.endsWith('.graphql') && name !== fragmentsFile)
  return new Map(
    files.map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return [name.slice(0, -'.graphql'.length), [text, ...usedIn(text, fragments)].join('\n')]
    }),
  )
}

function fragmentsIn(text: string): Map<string, string> {
  const parts = text.split(/^(?=fragment )/m).filter((part) => part.startsWith('fragment '))
  return new Map(parts.map((part) => [/^fragment (\w+)/.exec(part)![1]!, part]))
}

/** The fragments that a document spreads, directly or indirectly. An unused fragment would make the document invalid. */
function usedIn(text: string, fragments: ReadonlyMap<string, string>): Set<string> {
  const used = new Set<string>()
  const visit = (part: string): void => {
    for (const [, name] of part.matchAll(/\.\.\.(?!\s*on\b)\s*(\w+)/g)) {
      const fragment = fragments.get(name!)
      if (fragment === undefined || used.has(fragment)) continue
      used.add(fragment)
      visit(fragment)
    }
  }
  visit(text)
  return used
}

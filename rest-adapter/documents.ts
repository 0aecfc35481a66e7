import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const extension = '.graphql'
const fragmentsFile = `fragments${extension}`

/** The fragments in these folders by name. One of a later folder replaces one of the same name in an earlier folder. */
export const fragmentsIn = (folders: readonly string[]): ReadonlyMap<string, string> =>
  new Map(folders.flatMap((folder) => [...fragmentsOf(folder)]))

/**
 * The stored documents of one area by operation id, each with the fragments that it uses: those of the area, or shared ones. A document
 * or fragment of a later folder replaces one of the same name in an earlier folder.
 */
export function documentsOf(folders: readonly string[], shared: ReadonlyMap<string, string>): Map<string, string> {
  const existing = folders.filter((folder) => existsSync(folder))
  const fragments = new Map([...shared, ...fragmentsIn(existing)])
  const texts = new Map(existing.flatMap((folder) => textsIn(folder)))
  return new Map([...texts].map(([id, text]) => [id, [text, ...usedIn(text, fragments).values()].join('\n')]))
}

const textsIn = (folder: string): [id: string, text: string][] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(extension) && name !== fragmentsFile)
    .map((name) => [name.slice(0, -extension.length), readFileSync(join(folder, name), 'utf8')])

function fragmentsOf(folder: string): Map<string, string> {
  const file = join(folder, fragmentsFile)
  if (!existsSync(file)) return new Map()
  const parts = readFileSync(file, 'utf8').split(/^(?=fragment )/m)
  return new Map(
    parts.filter((part) => part.startsWith('fragment ')).map((part) => [/^fragment (\w+)/.exec(part)![1]!, part]),
  )
}

/** A fragment and those that it uses, by name. */
export function fragmentNamed(name: string, fragments: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const text = fragments.get(name)
  if (text === undefined) throw new Error(`The fragment ${name} must be printed.`)
  return new Map([[name, text], ...usedIn(text, fragments)])
}

/** The fragments that a document spreads, directly or indirectly. An unused fragment would make the document invalid. */
function usedIn(text: string, fragments: ReadonlyMap<string, string>): Map<string, string> {
  const used = new Map<string, string>()
  const visit = (part: string): void => {
    for (const [, name] of part.matchAll(/\.\.\.(?!\s*on\b)\s*(\w+)/g)) {
      const fragment = fragments.get(name!)
      if (fragment === undefined || used.has(name!)) continue
      used.set(name!, fragment)
      visit(fragment)
    }
  }
  visit(text)
  return used
}

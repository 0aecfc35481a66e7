import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return /^(node_modules|dist|\..*)$/.test(entry.name) ? [] : filesBelow(path)
    return [relative(projectRoot, path)]
  })
}

const files = filesBelow(projectRoot)
const names = new Set(files.map((file) => basename(file)))
const readmes = files.filter((file) => basename(file) === 'README.md' || file.startsWith('gateway/pages/guides/'))

/** Names of files in code style: `save.ts`, `kernel/record/save.ts`. A pattern such as `<area>/openapi.yaml` is not a file name. */
const named = /`([\w][\w./-]*\.(?:ts|md|graphql|ya?ml))`/g

function exists(name: string, readme: string): boolean {
  if (!name.includes('/')) return names.has(name)
  return [dirname(readme), '.', 'subgraphs', 'schema'].some((folder) => existsSync(join(projectRoot, folder, name)))
}

/** Words of the code, among them names of metrics and tools whose beginning the code adds. */
const knownWords = new Set(
  files
    .filter((file) => /\.(?:ts|mjs|graphql|ya?ml|json)$|^bin\//.test(file) && file !== 'package-lock.json')
    .flatMap((file) => readFileSync(join(projectRoot, file), 'utf8').match(/\w+/g) ?? []),
)
const [metricPrefix, toolPrefix] = ['crm_', 'action_']
const isKnown = (word: string): boolean =>
  knownWords.has(word) || knownWords.has(metricPrefix + word) || knownWords.has(word.replace(toolPrefix, ''))

/** Names of other programs and of their settings. */
const ofOthers = /^(?:pg_[a-z]+|OTEL_[A-Z_]+)$/

/** Names in code style, outside of blocks: words with a capital or an underscore in them, such as `requireRight` or `IF_MATCH`. */
function identifiersIn(text: string): string[] {
  const inline = text.replaceAll(/```.*?```/gs, '').match(/`[^`\n]+`/g) ?? []
  const words = inline.flatMap((code) => code.match(/[A-Za-z_]\w*/g) ?? [])
  return words.filter((word) => /[a-z\d][A-Z]|\w_\w/.test(word) && !ofOthers.test(word))
}

describe('the README of', () => {
  it.each(readmes)('%s uses only names that the code has', (readme) => {
    const found = identifiersIn(readFileSync(join(projectRoot, readme), 'utf8'))
    expect(found.filter((name) => !isKnown(name))).toEqual([])
  })

  it.each(readmes)('%s names only files that exist', (readme) => {
    const text = readFileSync(join(projectRoot, readme), 'utf8')
    const missing = [...text.matchAll(named)].map(([, name]) => name!).filter((name) => !exists(name, readme))
    expect(missing).toEqual([])
  })

  it.each(readmes)('%s links only to existing files', (readme) => {
    const text = readFileSync(join(projectRoot, readme), 'utf8')
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, link]) => link!)
    expect(links.filter((link) => !existsSync(join(projectRoot, dirname(readme), link)))).toEqual([])
  })
})

/** The compiler checks these files, which have the imports that the README leaves out. They are not loaded: the platform has another `Task`. */
const taskFolder = join(projectRoot, 'test/contract/readme-task')

describe('the record type `task` in the README of the subgraphs', () => {
  const text = readFileSync(join(projectRoot, 'subgraphs/README.md'), 'utf8')
  const blocks = Array.from(text.matchAll(/```ts\n\/\/ (task[\w.]*\.ts)\n(.*?)```/gs), ([, file, code]) => [
    file!,
    code!,
  ])

  it.each(blocks)('is compiled: %s', (file, code) => {
    expect(readFileSync(join(taskFolder, file!), 'utf8').endsWith(`\n${code}`)).toBe(true)
  })

  it('has the number of lines that the README says', () => {
    const lines = readdirSync(taskFolder).flatMap((file) =>
      readFileSync(join(taskFolder, file), 'utf8').trim().split('\n'),
    )
    expect(blocks.length).toBe(5)
    expect(text).toContain(`needs ${lines.length} lines in these files`)
    expect(lines.length).toBeLessThanOrEqual(124)
  })
})

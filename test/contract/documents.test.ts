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
const readmes = files.filter((file) => basename(file) === 'README.md')

/** Names of files in code style: `save.ts`, `kernel/record/save.ts`. A pattern such as `<area>/openapi.yaml` is not a file name. */
const named = /`([\w][\w./-]*\.(?:ts|md|graphql|ya?ml))`/g

function exists(name: string, readme: string): boolean {
  if (!name.includes('/')) return names.has(name)
  return [dirname(readme), '.', 'subgraphs', 'schema'].some((folder) => existsSync(join(projectRoot, folder, name)))
}

describe('the README of', () => {
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

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'

/** The part of the code to which a file belongs. The configuration of the tests is one of them. */
function partOf(file: string): string {
  if (file === 'vitest.config.ts') return 'test'
  const [top, second] = file.split('/')
  if (top === 'subgraphs')
    return second!.endsWith('.ts')
      ? 'root'
      : second === 'kernel'
        ? 'kernel'
        : second === 'demo'
          ? 'root'
          : `subgraph ${second}`
  return file.includes('/') ? top! : 'root'
}

/** A subgraph may import another subgraph only through its `public.ts`. */
function mayImport(from: string, to: string, target: string): boolean {
  if (from === to) return true
  // The command line knows the platform only by its public API.
  if (from === 'cli' || to === 'cli') return false
  if (from === 'root' || from === 'test') return to !== 'test'
  if (to === 'test' || to === 'root') return false
  if (to === 'kernel') return true
  if (from.startsWith('subgraph') && to.startsWith('subgraph')) return target.endsWith('/public.ts')
  return from === 'rest-adapter' && to === 'gateway'
}

/** Packages that only these files may import. */
const guarded: readonly { readonly what: RegExp; readonly where: RegExp }[] = [
  { what: /^@apollo\//, where: /^(gateway\/|subgraphs\/kernel\/(subgraph|package-internals)\/|test\/)/ },
  { what: /^express$/, where: /^((main|start-gateway)\.ts|gateway\/|rest-adapter\/|test\/)/ },
]

const isTest = (file: string): boolean => /\.(test|fixture)\.ts$/.test(file)

function sources(folder = projectRoot): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return /^(node_modules|dist|\..*)$/.test(entry.name) ? [] : sources(path)
    return entry.name.endsWith('.ts') ? [relative(projectRoot, path)] : []
  })
}

const importLine = /^(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm

interface Import {
  readonly file: string
  readonly target: string
}

const imports: readonly Import[] = sources().flatMap((file) =>
  [...readFileSync(join(projectRoot, file), 'utf8').matchAll(importLine)].map((match) => {
    const target = (match[1] ?? match[2])!
    return { file, target: target.startsWith('.') ? join(dirname(file), target) : target }
  }),
)

/** Groups of files that import each other, imports of types included (the algorithm of Tarjan). */
function importCycles(): string[][] {
  const targets = new Map<string, string[]>()
  for (const { file, target } of imports) targets.set(file, [...(targets.get(file) ?? []), target])
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (file: string): void => {
    order.set(file, order.size)
    lowest.set(file, order.get(file)!)
    stack.push(file)
    for (const target of targets.get(file) ?? []) {
      if (!order.has(target)) visit(target)
      if (stack.includes(target)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(target)!))
    }
    if (lowest.get(file) !== order.get(file)) return
    const group = stack.splice(stack.indexOf(file))
    if (group.length > 1) found.push(group.toSorted())
  }
  for (const { file } of imports) if (!order.has(file)) visit(file)
  return found
}

describe('imports', () => {
  it('follow the table of allowed imports', () => {
    const wrong = imports.filter(({ file, target }) => {
      if (isTest(file) || !target.endsWith('.ts')) return false
      return !mayImport(partOf(file), partOf(target), target)
    })
    expect(wrong).toEqual([])
  })

  it('form no cycle, not even of types', () => {
    expect(importCycles()).toEqual([])
  })

  it('use the credentials of the kernel only through its public file', () => {
    const folder = 'subgraphs/kernel/credentials/'
    const wrong = imports.filter(
      ({ file, target }) => target.startsWith(folder) && !file.startsWith(folder) && target !== `${folder}public.ts`,
    )
    expect(wrong).toEqual([])
  })

  it('use restricted packages only in the allowed files', () => {
    const wrong = imports.filter(
      ({ file, target }) => !isTest(file) && guarded.some(({ what, where }) => what.test(target) && !where.test(file)),
    )
    expect(wrong).toEqual([])
  })

  it('read the environment only in one file of the platform, and in one of the command line', () => {
    const readers = sources().filter(
      (file) =>
        !isTest(file) &&
        partOf(file) !== 'test' &&
        /\bprocess\.env\b/.test(readFileSync(join(projectRoot, file), 'utf8')),
    )
    expect(readers).toEqual(['cli/environment.ts', 'subgraphs/kernel/config/config.ts'])
  })

  it('import no resource into the kernel', () => {
    const named = sources(join(projectRoot, 'subgraphs/kernel')).filter(
      (file) =>
        !isTest(file) &&
        /\b(crm|support|commerce|identity)\.[a-z]|\b(Case|Product|Lead|Contact)\b/.test(
          readFileSync(join(projectRoot, file), 'utf8'),
        ),
    )
    expect(named).toEqual([])
  })
})

import { createTwoFilesPatch } from 'diff'
import { samePath, type Files } from './project.ts'

export type Change = 'ONLY_HERE' | 'DIFFERENT' | 'ONLY_IN_ORGANIZATION'

export interface Difference {
  readonly path: string
  readonly change: Change
  /** What differs, as a unified patch from the organization to the project. */
  readonly patch: string
}

/** As much of JSON Schema as says what a property stands for that is not there. */
export interface FileSchema {
  readonly default?: unknown
  /** Without it a new component gets a value that is computed, and another keeps its own. */
  readonly 'x-computed-default'?: boolean
  readonly properties?: Readonly<Record<string, FileSchema>>
  readonly items?: FileSchema
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sorted(value[name])]),
  )
}

/** A value with its properties in the order of the schema, without those that say what their absence says too. */
export function withoutDefaults(value: unknown, schema: FileSchema): unknown {
  if (Array.isArray(value)) return schema.items ? value.map((item) => withoutDefaults(item, schema.items!)) : value
  const { properties } = schema
  if (!isObject(value) || !properties) return sorted(value)
  const names = [...Object.keys(properties), ...Object.keys(value)].filter((name) => name !== '$schema')
  return Object.fromEntries(
    [...new Set(names)].flatMap((name) => {
      const of = properties[name] ?? {}
      const given = value[name] ?? null
      return given === null || isSame(given, of.default) ? [] : [[name, withoutDefaults(given, of)]]
    }),
  )
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

/** A deployment leaves these properties as they are. */
function kept(here: unknown, there: unknown, { properties = {} }: FileSchema): unknown {
  if (!isObject(here) || !isObject(there)) return there
  const isKept = (name: string): boolean => properties[name]?.['x-computed-default'] === true && here[name] == null
  return Object.fromEntries(Object.entries(there).filter(([name]) => !isKept(name)))
}

/** The organization has the sources and the tests of functions as they were sent. */
const isKeptAsItIs = (path: string): boolean =>
  !path.endsWith('.json') || /\/functions\/[^/]+\/tests\//.test(`/${path}`)

/** The texts of both sides as they are compared: JSON in one form, everything else as it is. */
function compared(path: string, texts: { here?: string; there?: string }, schema: FileSchema): [string, string] {
  const [here, there] = !isKeptAsItIs(path) ? [parsed(texts.here), parsed(texts.there)] : []
  const shown = (value: unknown, text: string | undefined): string =>
    value === undefined ? (text ?? '') : `${JSON.stringify(withoutDefaults(value, schema), null, 2)}\n`
  return [shown(kept(here, there, schema), texts.there), shown(here, texts.here)]
}

/** What differs between a project and an organization. `schemaOf`: the schema of the files with this path. */
export function differences(here: Files, there: Files, schemaOf: (path: string) => FileSchema): Difference[] {
  const sides = new Map<string, { path: string; here?: string; there?: string }>()
  for (const [path, text] of Object.entries(there)) sides.set(samePath(path), { path, there: text })
  for (const [path, text] of Object.entries(here))
    sides.set(samePath(path), { ...sides.get(samePath(path)), path, here: text })
  return [...sides.values()]
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .flatMap((side) => {
      const { path, here: mine, there: theirs } = side
      const [before, after] = compared(path, side, schemaOf(path))
      if (mine !== undefined && theirs !== undefined && before === after) return []
      const change = mine === undefined ? 'ONLY_IN_ORGANIZATION' : theirs === undefined ? 'ONLY_HERE' : 'DIFFERENT'
      const patch = createTwoFilesPatch(`organization/${path}`, `project/${path}`, before, after)
      return [{ path, change, patch: patch.split('\n').slice(1).join('\n') }]
    })
}

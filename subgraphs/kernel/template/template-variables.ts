import type { Liquid } from 'liquidjs'
import { listedMax } from './template-bounds.ts'
import type { ParsedTemplate } from './parse-template.ts'

/** A variable that a template declares. */
export interface DeclaredVariable {
  readonly name: string
  readonly required: boolean
  readonly defaultValue: string | null
}

/** Values by name; those of records are objects: `{ contact: { firstName: 'Ida' } }`. */
export type TemplateValues = Readonly<Record<string, unknown>>

export interface VariableProblems {
  readonly missing: readonly string[]
  readonly unknown: readonly string[]
}

type Segments = readonly unknown[]

const derived = new Set(['size', 'first', 'last'])

/** `contact.firstName` of its segments, up to the first one that is not fixed. */
function pathOf(segments: Segments): string {
  const fixed: string[] = []
  for (const segment of segments) {
    if (typeof segment !== 'string' && typeof segment !== 'number') break
    fixed.push(String(segment))
  }
  if (fixed.length > 1 && derived.has(fixed.at(-1)!)) fixed.pop()
  return fixed.join('.')
}

const pathsIn = (engine: Liquid, source: string): string[] =>
  engine.globalVariableSegmentsSync(source).map((segments) => pathOf(segments))

export function valueAt(values: TemplateValues, path: string): unknown {
  let value: unknown = values
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

/** Whether an output has the filter `default` outside of quotes. */
const hasFallback = (output: string): boolean => /\|\s*default\s*:/.test(output.replaceAll(/"[^"]*"|'[^']*'/g, "''"))

const covers = (name: string, path: string): boolean => path === name || path.startsWith(`${name}.`)

/** The variables of a parsed template that have no value although it needs one, and those that are neither declared nor known. */
export function variableProblems(
  engine: Liquid,
  { templates, outputs, conditions }: ParsedTemplate,
  values: TemplateValues,
  declared: readonly DeclaredVariable[],
  known: readonly string[],
): VariableProblems {
  const used = [...new Set(engine.globalVariableSegmentsSync(templates).map((segments) => pathOf(segments)))]
  const optional = new Set(conditions.flatMap((condition) => pathsIn(engine, `{% if ${condition} %}{% endif %}`)))
  const needed = new Set(used)
  const pathsOf = (wanted: readonly string[]) => wanted.flatMap((output) => pathsIn(engine, `{{${output}}}`))
  const withoutFallback = new Set(pathsOf(outputs.filter((output) => !hasFallback(output))))
  for (const path of pathsOf(outputs.filter(hasFallback))) if (!withoutFallback.has(path)) optional.add(path)
  for (const path of optional) needed.delete(path)
  const missing: string[] = []
  const unknown: string[] = []
  for (const path of used) {
    const declaration = declared.find(({ name }) => covers(name, path))
    const isKnown = declaration !== undefined || known.some((name) => covers(name, path))
    if (!isKnown) unknown.push(path)
    else if (isEmpty(valueAt(values, path)) && (declaration ? declaration.required : needed.has(path)))
      missing.push(path)
  }
  return { missing: missing.slice(0, listedMax), unknown: unknown.slice(0, listedMax) }
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The given values with those of dotted names in their objects, and with the declared defaults. Objects have no prototype. */
export function completeValues(given: TemplateValues, declared: readonly DeclaredVariable[]): TemplateValues {
  const values = Object.create(null) as Record<string, unknown>
  const set = (path: string, value: unknown): void => {
    const names = path.split('.')
    let at = values
    for (const name of names.slice(0, -1)) {
      const inner = at[name]
      at[name] = Object.assign(Object.create(null) as object, isPlain(inner) ? inner : {})
      at = at[name] as Record<string, unknown>
    }
    at[names.at(-1)!] = value
  }
  for (const [name, value] of Object.entries(given)) if (!name.includes('.')) set(name, value)
  for (const [name, value] of Object.entries(given)) if (name.includes('.')) set(name, value)
  for (const { name, defaultValue } of declared)
    if (defaultValue !== null && isEmpty(valueAt(values, name))) set(name, defaultValue)
  return values
}

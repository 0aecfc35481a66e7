import type { FieldProblem } from '../../subgraphs/kernel/errors.ts'
import { isStorable } from '../../subgraphs/kernel/record/scalars.ts'
import { refusalOf } from '../body.ts'
import { fragmentNamed } from '../documents.ts'
import { resolve, type OpenApiDocument, type Parameter, type Schema } from '../openapi.ts'
import { adviceFor } from '../unknown-parameters.ts'

/** What callers can choose of the records that a read answers. */
export interface Shaping {
  /** The properties that `fields` can name, in the order of answers. */
  readonly fields: readonly string[]
  /** The related records that `expand` can name, each with the fragment that selects it and the fragments that it uses. */
  readonly relations: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** What a request chose. */
export interface Shape {
  /** Null: every property. */
  readonly only: ReadonlySet<string> | null
  readonly expand: readonly string[]
}

const valuesOf = (
  document: OpenApiDocument,
  parameters: readonly Parameter[],
  kind: Parameter['x-shape'],
): string[] => {
  const items = parameters.find((parameter) => parameter['x-shape'] === kind)?.schema?.items
  return items ? (resolve<Schema>(document, items).enum as string[]) : []
}

/** Null if the operation has neither `fields` nor `expand`. `fragments` are those of all areas. */
export function shapingOf(
  document: OpenApiDocument,
  parameters: readonly Parameter[],
  fragments: ReadonlyMap<string, string>,
): Shaping | null {
  const shaped = parameters.find((parameter) => parameter['x-shape'] === 'fields')
  if (!shaped) return null
  const prefix = shaped['x-fragments'] ?? ''
  const relations = valuesOf(document, parameters, 'expand').map(
    (name) => [name, fragmentNamed(relationFragment(prefix, name), fragments)] as const,
  )
  return { fields: valuesOf(document, parameters, 'fields'), relations: new Map(relations) }
}

/** The name of the fragment that selects a related record: `accountOwner`. */
export const relationFragment = (prefix: string, relation: string): string =>
  prefix + relation.charAt(0).toUpperCase() + relation.slice(1)

/** The shape in typed query parameters; null if the caller chose none. Refuses names that the operation does not have. */
export function shapeIn({ fields, relations }: Shaping, query: Readonly<Record<string, unknown>>): Shape | null {
  const [chosen, expanded] = [query['fields'], query['expand']] as (readonly string[] | undefined)[]
  if (!chosen && !expanded) return null
  const problems = [
    ...unknownIn('fields', chosen, fields, 'a field of this record'),
    ...unknownIn('expand', expanded, [...relations.keys()], 'a related record of this one'),
  ]
  if (problems.length > 0) throw refusalOf(problems)
  const asked = new Set(expanded)
  return { only: chosen ? new Set(chosen) : null, expand: [...relations.keys()].filter((name) => asked.has(name)) }
}

/** Each unknown name is compared with all known ones, so only the first ones are named. */
const explainedMax = 5

function unknownIn(
  parameter: string,
  names: readonly string[] = [],
  known: readonly string[],
  what: string,
): FieldProblem[] {
  // The validator refuses text that cannot be stored.
  const unknown = names.flatMap((name, index) => (known.includes(name) || !isStorable(name) ? [] : [{ name, index }]))
  return unknown.slice(0, explainedMax).map(({ name, index }) => {
    const message = `${name} is not ${what}; ${adviceFor(name, known)}`
    return { path: `${parameter}.${index}`, code: 'NOT_ALLOWED', message }
  })
}

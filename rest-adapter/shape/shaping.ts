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
  /** Whether `expand` can also name custom fields of the type LOOKUP, `customFields.site`. */
  readonly hasLookups: boolean
  /** The related records that `expand` can name, each with the fragment that selects it and the fragments that it uses. */
  readonly relations: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** What a request chose. */
export interface Shape {
  /** Null: every property. */
  readonly only: ReadonlySet<string> | null
  readonly expand: readonly string[]
  /** The API names of the custom fields of the type LOOKUP whose records are added, in alphabetical order. */
  readonly lookups: readonly string[]
}

const lookupPrefix = 'customFields.'
const apiName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** The API name in `customFields.site`; null for any other name. */
export function lookupNamed(name: string): string | null {
  const key = name.startsWith(lookupPrefix) ? name.slice(lookupPrefix.length) : ''
  return apiName.test(key) ? key : null
}

/** As the schema of names in `expand` describes such a name. */
export const lookupNamePattern = '^customFields\\.[A-Za-z_][A-Za-z0-9_]{0,63}$'

/** The property with the records that lookups name, by the API names of the lookups. */
export const relatedProperty = 'related'

const valuesOf = (
  document: OpenApiDocument,
  parameters: readonly Parameter[],
  kind: Parameter['x-shape'],
): { readonly names: string[]; readonly hasOthers: boolean } => {
  const items = parameters.find((parameter) => parameter['x-shape'] === kind)?.schema?.items
  if (!items) return { names: [], hasOthers: false }
  const { enum: names, anyOf = [] } = resolve<Schema>(document, items)
  const listed = names ?? anyOf.find((one) => one.enum)?.enum ?? []
  return { names: listed as string[], hasOthers: anyOf.length > 0 }
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
  const { names, hasOthers } = valuesOf(document, parameters, 'expand')
  const relations = names.map((name) => [name, fragmentNamed(relationFragment(prefix, name), fragments)] as const)
  return {
    fields: valuesOf(document, parameters, 'fields').names,
    hasLookups: hasOthers,
    relations: new Map(relations),
  }
}

/** The name of the fragment that selects a related record: `accountOwner`. */
export const relationFragment = (prefix: string, relation: string): string =>
  prefix + relation.charAt(0).toUpperCase() + relation.slice(1)

/** The shape in typed query parameters; null if the caller chose none. Refuses names that the operation does not have. */
export function shapeIn(
  { fields, relations, hasLookups }: Shaping,
  query: Readonly<Record<string, unknown>>,
): Shape | null {
  const [chosen, expanded] = [query['fields'], query['expand']] as (readonly string[] | undefined)[]
  if (!chosen && !expanded) return null
  const lookups = new Set(hasLookups ? expanded?.flatMap((name) => lookupNamed(name) ?? []) : [])
  const isLookup = (name: string): boolean => lookups.has(lookupNamed(name) ?? '')
  const problems = [
    ...unknownIn('fields', chosen, fields, 'a field of this record'),
    ...unknownIn('expand', expanded, [...relations.keys()], 'a related record of this one', isLookup),
  ]
  if (problems.length > 0) throw refusalOf(problems)
  const asked = new Set(expanded)
  return {
    only: chosen ? new Set(chosen) : null,
    expand: [...relations.keys()].filter((name) => asked.has(name)),
    lookups: [...lookups].toSorted(),
  }
}

/** Each unknown name is compared with all known ones, so only the first ones are named. */
const explainedMax = 5

function unknownIn(
  parameter: string,
  names: readonly string[] = [],
  known: readonly string[],
  what: string,
  isAlsoKnown: (name: string) => boolean = () => false,
): FieldProblem[] {
  // The validator refuses text that cannot be stored.
  const unknown = names.flatMap((name, index) =>
    known.includes(name) || isAlsoKnown(name) || !isStorable(name) ? [] : [{ name, index }],
  )
  return unknown.slice(0, explainedMax).map(({ name, index }) => {
    const message = `${name} is not ${what}; ${adviceFor(name, known)}`
    return { path: `${parameter}.${index}`, code: 'NOT_ALLOWED', message }
  })
}

import { Kind, parse } from 'graphql'
import type { FieldProblem } from '../subgraphs/kernel/errors.ts'
import { parseJsonExactly } from '../subgraphs/kernel/json/exact-json.ts'
import { exactNumber, isJsonObject } from '../subgraphs/kernel/json/exact-number.ts'
import { isId } from '../subgraphs/kernel/ids.ts'
import { customFieldKey } from '../subgraphs/kernel/record/custom-field-column.ts'
import { isStorable } from '../subgraphs/kernel/record/scalars.ts'
import { refusalOf } from './body.ts'
import type { RestOperation } from './rest-operation.ts'
import { typesOf, type Parameter, type Schema } from './openapi.ts'
import { fieldAndUnit } from './field-and-unit.ts'
import type { QueryPairs } from './query.ts'

export type Values = Record<string, unknown>
type Place = 'path' | 'query' | 'header' | 'body' | 'input'
type Read = (text: string) => unknown

/** The source of one GraphQL variable. `input` is the whole body. */
export interface Source {
  readonly variable: string
  readonly place: Place
  readonly name: string
  /** Which items of the list are the value, if custom fields have a variable of their own. */
  readonly items?: 'FIELDS' | 'CUSTOM_FIELDS'
}

/** Query parameters as typed values, and the names of unknown parameters. */
export interface ReadQuery {
  readonly values: Values
  readonly unknown: readonly string[]
}

interface QueryReader {
  readonly name: string
  readonly read: Read
  readonly isList: boolean
  /** Whether the parameter may also be written as `name[key]=value`. */
  readonly isObject: boolean
}

/** The variables of a stored document, each with all parameters and body properties that have its name. */
export function sourcesOf(operation: RestOperation): { variable: string; isRequired: boolean; sources: Source[] }[] {
  return variablesOf(operation).map(({ name: variable, isRequired }) => {
    const sources: Source[] = operation.parameters
      .filter((parameter) => variableOf(parameter) === variable || parameter['x-custom-fields'] === variable)
      .map((parameter) => ({
        variable,
        place: parameter.in as Place,
        name: parameter.name,
        ...(parameter['x-custom-fields'] && {
          items: parameter['x-custom-fields'] === variable ? 'CUSTOM_FIELDS' : 'FIELDS',
        }),
      }))
    if (operation.body) {
      if (variable === 'input') sources.push({ variable, place: 'input', name: '' })
      else if (Object.hasOwn(operation.body.schema.properties ?? {}, variable)) {
        sources.push({ variable, place: 'body', name: variable })
      }
    }
    return { variable, isRequired, sources }
  })
}

/** The variable of a parameter. A header or a cookie is a variable only if it has `x-variable`; a second name is none, and neither is the shape of the answer. */
export function variableOf(parameter: Parameter): string | null {
  if (parameter['x-alias-of'] || parameter['x-credential'] || parameter['x-shape']) return null
  return parameter['x-variable'] ?? (parameter.in === 'header' || parameter.in === 'cookie' ? null : parameter.name)
}

function variablesOf(operation: RestOperation): { name: string; isRequired: boolean }[] {
  const definition = parse(operation.document ?? '{ __typename }').definitions.find(
    (node) => node.kind === Kind.OPERATION_DEFINITION,
  )
  return (definition?.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => ({
    name: variable.name.value,
    isRequired: type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined,
  }))
}

/** Converts the parts of a request to the variables of one stored document. It is compiled once per operation. */
export class Translation {
  private readonly sources: readonly Source[]
  private readonly query: ReadonlyMap<string, QueryReader>
  /** The names of all query parameters. */
  readonly parameterNames: readonly string[]
  /** Second names of query parameters, each with the first name. */
  private readonly aliases: readonly (readonly [alias: string, name: string])[]
  /** Those whose items are fields with units. */
  private readonly withUnits: ReadonlySet<string>
  private readonly headers: readonly { name: string; key: string; read: Read }[]
  private readonly path: readonly { name: string; isValid: (value: string) => boolean }[]
  private readonly hasRequiredInputs: boolean

  constructor(operation: RestOperation) {
    this.sources = sourcesOf(operation).map(({ variable, sources }) => {
      const [source] = sources
      if (!source || sources.length > 1) throw new Error(`${operation.id}: $${variable} has ${sources.length} sources.`)
      return source
    })
    const placed = (place: Parameter['in']) => operation.parameters.filter((parameter) => parameter.in === place)
    this.query = new Map(placed('query').map((parameter) => [parameter.name, queryReader(parameter)]))
    this.parameterNames = [...this.query.keys()]
    this.aliases = placed('query').flatMap((parameter) => {
      const name = parameter['x-alias-of']
      return name ? [[parameter.name, name] as const] : []
    })
    this.withUnits = new Set(placed('query').flatMap((one) => (one['x-field-and-unit'] ? [one.name] : [])))
    this.path = placed('path').map(({ name, schema }) => ({ name, isValid: pathValueTest(schema ?? {}) }))
    this.headers = placed('header')
      .filter((parameter) => variableOf(parameter) !== null)
      .map(({ name, schema }) => ({ name, key: name.toLowerCase(), read: reader(schema ?? {}) }))
    this.hasRequiredInputs = operation.parameters.some(
      (parameter) => parameter.required && parameter.in !== 'path' && variableOf(parameter) !== null,
    )
  }

  /** The name of the first path parameter whose value cannot be the key of a record; null if all can. */
  invalidPathParameter(path: Readonly<Record<string, string | string[] | undefined>>): string | null {
    for (const { name, isValid } of this.path) {
      const value = path[name]
      if (typeof value !== 'string' || !isValid(value)) return name
    }
    return null
  }

  /** Converts query text to typed values; text that cannot be converted stays text, and the validator refuses it. */
  readQuery(pairs: QueryPairs): ReadQuery {
    const values: Values = {}
    const unknown: string[] = []
    const problems: FieldProblem[] = []
    for (const [name, text] of pairs) {
      const member = this.query.has(name) ? null : /^([^[\]]+)\[([^[\]]+)\]$/.exec(name)
      const parameter = this.query.get(member ? member[1]! : name)
      if (!parameter || (member && !parameter.isObject)) unknown.push(name)
      else if (member) addMember(values, parameter.name, member[2]!, text, problems)
      else if (parameter.isList) ((values[name] ??= []) as unknown[]).push(...listOf(text, parameter.read))
      else if (Object.hasOwn(values, name)) problems.push(repeated(name))
      else values[name] = parameter.read(text)
    }
    for (const [alias, name] of this.aliases)
      if (Object.hasOwn(values, alias) && Object.hasOwn(values, name)) problems.push(repeated(alias))
    if (problems.length > 0) throw refusalOf(problems)
    return { values, unknown }
  }

  /** Whether the request has, or must have, query parameters or headers that need validation. */
  hasInputs(query: Values, headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
    if (this.hasRequiredInputs) return true
    for (const _ in query) return true
    return this.headers.some(({ key }) => headers[key] !== undefined)
  }

  variables(
    path: Readonly<Record<string, string | string[] | undefined>>,
    query: Values,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    body: unknown,
  ): Values {
    const variables: Values = {}
    const properties = body as Values | undefined
    for (const { variable, place, name, items } of this.sources) {
      let value: unknown
      if (place === 'path') value = path[name]
      else if (this.withUnits.has(name)) value = (query[name] as string[] | undefined)?.map(fieldAndUnit)
      else if (items) value = itemsOf(query[name], items)
      else if (place === 'query') value = query[name] ?? this.aliasedValue(query, name)
      else if (place === 'header') value = this.header(name, headers)
      else if (place === 'input') value = body
      else if (properties && Object.hasOwn(properties, name)) value = properties[name]
      if (value !== undefined) variables[variable] = value
    }
    return variables
  }

  private aliasedValue(query: Values, name: string): unknown {
    const alias = this.aliases.find(([given, original]) => original === name && query[given] !== undefined)
    return alias && query[alias[0]]
  }

  private header(name: string, headers: Readonly<Record<string, string | string[] | undefined>>): unknown {
    const header = this.headers.find((candidate) => candidate.name === name)
    const text = header && headers[header.key]
    return typeof text === 'string' ? header!.read(text) : undefined
  }
}

/** The names of fields in a list, or the keys of the custom fields in it; undefined if there are none. */
function itemsOf(list: unknown, items: 'FIELDS' | 'CUSTOM_FIELDS'): readonly string[] | undefined {
  const names = (list as readonly string[] | undefined) ?? []
  const found = names.flatMap((name) => {
    const key = customFieldKey(name)
    if (items === 'CUSTOM_FIELDS') return key === null ? [] : [key]
    return key === null ? [name] : []
  })
  return found.length > 0 ? found : undefined
}

/** Whether the value is an object, which may be written in brackets or as JSON. */
export const isObjectParameter = ({ style }: Parameter): boolean => style === 'deepObject'

function queryReader(parameter: Parameter): QueryReader {
  const { name } = parameter
  if (isObjectParameter(parameter)) return { name, read: readJson, isList: false, isObject: true }
  const schema = parameter.schema ?? {}
  const isList = typesOf(schema).includes('array')
  return { name, read: reader(isList ? (schema.items ?? {}) : schema), isList, isObject: false }
}

export function reader(schema: Schema): Read {
  if (schema.format === 'etag') return readVersion
  if (schema.format === 'any-etag') return (text) => isAnyVersion(text) || text
  const [type] = typesOf(schema)
  switch (type) {
    case 'integer':
      return (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text)
    case 'number':
      return (text) => (/^-?\d{1,15}(\.\d{1,20})?$/.test(text) ? exactNumber(text) : text)
    case 'boolean':
      return (text) => (text === 'true' ? true : text === 'false' ? false : text)
    default:
      return isInBothCases(schema)
        ? (text) => (schema.enum!.includes(text) ? text.toUpperCase() : text)
        : (text) => text
  }
}

/** A parameter such as `sortOrder` accepts its values in both cases; the enumeration of the graph has upper case only. */
const isInBothCases = ({ enum: values = [] }: Schema): boolean =>
  values.some(
    (value) => typeof value === 'string' && value !== value.toUpperCase() && values.includes(value.toUpperCase()),
  )

/** What follows the version does not matter for a change (`response.ts`). */
const entityTag = /^\s*(?:W\/)?("?)(\d{1,9})(?:(?:-[0-9a-z]{1,12}){1,9})?\1\s*$/

/** `*`, any version. */
export const isAnyVersion = (text: string): boolean => text.trim() === '*'

export const isVersionMatch = (text: string): boolean => isAnyVersion(text) || entityTag.test(text)

/** `*` matches any version, so it gives no expected version. */
function readVersion(text: string): number | undefined {
  const match = entityTag.exec(text)
  return match ? Number(match[2]) : undefined
}

function readJson(text: string): unknown {
  try {
    return parseJsonExactly(text)
  } catch {
    return text
  }
}

const listOf = (text: string, read: Read): unknown[] =>
  text === '' ? [] : text.split(',').map((item) => read(item.trim()))

const repeated = (path: string): FieldProblem => ({
  path,
  code: 'REPEATED',
  message: `${path} must be given only once.`,
})

function addMember(values: Values, name: string, key: string, text: string, problems: FieldProblem[]): void {
  const path = `${name}.${key}`
  const members = Object.hasOwn(values, name) ? values[name] : {}
  if (!isJsonObject(members)) problems.push(repeated(name))
  else if (key === '__proto__')
    problems.push({ path, code: 'UNKNOWN_FIELD', message: `${path} must not be the name of a custom field.` })
  else if (Object.hasOwn(members, key)) problems.push(repeated(path))
  else values[name] = { ...members, [key]: text }
}

/** A path value that its schema does not allow cannot be the key of a record, so the request is refused with 404 without the validator. */
function pathValueTest({ format, minLength = 1, maxLength = 255 }: Schema): (value: string) => boolean {
  if (format === 'uuid') return isId
  return (value) => {
    const length = value.length > maxLength * 2 ? value.length : Array.from(value).length
    return length >= minLength && length <= maxLength && isStorable(value)
  }
}

import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  parse,
  validate,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql'

export interface GeneratedQuery {
  readonly document: string
  readonly variables: Record<string, unknown>
}

export interface GenerateOptions {
  /** Levels of nested selections; default 5. */
  readonly depth?: number
  readonly operation?: 'query' | 'mutation'
  /** Values to choose from, as JSON, by `Type.field.argument`, `Input.field`, argument name or type name, in this order. */
  readonly values?: Readonly<Record<string, readonly unknown[]>>
  /** Coordinates (`Type.field`) and types that are never selected. */
  readonly exclude?: readonly string[]
  /** The share of selections with `@skip` or `@include`; default 0.1. */
  readonly conditional?: number
  /** Mixes `__schema` and `__type` into some queries. */
  readonly introspection?: boolean
}

/** A small, fast and deterministic random generator (mulberry32): the same seed gives the same queries. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const valuesOfScalar: Readonly<Record<string, readonly unknown[]>> = {
  Int: [1, 2, 3, 5],
  Float: [0.5, 2, -1e21, 5e-324],
  String: ['a', ''],
  ID: ['1', 'nothing'],
  Boolean: [true, false],
  DateTime: ['2027-01-01', '2027-01-01T09:30:00+02:00', '0001-01-01T00:00:00.000Z'],
  JSON: [{}, [], 'text', 1e21, true, { a: [1, null, { b: 'x' }], c: {} }],
}

const introspections = [
  '__schema { queryType { name } }',
  'meta: __schema { types { name kind } }',
  '__type(name: "Query") { name fields { name args { name defaultValue } } }',
]

/** A JSON value as a GraphQL literal: names have no quotes. */
function untyped(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(untyped).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, part]) => `${name}: ${untyped(part)}`)
    .join(', ')}}`
}

/** Generates one operation. Every response name that could conflict gets a unique alias. */
class QueryWriter {
  private readonly definitions: string[] = []
  private readonly variables: Record<string, unknown> = {}
  private readonly fragments: string[] = []
  private readonly conditionVariables: string[] = []
  private aliases = 0
  private readonly schema: GraphQLSchema
  private readonly random: () => number
  private readonly options: GenerateOptions

  constructor(schema: GraphQLSchema, random: () => number, options: GenerateOptions) {
    this.schema = schema
    this.random = random
    this.options = options
  }

  write(): GeneratedQuery | null {
    const operation = this.options.operation ?? 'query'
    const root = operation === 'query' ? this.schema.getQueryType() : this.schema.getMutationType()
    if (!root) return null
    const selection = this.selection(root, this.options.depth ?? 5, operation === 'query' ? 1 + this.below(3) : 1)
    const extra =
      operation === 'query' && this.options.introspection && this.chance(0.1) ? this.pick(introspections) : ''
    const declared = this.definitions.length > 0 ? `(${this.definitions.join(', ')})` : ''
    const document = [`${operation} Generated${declared} { ${selection} ${extra} }`, ...this.fragments].join('\n')
    return { document, variables: this.variables }
  }

  private below(count: number): number {
    return Math.floor(this.random() * count)
  }

  private chance(probability: number): boolean {
    return this.random() < probability
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }

  private selection(type: GraphQLCompositeType, depth: number, count = 1 + this.below(4)): string {
    const parts: string[] = []
    if ('getFields' in type) {
      const fields = this.selectable(type, depth)
      for (let number = 0; number < count && fields.length > 0; number++)
        parts.push(this.field(type, this.pick(fields), depth))
    }
    if (isAbstractType(type)) {
      const possible = this.schema.getPossibleTypes(type).filter((one) => !this.isExcluded(one.name))
      for (const one of possible) if (this.chance(0.6)) parts.push(this.fragment(one, depth))
    } else if (this.chance(0.12)) {
      parts.push(this.fragment(this.chance(0.5) ? type : this.pick([type, ...type.getInterfaces()]), depth))
    }
    if (parts.length === 0 || this.chance(0.15))
      parts.push(this.chance(0.3) ? `kind${++this.aliases}: __typename` : '__typename')
    return parts.join(' ')
  }

  private isExcluded(coordinate: string): boolean {
    return this.options.exclude?.includes(coordinate) ?? false
  }

  private selectable(
    type: Extract<GraphQLCompositeType, { getFields: unknown }>,
    depth: number,
  ): GraphQLField<unknown, unknown>[] {
    return Object.values(type.getFields()).filter((field) => {
      const named = getNamedType(field.type)
      if (this.isExcluded(`${type.name}.${field.name}`) || this.isExcluded(named.name)) return false
      return depth > 1 || !isCompositeType(named)
    })
  }

  private field(parent: GraphQLCompositeType, field: GraphQLField<unknown, unknown>, depth: number): string {
    const given = field.args.flatMap((argument) => {
      if (!isNonNullType(argument.type) && this.chance(0.5)) return []
      const coordinate = `${parent.name}.${field.name}.${argument.name}`
      return `${argument.name}: ${this.argument(argument.type, [coordinate, argument.name])}`
    })
    const isAliased = given.length > 0 || this.chance(0.15)
    const alias = isAliased ? `${field.name}${++this.aliases}: ` : ''
    const named = getNamedType(field.type)
    const selection = isCompositeType(named) ? ` { ${this.selection(named, depth - 1)} }` : ''
    const fieldText = `${field.name}${given.length > 0 ? `(${given.join(', ')})` : ''}`
    const text = `${alias}${fieldText}${this.condition()}${selection}`
    // The same field twice, with other sub-selections, must come out merged.
    if (!alias && selection && this.chance(0.1))
      return `${text} ${fieldText}${this.condition()} { ${this.selection(named as GraphQLObjectType, depth - 1)} }`
    return text
  }

  private fragment(type: GraphQLCompositeType, depth: number): string {
    if (this.chance(0.3)) {
      const name = `Part${this.fragments.length + 1}`
      this.fragments.push('')
      const place = this.fragments.length - 1
      this.fragments[place] = `fragment ${name} on ${type.name} { ${this.selection(type, depth)} }`
      return `...${name}${this.condition()}${this.chance(0.1) ? ` ...${name}${this.condition()}` : ''}`
    }
    return `... on ${type.name}${this.condition()} { ${this.selection(type, depth)} }`
  }

  private condition(): string {
    const { conditional = 0.1 } = this.options
    if (!this.chance(conditional)) return ''
    const both = this.chance(0.1)
    const directives = both ? ['skip', 'include'] : [this.pick(['skip', 'include'])]
    return directives.map((name) => ` @${name}(if: ${this.conditionValue()})`).join('')
  }

  /** A literal, a new variable, or a variable that is used in another condition as well. */
  private conditionValue(): string {
    if (this.chance(0.25)) return String(this.chance(0.5))
    if (this.conditionVariables.length > 0 && this.chance(0.4)) return this.pick(this.conditionVariables)
    const variable = this.variable('Boolean!', this.chance(0.5))
    this.conditionVariables.push(variable)
    return variable
  }

  private variable(type: string, value: unknown): string {
    const name = `v${this.definitions.length + 1}`
    this.definitions.push(`$${name}: ${type}`)
    this.variables[name] = value
    return `$${name}`
  }

  private argument(type: GraphQLInputType, names: readonly string[]): string {
    const value = this.value(type, names, 2)
    return this.chance(0.5) ? this.variable(String(type), value) : this.literal(type, value)
  }

  private value(type: GraphQLInputType, names: readonly string[], depth: number, isRequired = false): unknown {
    if (isNonNullType(type)) return this.value(type.ofType, names, depth, true)
    const named = getNamedType(type)
    const known = [...names, named.name]
      .map((name) => this.options.values?.[name])
      .find((values) => values !== undefined)
    if (known) return this.pick(isRequired ? known.filter((value) => value !== null) : known)
    if (isListType(type)) return depth > 0 ? [this.value(type.ofType, names, depth - 1)] : []
    if (isEnumType(type)) return this.pick(type.getValues()).name
    if (!isInputObjectType(type)) return this.pick(valuesOfScalar[named.name] ?? ['a'])
    const fields = Object.values(type.getFields()).filter(
      (field) => isNonNullType(field.type) || (depth > 0 && this.chance(0.4)),
    )
    return Object.fromEntries(
      fields.map((field) => [field.name, this.value(field.type, [`${type.name}.${field.name}`], depth - 1)]),
    )
  }

  private literal(type: GraphQLInputType, value: unknown): string {
    if (value === null || value === undefined) return 'null'
    const nullable = isNonNullType(type) ? type.ofType : type
    if (isListType(nullable)) {
      return Array.isArray(value)
        ? `[${value.map((item) => this.literal(nullable.ofType, item)).join(', ')}]`
        : this.literal(nullable.ofType, value)
    }
    if (isEnumType(nullable) && typeof value === 'string') return value
    if (!isInputObjectType(nullable) || typeof value !== 'object') return untyped(value)
    const fields = nullable.getFields()
    const parts = Object.entries(value).map(([name, part]) => `${name}: ${this.literal(fields[name]!.type, part)}`)
    return `{${parts.join(', ')}}`
  }
}

/**
 * `count` different, valid operations against the API schema: nested selections, aliases, fragments, merged
 * fields, conditions, arguments and variables. The same seed gives the same operations.
 */
export function generateQueries(
  schema: GraphQLSchema,
  seed: number,
  count: number,
  options: GenerateOptions = {},
): GeneratedQuery[] {
  const random = randomOf(seed)
  const queries = new Map<string, GeneratedQuery>()
  for (let attempts = 0; queries.size < count && attempts < count * 20; attempts++) {
    const query = new QueryWriter(schema, random, options).write()
    if (query && validate(schema, parse(query.document)).length === 0) queries.set(JSON.stringify(query), query)
  }
  return [...queries.values()]
}

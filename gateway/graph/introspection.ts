import {
  executeSync,
  getArgumentValues,
  getIntrospectionQuery,
  getNamedType,
  isCompositeType,
  isObjectType,
  Kind,
  parse,
  print,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { withoutUnusedVariables } from './conditions.ts'
import { defaultLimits } from './limits.ts'
import { operationParts, type OperationParts } from './operation.ts'
import type { Data } from './shape.ts'
import type { Variables } from './variable-values.ts'

type Field = GraphQLField<unknown, unknown>

/** The schema elements to which one selection applies, and how often each. */
type Elements = Map<unknown, number>

const metaFields: Readonly<Record<string, Field>> = { __schema: SchemaMetaFieldDef, __type: TypeMetaFieldDef }

/** A longer value counts as several values. The same holds for a response name, which the answer repeats. */
const charactersPerValue = 50
const answersBytesMax = 32_000_000
/** Memory of an answer for each character of its JSON. */
const bytesPerCharacter = 4

const itemsOf = (value: unknown): Iterable<unknown> => {
  if (value === null || value === undefined) return []
  return typeof value === 'object' && Symbol.iterator in value ? (value as Iterable<unknown>) : [value]
}

/** Counts the values of an answer without building it: each schema element is visited once per selection. */
class Count {
  values = 0

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: OperationParts['fragments'],
    private readonly variables: Variables,
    private readonly valuesMax: number,
    private readonly depthMax: number,
  ) {}

  below({ selections }: SelectionSetNode, type: GraphQLObjectType, elements: Elements, depth: number): void {
    if (depth > this.depthMax) {
      throw new Refusal('GRAPHQL_LIMIT_EXCEEDED', `Introspection depth limit of ${this.depthMax} exceeded.`)
    }
    for (const node of selections) {
      if (this.values > this.valuesMax) return
      if (node.kind === Kind.FIELD) this.field(node, type, elements, depth)
      else {
        const fragment = node.kind === Kind.FRAGMENT_SPREAD ? this.fragments.get(node.name.value) : node
        if (fragment) this.below(fragment.selectionSet, type, elements, depth)
      }
    }
  }

  private field(node: FieldNode, type: GraphQLObjectType, elements: Elements, depth: number): void {
    const { value: name } = node.name
    const isRoot = depth === 0
    const field = isRoot ? metaFields[name] : type.getFields()[name]
    if (!field) {
      // Data fields next to introspection fields are counted by the list cost.
      if (!isRoot) this.values += sumOf(elements)
      return
    }
    const key = (node.alias ?? node.name).value
    const given = getArgumentValues(field, node, this.variables)
    const named = getNamedType(field.type)
    const found: Elements = new Map()
    for (const [element, times] of elements) {
      for (const item of itemsOf(this.resolve(field, element, given))) {
        if (isCompositeType(named)) found.set(item, (found.get(item) ?? 0) + times)
        else this.values += times * Math.floor(String(item).length / charactersPerValue)
      }
      this.values += times * (1 + Math.floor(key.length / charactersPerValue))
      if (this.values > this.valuesMax) return
    }
    if (!isObjectType(named) || !node.selectionSet) return
    this.values += sumOf(found)
    this.below(node.selectionSet, named, found, depth + 1)
  }

  private resolve(field: Field, element: unknown, given: Readonly<Record<string, unknown>>): unknown {
    const info = { schema: this.schema, parentType: null } as unknown as GraphQLResolveInfo
    return field.resolve
      ? field.resolve(element, given, null, info)
      : (element as Record<string, unknown> | null)?.[field.name]
  }
}

function sumOf(elements: Elements): number {
  let sum = 0
  for (const times of elements.values()) sum += times
  return sum
}

/** The introspection query that common clients send at start. It selects the whole schema. */
const clientQuery = getIntrospectionQuery({
  inputValueDeprecation: true,
  directiveIsRepeatable: true,
  specifiedByUrl: true,
  schemaDescription: true,
})
/** The maximum cost of `clientQuery`: half of the limit, for a schema of any size. */
const clientQueryCostMax = defaultLimits.cost / 2
const valuesPerObjectMin = 5

/** Answers introspection and counts its cost. */
export class Introspection {
  readonly #schema: GraphQLSchema
  #valuesPerObject: number | null = null
  readonly #answers = new LRUCache<string, Data>({ maxSize: answersBytesMax })

  constructor(schema: GraphQLSchema) {
    this.#schema = schema
  }

  /** Estimated bytes of the cached answers. */
  get bytes(): number {
    return this.#answers.calculatedSize
  }

  /** This many values of the answer cost as much as one object of data: five, or more on a large schema. Computed once, at the first use. */
  get valuesPerObject(): number {
    if (this.#valuesPerObject === null) {
      const bounds = { valuesMax: Infinity, depthMax: defaultLimits.introspectionDepth }
      const values = this.valuesOf(operationParts(parse(clientQuery), null), {}, bounds)
      this.#valuesPerObject = Math.max(valuesPerObjectMin, Math.ceil(values / clientQueryCostMax))
    }
    return this.#valuesPerObject
  }

  /** The number of values in the answer if all conditions hold; counting stops soon after `valuesMax`. */
  valuesOf(
    { operation, fragments }: OperationParts,
    variables: Variables,
    { valuesMax, depthMax }: { readonly valuesMax: number; readonly depthMax: number },
  ): number {
    const root = this.#schema.getRootType(operation.operation)
    if (!root) return 0
    const count = new Count(this.#schema, fragments, variables, valuesMax, depthMax)
    count.below(operation.selectionSet, root, new Map([[null, 1]]), 0)
    return count.values
  }

  /** The answer to these fields of one operation whose conditions are evaluated. The cache key is the normalised selection. */
  answer({ operation, fragments }: OperationParts, selections: readonly FieldNode[], variables: Variables): Data {
    const whole: DocumentNode = {
      kind: Kind.DOCUMENT,
      definitions: [
        { ...operation, name: undefined, selectionSet: { kind: Kind.SELECTION_SET, selections } },
        ...fragments.values(),
      ],
    }
    const { document, operation: lean } = operationParts(
      withoutUnusedVariables(operationParts(whole, null).document),
      null,
    )
    const used = lean.variableDefinitions?.map(({ variable }) => variables[variable.name.value] ?? null)
    const key = `${print(document)}\n${JSON.stringify(used)}`
    const known = this.#answers.get(key)
    if (known) return known
    const { data } = executeSync({ schema: this.#schema, document, rootValue: {}, variableValues: variables })
    if (!data) throw new Error('Introspection failed on a validated document.')
    const characters = key.length + JSON.stringify(data).length
    this.#answers.set(key, data as Data, { size: characters * bytesPerCharacter })
    return data as Data
  }
}

import { executeSync, Kind, type FieldNode, type GraphQLFormattedError, type GraphQLSchema } from 'graphql'
import { collectFields, type Reading } from './collect.ts'
import { complete } from './complete.ts'
import type { OperationParts } from './operation.ts'
import { ObjectShape, type Data } from './shape.ts'
import type { Variables } from './variables.ts'

export interface Answer {
  readonly data: Data | null
  readonly errors: readonly GraphQLFormattedError[]
}

interface Variant {
  readonly root: ObjectShape
  readonly introspection: readonly FieldNode[]
}

// Each combination of conditions has its own shape; an operation with many conditions forgets the oldest.
const variantsMax = 64

/** Shapes the data of one operation, as its conditions have it. */
export class Answers {
  private readonly schema: GraphQLSchema
  private readonly parts: OperationParts
  private readonly variants = new Map<string, Variant>()
  private introspected: Data | null = null

  constructor(schema: GraphQLSchema, parts: OperationParts) {
    this.schema = schema
    this.parts = parts
  }

  of(data: Data, variables: Variables): Answer {
    const { root, introspection } = this.variant(variables)
    return complete(root, data, introspection.length > 0 ? this.introspect(introspection, variables) : {})
  }

  private variant(variables: Variables): Variant {
    const { conditions, operation, fragments } = this.parts
    const name = conditions.map((condition) => (variables[condition] === true ? '1' : '0')).join('')
    const known = this.variants.get(name)
    if (known) return known
    const flags = Object.fromEntries(conditions.map((condition) => [condition, variables[condition] === true]))
    const reading: Reading = { schema: this.schema, fragments, flags }
    const type = this.schema.getRootType(operation.operation)
    if (!type) throw new Error(`The schema has no ${operation.operation} type.`)
    const fields = collectFields(reading, type, [operation.selectionSet])
    const variant = {
      root: new ObjectShape(reading, type, [operation.selectionSet]),
      introspection: Array.from(fields.values()).flatMap((field) =>
        field.name === '__schema' || field.name === '__type' ? field.nodes : [],
      ),
    }
    const [oldest] = this.variants.keys()
    if (oldest !== undefined && this.variants.size >= variantsMax) this.variants.delete(oldest)
    this.variants.set(name, variant)
    return variant
  }

  /** The answer is the same each time unless variables take part in it. */
  private introspect(selections: readonly FieldNode[], variableValues: Variables): Data {
    if (this.introspected) return this.introspected
    const { operation, fragments } = this.parts
    const { data } = executeSync({
      schema: this.schema,
      document: {
        kind: Kind.DOCUMENT,
        definitions: [{ ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections } }, ...fragments.values()],
      },
      rootValue: {},
      variableValues,
    })
    if (!data) throw new Error('Introspection failed on a validated document.')
    if (!operation.variableDefinitions?.length) this.introspected = data
    return data
  }
}

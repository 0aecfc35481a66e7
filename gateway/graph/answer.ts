import { executeSync, Kind, type FieldNode, type GraphQLFormattedError, type GraphQLSchema } from 'graphql'
import { collectFields, type Reading } from './collect.ts'
import { complete } from './complete.ts'
import type { OperationParts } from './operation.ts'
import { ObjectShape, type Data } from './shape.ts'
import type { ClientNames } from './taken-names.ts'
import type { Variables } from './variables.ts'

export interface Answer {
  readonly data: Data | null
  readonly errors: readonly GraphQLFormattedError[]
}

/** Shapes the data of one operation whose conditions are decided. */
export class Answers {
  private readonly schema: GraphQLSchema
  private readonly parts: OperationParts
  private readonly root: ObjectShape
  private readonly introspection: readonly FieldNode[]
  private introspected: Data | null = null

  constructor(schema: GraphQLSchema, parts: OperationParts, clientNames: ClientNames | null) {
    const { operation, fragments } = parts
    const type = schema.getRootType(operation.operation)
    if (!type) throw new Error(`The schema has no ${operation.operation} type.`)
    const reading: Reading = { schema, fragments, clientNames }
    this.schema = schema
    this.parts = parts
    this.root = new ObjectShape(reading, type, [operation.selectionSet])
    this.introspection = Array.from(collectFields(reading, type, [operation.selectionSet]).values()).flatMap((field) =>
      field.name === '__schema' || field.name === '__type' ? field.nodes : [],
    )
  }

  of(data: Data, variables: Variables): Answer {
    const { root, introspection } = this
    return complete(root, data, introspection.length > 0 ? this.introspect(introspection, variables) : {})
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

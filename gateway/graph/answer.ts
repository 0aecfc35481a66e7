import type { FieldNode, GraphQLFormattedError, GraphQLSchema } from 'graphql'
import { collectFields } from './collect.ts'
import { complete } from './complete.ts'
import type { Introspection } from './introspection.ts'
import type { OperationParts } from './operation.ts'
import type { Fetched } from './fetched.ts'
import { ObjectShape, type Data, type ShapeContext } from './shape.ts'
import type { ClientNames } from './collect.ts'
import type { Variables } from './variable-values.ts'

export interface Answer {
  readonly data: Data | null
  readonly errors: readonly GraphQLFormattedError[]
}

/** Builds the answers of one operation whose conditions are evaluated. */
export class Answers {
  private readonly parts: OperationParts
  private readonly root: ObjectShape
  private readonly introspected: readonly FieldNode[]
  private readonly introspection: Introspection

  constructor(
    { apiSchema: schema, introspection }: { readonly apiSchema: GraphQLSchema; readonly introspection: Introspection },
    parts: OperationParts,
    clientNames: ClientNames | null,
    fetched: Fetched | null,
  ) {
    const { operation, fragments } = parts
    const type = schema.getRootType(operation.operation)
    if (!type) throw new Error(`The schema has no ${operation.operation} type.`)
    // Other names than those of the client are replaced in the answer.
    const reading: ShapeContext = { schema, fragments, clientNames, fetched: clientNames ? null : fetched }
    this.parts = parts
    this.introspection = introspection
    this.root = new ObjectShape(reading, type, [operation.selectionSet])
    this.introspected = Array.from(collectFields(reading, type, [operation.selectionSet]).values()).flatMap((field) =>
      field.name === '__schema' || field.name === '__type' ? field.nodes : [],
    )
  }

  of(data: Data, variables: Variables): Answer {
    const { root, parts, introspected, introspection } = this
    return complete(root, data, introspected.length > 0 ? introspection.answer(parts, introspected, variables) : {})
  }
}

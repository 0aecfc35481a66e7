import {
  executeSync,
  Kind,
  OperationTypeNode,
  print,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql'
import type { GraphResult } from '../graph/graph.ts'
import type { Data } from '../graph/shape.ts'
import type { Variables } from '../graph/variable-values.ts'
import { convertRoot } from './convert-root.ts'
import type { SubscriptionCall } from './subscription-call.ts'

/** The result of a subscription for a payload whose fields are all in the payload itself. */
export interface Projection {
  resultOf(payload: object): GraphResult
}

/** Projections by their selection. Subscriptions with the same selection share the results of a shared payload. */
export class Projections {
  readonly #bySelection = new Map<string, { readonly projection: Projection; users: number }>()

  constructor(private readonly schema: GraphQLSchema) {}

  /** `release` must be called once when the subscription has ended. */
  use({ name, parts }: SubscriptionCall, variables: Variables): { projection: Projection; release: () => void } {
    const document = convertRoot(this.schema, parts, {
      operation: OperationTypeNode.SUBSCRIPTION,
      // The arguments decide which payloads are sent, not what is in them.
      field: (node) => ({ ...node, arguments: [] }),
    })
    const used = usedVariables(document, variables)
    const key = JSON.stringify([print(document), used])
    const entry = this.#bySelection.get(key) ?? { projection: this.#projection(name, document, used), users: 0 }
    entry.users++
    this.#bySelection.set(key, entry)
    const release = (): void => {
      if (--entry.users === 0) this.#bySelection.delete(key)
    }
    return { projection: entry.projection, release }
  }

  #projection(rootField: string, document: DocumentNode, variableValues: Variables): Projection {
    const known = new WeakMap<object, GraphResult>()
    const { schema } = this
    const resultOf = (payload: object): GraphResult => {
      const result = known.get(payload)
      if (result) return result
      const executed: ExecutionResult = executeSync({
        schema,
        document,
        rootValue: { [rootField]: payload },
        variableValues,
      })
      // A payload has every field of its type, so an error is a defect.
      if (executed.errors?.[0]) throw executed.errors[0]
      const created: GraphResult = { data: executed.data as Data }
      known.set(payload, created)
      return created
    }
    return { resultOf }
  }
}

/** The variables of the only operation of the document. */
function usedVariables(document: DocumentNode, given: Variables): Variables {
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  const names = operation?.variableDefinitions?.map(({ variable }) => variable.name.value) ?? []
  return Object.fromEntries(names.flatMap((name) => (name in given ? [[name, given[name]]] : [])))
}

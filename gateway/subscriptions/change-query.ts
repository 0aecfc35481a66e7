import {
  getArgumentValues,
  Kind,
  OperationTypeNode,
  parseType,
  print,
  stripIgnoredCharacters,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  parse,
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type TypeNode,
} from 'graphql'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { collectFields } from '../graph/collect.ts'
import { withoutUnusedVariables } from '../graph/conditions.ts'
import { operationParts, type OperationParts } from '../graph/operation.ts'
import type { Variables } from '../graph/variable-values.ts'

/** The only subscription of the schema, and the query that reads the result for one event. */
const subscriptionField = 'recordChanged'
const queryField = 'recordChange'

/** A subscription converted to a query, which is executed again for each event. */
export interface ChangeQuery {
  readonly document: string
  /** The kind of the record, named as in its events. */
  readonly object: string
  readonly recordId: string
  /** The position after which events are sent; null for events from now on. */
  readonly after: number | null
  /** The variable that receives the cursor of the event. */
  readonly cursorVariable: string
}

const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const

/** Converts a subscription. Its document and variables must have been checked. */
export function changeQueryOf(
  schema: GraphQLSchema,
  source: { readonly document: string; readonly operationName: string | null },
  variables: Variables,
): ChangeQuery {
  const parts = operationParts(parse(source.document, { noLocation: true }), source.operationName)
  const type = schema.getSubscriptionType()
  if (!type) throw new Refusal('OPERATION_RESOLUTION_FAILURE', 'The schema has no subscriptions.')
  const [field] = collectFields({ schema, fragments: parts.fragments }, type, [parts.operation.selectionSet]).values()
  if (field?.name !== subscriptionField) {
    throw new Refusal('OPERATION_RESOLUTION_FAILURE', `The subscription must be ${subscriptionField}.`)
  }
  const given = getArgumentValues(type.getFields()[subscriptionField]!, field.nodes[0]!, variables)
  const { object, id, after } = given as { object: string; id: string; after?: string | null }
  const cursorVariable = unusedVariableName(parts, 'cursor')
  return {
    document: stripIgnoredCharacters(print(asQuery(schema, parts, cursorVariable))),
    object: object.toLowerCase(),
    recordId: id.toLowerCase(),
    after: after === undefined || after === null ? null : positionOf(after),
    cursorVariable,
  }
}

function positionOf(after: string): number {
  if (/^\d{1,15}$/.test(after)) return Number(after)
  throw new Refusal('VALIDATION_FAILED', 'after must be the cursor of a RecordChange.', {
    errors: [{ path: 'after', code: 'WRONG_FORMAT', message: 'after must be the cursor of a RecordChange.' }],
  })
}

function unusedVariableName({ operation }: OperationParts, wanted: string): string {
  const used = new Set(operation.variableDefinitions?.map(({ variable }) => variable.name.value))
  let name = wanted
  while (used.has(name)) name += '_'
  return name
}

/** Replaces `recordChanged` by `recordChange` and the argument `after` by `cursor`; the rest of the operation is unchanged. */
function asQuery(schema: GraphQLSchema, { document }: OperationParts, cursorVariable: string): DocumentNode {
  const subscription = schema.getSubscriptionType()!.name
  const query = schema.getQueryType()!.name
  const typeInfo = new TypeInfo(schema)
  const cursor = { kind: Kind.VARIABLE, name: nameNode(cursorVariable) } as const
  const isOnSubscription = (condition: { readonly name: { readonly value: string } } | undefined): boolean =>
    condition?.name.value === subscription
  const withCursor = (given: readonly ArgumentNode[] = []): ArgumentNode[] => [
    ...given.filter((argument) => argument.name.value !== 'after'),
    { kind: Kind.ARGUMENT, name: nameNode('cursor'), value: cursor },
  ]
  const converted = visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field: {
        leave(node): FieldNode | undefined {
          if (typeInfo.getParentType()?.name !== subscription) return undefined
          const alias = node.alias ?? nameNode(node.name.value)
          return { ...node, alias, name: nameNode(queryField), arguments: withCursor(node.arguments) }
        },
      },
      InlineFragment: {
        leave: (node) =>
          isOnSubscription(node.typeCondition)
            ? { ...node, typeCondition: { kind: Kind.NAMED_TYPE, name: nameNode(query) } }
            : undefined,
      },
      FragmentDefinition: {
        leave: (node) =>
          isOnSubscription(node.typeCondition)
            ? { ...node, typeCondition: { kind: Kind.NAMED_TYPE, name: nameNode(query) } }
            : undefined,
      },
      OperationDefinition: {
        leave: (node) => ({
          ...node,
          operation: OperationTypeNode.QUERY,
          variableDefinitions: [
            ...(node.variableDefinitions ?? []),
            { kind: Kind.VARIABLE_DEFINITION, variable: cursor, type: parseType('String!') as TypeNode },
          ],
        }),
      },
    }),
  )
  return withoutUnusedVariables(converted)
}

import { getArgumentValues, parse, type GraphQLSchema } from 'graphql'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { collectFields } from '../graph/collect.ts'
import { operationParts, type OperationParts } from '../graph/operation.ts'
import type { Variables } from '../graph/variable-values.ts'

/** The root field of a subscription with its arguments. */
export interface SubscriptionCall {
  /** The name of the root field: `recordChanged`. */
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly parts: OperationParts
}

/** Reads the call of a subscription. Its document and variables must have been checked. */
export function subscriptionCallOf(
  schema: GraphQLSchema,
  source: { readonly document: string; readonly operationName: string | null },
  variables: Variables,
): SubscriptionCall {
  const parts = operationParts(parse(source.document, { noLocation: true }), source.operationName)
  const type = schema.getSubscriptionType()
  if (!type) throw new Refusal('OPERATION_RESOLUTION_FAILURE', 'The schema has no subscriptions.')
  const selections = [parts.operation.selectionSet]
  const [field] = collectFields({ schema, fragments: parts.fragments }, type, selections).values()
  const definition = field && type.getFields()[field.name]
  if (!definition) throw new Refusal('OPERATION_RESOLUTION_FAILURE', 'The schema has no such subscription.')
  return { name: field.name, args: getArgumentValues(definition, field.nodes[0]!, variables), parts }
}

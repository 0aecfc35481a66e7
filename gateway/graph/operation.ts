import {
  getNamedType,
  GraphQLError,
  Kind,
  SingleFieldSubscriptionsRule,
  specifiedRules,
  validate,
  visit,
  type DocumentNode,
  type FloatValueNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type IntValueNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationRule,
} from 'graphql'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { isStorable } from '../../subgraphs/kernel/record/scalars.ts'
import type { Fragments } from './collect.ts'
import { conditionVariables } from './conditions.ts'
import { subscriptionRootRule } from './subscription-root.ts'
import { shortened } from './variables.ts'

/** One operation of a document, with the fragments that it uses and nothing else. */
export interface OperationParts {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly fragments: Fragments
  /** The variables that decide `@skip` and `@include`; null when nothing is conditional. */
  readonly conditions: readonly string[] | null
  /** It asks for `__schema` or `__type`. */
  readonly introspects: boolean
}

const validationErrorsMax = 50
/** graphql-js gives up comparing fields that might conflict after half a million comparisons. */
const comparedTooMuch = 'Validation aborted.'

/** `__proto__` as a response name or variable would change objects instead of filling them. */
const reservedNamesRule: ValidationRule = (context) => ({
  Name(node) {
    if (node.value !== '__proto__') return
    context.reportError(new GraphQLError('The name "__proto__" is not allowed.', { nodes: node }))
  },
})

/** What graphql-js takes for values of the built-in scalars: numbers that are none, and text that no variable may be. */
const storableValuesRule: ValidationRule = (context) => {
  const typeName = (): string | undefined => {
    const type = context.getInputType()
    return type ? getNamedType(type).name : undefined
  }
  const checkNumber = (node: IntValueNode | FloatValueNode): void => {
    if (Number.isFinite(Number(node.value)) || typeName() !== 'Float') return
    context.reportError(new GraphQLError('Float cannot represent a number out of range.', { nodes: node }))
  }
  return {
    IntValue: checkNumber,
    FloatValue: checkNumber,
    StringValue(node) {
      if (isStorable(node.value) || !['String', 'ID'].includes(typeName() ?? '')) return
      context.reportError(new GraphQLError('Text must not contain a NUL character.', { nodes: node }))
    },
  }
}

const rules = [
  ...specifiedRules.filter((rule) => rule !== SingleFieldSubscriptionsRule),
  subscriptionRootRule,
  reservedNamesRule,
  storableValuesRule,
]

/** Validates the whole document; suggestions of names are never part of the messages. */
export function refuseInvalid(schema: GraphQLSchema, document: DocumentNode): void {
  const errors = validate(schema, document, rules, {
    maxErrors: validationErrorsMax,
    hideSuggestions: true,
  })
  const [first] = errors
  if (!first) return
  if (errors.some(({ message }) => message === comparedTooMuch)) {
    throw new Refusal('GRAPHQL_LIMIT_EXCEEDED', 'The document repeats the same fields too often.')
  }
  const code = 'GRAPHQL_VALIDATION_FAILED'
  const detail = errors.length === 1 ? shortened(first.message) : `The document has ${errors.length} problems.`
  throw new Refusal(code, detail, {
    errors: errors.map(({ message, locations }) => ({
      path: 'query',
      code,
      message: shortened(message),
      ...locations?.[0],
    })),
  })
}

function pick(document: DocumentNode, operationName: string | null): OperationDefinitionNode {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const found = operationName === null ? operations : operations.filter(({ name }) => name?.value === operationName)
  const [operation, ...others] = found
  if (!operation) {
    const message =
      operationName === null ? 'The document holds no operation.' : 'The document holds no such operation.'
    throw new Refusal('OPERATION_RESOLUTION_FAILURE', message)
  }
  if (others.length > 0) {
    throw new Refusal('OPERATION_RESOLUTION_FAILURE', 'The document holds several operations: say which by its name.')
  }
  return operation
}

export function operationParts(whole: DocumentNode, operationName: string | null): OperationParts {
  const operation = pick(whole, operationName)
  const defined = new Map(
    whole.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  )
  const fragments = new Map<string, FragmentDefinitionNode>()
  let introspects = false
  const note = (selectionSet: SelectionSetNode): void => {
    visit(selectionSet, {
      Field(node) {
        if (node.name.value === '__schema' || node.name.value === '__type') introspects = true
      },
      FragmentSpread({ name }) {
        const fragment = defined.get(name.value)
        if (!fragment || fragments.has(name.value)) return
        fragments.set(name.value, fragment)
        note(fragment.selectionSet)
      },
    })
  }
  note(operation.selectionSet)
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments.values()] }
  return {
    document,
    operation,
    fragments,
    conditions: conditionVariables(document),
    introspects,
  }
}

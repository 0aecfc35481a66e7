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
import { shortened } from './shortened.ts'
import { subscriptionRootRule } from './subscription-root.ts'
import { withAllowedValues } from './suggestions.ts'

/** One operation of a document with only the fragments that it uses. */
export interface OperationParts {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly fragments: Fragments
  /** The variables that decide `@skip` and `@include`; null when nothing is conditional. */
  readonly conditions: readonly string[] | null
  /** Whether the operation selects `__schema` or `__type`. */
  readonly introspects: boolean
}

const validationErrorsMax = 50
/** A document with more problems gets no suggestions. */
const explainedErrorsMax = 5
/** The message of graphql-js when it has compared half a million pairs of fields that might conflict. */
const comparedTooMuch = 'Validation aborted.'

/** `__proto__` as a response name or variable would set the prototype of an object instead of a member. */
const reservedNamesRule: ValidationRule = (context) => ({
  Name(node) {
    if (node.value !== '__proto__') return
    context.reportError(new GraphQLError('The name "__proto__" must not be used.', { nodes: node }))
  },
})

/** Refuses literals of built-in scalars that graphql-js accepts: numbers out of range, and text that cannot be stored. */
const storableValuesRule: ValidationRule = (context) => {
  const typeName = (): string | undefined => {
    const type = context.getInputType()
    return type ? getNamedType(type).name : undefined
  }
  const checkNumber = (node: IntValueNode | FloatValueNode): void => {
    if (Number.isFinite(Number(node.value)) || typeName() !== 'Float') return
    context.reportError(new GraphQLError('Float must be within the range of double precision.', { nodes: node }))
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

/** Validates the whole document; the messages suggest names only with `suggests` and for a few problems. */
export function refuseInvalid(schema: GraphQLSchema, document: DocumentNode, suggests: boolean): void {
  let errors = validate(schema, document, rules, { maxErrors: validationErrorsMax, hideSuggestions: true })
  if (errors.length === 0) return
  // A suggestion compares a name with all names of its kind, which takes up to 0.7 ms.
  const isExplained = suggests && errors.length <= explainedErrorsMax
  if (isExplained) errors = validate(schema, document, rules, { maxErrors: validationErrorsMax })
  const first = errors[0]!
  if (errors.some(({ message }) => message === comparedTooMuch)) {
    throw new Refusal('GRAPHQL_LIMIT_EXCEEDED', 'The document must not repeat the same fields so often.')
  }
  const code = 'GRAPHQL_VALIDATION_FAILED'
  const explained = (message: string): string =>
    isExplained ? withAllowedValues(schema, shortened(message)) : shortened(message)
  const detail = errors.length === 1 ? explained(first.message) : `The document has ${errors.length} problems.`
  throw new Refusal(code, detail, {
    errors: errors.map(({ message, locations }) => ({
      path: 'query',
      code,
      message: explained(message),
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
      operationName === null
        ? 'The document must have an operation.'
        : 'operationName must name an operation of the document.'
    throw new Refusal('OPERATION_RESOLUTION_FAILURE', message)
  }
  if (others.length > 0) {
    throw new Refusal(
      'OPERATION_RESOLUTION_FAILURE',
      'The document has several operations; send operationName to choose one.',
    )
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

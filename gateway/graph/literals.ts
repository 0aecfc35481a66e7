import {
  getNullableType,
  isInputObjectType,
  isListType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FloatValueNode,
  type GraphQLInputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  type IntValueNode,
  type OperationDefinitionNode,
  type ValueNode,
  type VariableDefinitionNode,
  type VariableNode,
} from 'graphql'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { holdsRawNumber } from '../../subgraphs/kernel/json/exact-json.ts'
import { exactNumber } from '../../subgraphs/kernel/json/exact-number.ts'
import { valueOfLiteral } from '../../subgraphs/kernel/record/scalars.ts'
import { withoutUnusedVariables } from './conditions.ts'
import { operationParts, type OperationParts } from './operation.ts'
import type { Variables } from './variable-values.ts'

const charactersMax = 1_000_000

/** A scalar literal of the document that is replaced by a variable. */
export interface HoistedLiteral {
  readonly name: string
  readonly type: GraphQLScalarType
  /** The client's variables in the literal, and how often each occurs. */
  readonly uses: ReadonlyMap<string, number>
  readonly build: (variables: Variables) => unknown
}

/** A variable that is not given omits its key in an object and is null in a list, as in input objects and their lists. */
function builderOf(node: ValueNode): HoistedLiteral['build'] {
  if (node.kind === Kind.VARIABLE) {
    const name = node.name.value
    return (variables) => (Object.hasOwn(variables, name) ? variables[name] : undefined)
  }
  if (node.kind === Kind.LIST) {
    const items = node.values.map(builderOf)
    return (variables) => items.map((item) => item(variables) ?? null)
  }
  if (node.kind === Kind.OBJECT) {
    const fields = node.fields.map(({ name, value }) => [name.value, builderOf(value)] as const)
    return (variables) => {
      const parts = fields.map(([name, build]) => [name, build(variables)] as const)
      return Object.fromEntries(parts.filter(([, value]) => value !== undefined))
    }
  }
  const value = valueOfLiteral(node)
  return () => value
}

function usesIn(node: ValueNode): Map<string, number> {
  const uses = new Map<string, number>()
  visit(node, { Variable: ({ name }) => void uses.set(name.value, (uses.get(name.value) ?? 0) + 1) })
  return uses
}

/** Equal values get equal text, because merged fields must have equal arguments. */
const literalText = (node: ValueNode): string =>
  print(
    visit(node, {
      ObjectValue: {
        leave: (object) => ({
          ...object,
          fields: object.fields.toSorted((one, other) => (one.name.value < other.name.value ? -1 : 1)),
        }),
      },
    }),
  )

const isChanged = <T>(before: readonly T[], after: readonly T[]): boolean =>
  after.some((item, index) => item !== before[index])

/** Whether a literal has a number that is not exact as a double: planner and compiled execution read literals as doubles. */
const isInexact = (node: ValueNode, type: GraphQLScalarType): boolean =>
  !isSpecifiedScalarType(type) && node.kind !== Kind.NULL && holdsRawNumber(type.parseLiteral(node))

/** Replaces scalar literals that contain variables or inexact numbers by variables, in one operation. */
class Hoist {
  readonly values = new Map<string, HoistedLiteral>()
  private readonly taken: ReadonlySet<string>
  private number = 0

  constructor(operation: OperationDefinitionNode) {
    this.taken = new Set(operation.variableDefinitions?.map(({ variable }) => variable.name.value))
  }

  /** Returns the same node if nothing needs to change. */
  replaced(node: ValueNode, type: GraphQLInputType): ValueNode {
    if (node.kind === Kind.VARIABLE || node.kind === Kind.NULL) return node
    const nullable = getNullableType(type)
    if (isListType(nullable)) {
      const given = node.kind === Kind.LIST ? node.values : [node]
      const values = given.map((item) => this.replaced(item, nullable.ofType))
      // GraphQL coerces a single value to a list, but not a single variable.
      return isChanged(given, values) ? { kind: Kind.LIST, values } : node
    }
    if (isScalarType(nullable)) return this.hoisted(node, nullable)
    if (!isInputObjectType(nullable) || node.kind !== Kind.OBJECT) return node
    const known = nullable.getFields()
    const fields = node.fields.map((field) => {
      const of = known[field.name.value]
      const value = of ? this.replaced(field.value, of.type) : field.value
      return value === field.value ? field : { ...field, value }
    })
    return isChanged(node.fields, fields) ? { ...node, fields } : node
  }

  private hoisted(node: ValueNode, type: GraphQLScalarType): ValueNode {
    const uses = usesIn(node)
    if (uses.size === 0 && !isInexact(node, type)) return node
    const key = `${type.name} ${literalText(node)}`
    const value = this.values.get(key) ?? { name: this.freeName(), type, uses, build: builderOf(node) }
    this.values.set(key, value)
    return variableNode(value.name)
  }

  private freeName(): string {
    let name: string
    do name = `literal${++this.number}`
    while (this.taken.has(name))
    return name
  }
}

const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const
const variableNode = (name: string): VariableNode => ({ kind: Kind.VARIABLE, name: nameNode(name) })

/** The type is non-null, because the value is an object, a list or a number. */
const definitionOf = ({ name, type }: HoistedLiteral): VariableDefinitionNode => ({
  kind: Kind.VARIABLE_DEFINITION,
  variable: variableNode(name),
  type: { kind: Kind.NON_NULL_TYPE, type: { kind: Kind.NAMED_TYPE, name: nameNode(type.name) } },
})

/**
 * Planner and compiled execution lose variables inside scalar literals and round numbers there. This returns the operation with each
 * such literal replaced by one variable, and the functions that build the values of these variables.
 */
export function withLiteralsHoisted(
  schema: GraphQLSchema,
  parts: OperationParts,
): { readonly parts: OperationParts; readonly literals: readonly HoistedLiteral[] } {
  const hoist = new Hoist(parts.operation)
  const typeInfo = new TypeInfo(schema)
  const document: DocumentNode = visit(
    parts.document,
    visitWithTypeInfo(typeInfo, {
      VariableDefinition: withoutInexactDefault,
      Argument(node) {
        const type = typeInfo.getInputType()
        const value = type ? hoist.replaced(node.value, type) : node.value
        return value === node.value ? undefined : { ...node, value }
      },
    }),
  )
  const literals = [...hoist.values.values()]
  if (document === parts.document) return { parts, literals }
  const declared = visit(document, {
    OperationDefinition: (node) => ({
      ...node,
      variableDefinitions: [...(node.variableDefinitions ?? []), ...literals.map(definitionOf)],
    }),
  })
  return { parts: operationParts(withoutUnusedVariables(declared), null), literals }
}

/** The planner refuses variable defaults that are not exact as doubles. Such a default is never used: the coerced variables contain it. */
const withoutInexactDefault = (definition: VariableDefinitionNode): VariableDefinitionNode | undefined => {
  const zero = { kind: Kind.INT, value: '0' } as const
  const instead = (node: IntValueNode | FloatValueNode) =>
    typeof exactNumber(node.value) === 'number' ? undefined : zero
  const changed = visit(definition, { IntValue: instead, FloatValue: instead })
  return changed === definition ? undefined : changed
}

/** Limits the total size, because a short document could repeat a long variable a thousand times. */
function refuseRepeated(literals: readonly HoistedLiteral[], variables: Variables): void {
  let characters = 0
  for (const { uses } of literals) {
    for (const [name, count] of uses) characters += count * (JSON.stringify(variables[name])?.length ?? 0)
  }
  if (characters <= charactersMax) return
  const message = `The variables inside literals must have at most ${charactersMax} characters in total, found ${characters}.`
  throw new Refusal('GRAPHQL_LIMIT_EXCEEDED', message)
}

/** Adds the values of the replaced literals to the coerced variables; refuses a value that its scalar does not accept. */
export function withLiteralValues(literals: readonly HoistedLiteral[], variables: Variables): Variables {
  if (literals.length === 0) return variables
  refuseRepeated(literals, variables)
  const built: Record<string, unknown> = {}
  for (const { name, type, uses, build } of literals) {
    try {
      built[name] = type.parseValue(build(variables))
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown
      const errors = [...uses.keys()].map((path) => ({ path, code: 'INVALID_VALUE', message: thrown.message }))
      throw new Refusal('VALIDATION_FAILED', thrown.message, { errors })
    }
  }
  return { ...variables, ...built }
}

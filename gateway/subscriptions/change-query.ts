import {
  Kind,
  OperationTypeNode,
  parseType,
  print,
  stripIgnoredCharacters,
  type ArgumentNode,
  type GraphQLSchema,
  type VariableDefinitionNode,
} from 'graphql'
import type { OperationParts } from '../graph/operation.ts'
import { convertRoot } from './convert-root.ts'

/** The query that `recordChanged` is converted to. It is executed again for each event. */
export interface ChangeQuery {
  readonly document: string
  /** The variables that receive the type and the id of the record and the cursor of the event; of a record of a custom object also the name of the object. */
  readonly objectVariable: string
  readonly customObjectVariable: string
  readonly idVariable: string
  readonly cursorVariable: string
}

const queryField = 'recordChange'
/** Arguments that decide which events are sent, or that are different for each event. */
const replaced: ReadonlySet<string> = new Set(['object', 'objects', 'customObjects', 'id', 'after', 'filter', 'logic'])

const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const
const variableNode = (name: string) => ({ kind: Kind.VARIABLE, name: nameNode(name) }) as const

/** `recordChanged(…)` becomes `recordChange(object, customObject, id, cursor)`; its selection is unchanged. */
export function changeQueryOf(schema: GraphQLSchema, parts: OperationParts): ChangeQuery {
  const objectVariable = unusedVariableName(parts, 'object')
  const customObjectVariable = unusedVariableName(parts, 'customObject')
  const idVariable = unusedVariableName(parts, 'id')
  const cursorVariable = unusedVariableName(parts, 'cursor')
  const given = (name: string, variable: string): ArgumentNode => ({
    kind: Kind.ARGUMENT,
    name: nameNode(name),
    value: variableNode(variable),
  })
  const defined = (name: string, type: string): VariableDefinitionNode => ({
    kind: Kind.VARIABLE_DEFINITION,
    variable: variableNode(name),
    type: parseType(type),
  })
  const document = convertRoot(schema, parts, {
    operation: OperationTypeNode.QUERY,
    variables: [
      defined(objectVariable, 'RecordObject!'),
      defined(customObjectVariable, 'String'),
      defined(idVariable, 'ID!'),
      defined(cursorVariable, 'String!'),
    ],
    field: (node) => ({
      ...node,
      alias: node.alias ?? nameNode(node.name.value),
      name: nameNode(queryField),
      arguments: [
        ...(node.arguments ?? []).filter(({ name }) => !replaced.has(name.value)),
        given('object', objectVariable),
        given('customObject', customObjectVariable),
        given('id', idVariable),
        given('cursor', cursorVariable),
      ],
    }),
  })
  return {
    document: stripIgnoredCharacters(print(document)),
    objectVariable,
    customObjectVariable,
    idVariable,
    cursorVariable,
  }
}

export function unusedVariableName({ operation }: OperationParts, wanted: string): string {
  const used = new Set(operation.variableDefinitions?.map(({ variable }) => variable.name.value))
  let name = wanted
  while (used.has(name)) name += '_'
  return name
}

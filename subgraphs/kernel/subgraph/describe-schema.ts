import {
  getNamedType,
  isObjectType,
  Kind,
  type ConstDirectiveNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql'
import { wordsOf } from '../record/describe.ts'
import { needsSentence, type ScopeRequirement } from '../scopes.ts'

/** The scopes of the directive `@requiresScopes`; null without it. */
export function requirementIn(directives: readonly ConstDirectiveNode[] = []): ScopeRequirement | null {
  const [argument] = directives.find(({ name }) => name.value === 'requiresScopes')?.arguments ?? []
  if (argument?.value.kind !== Kind.LIST) return null
  return argument.value.values.map((all) =>
    all.kind === Kind.LIST ? all.values.flatMap((scope) => (scope.kind === Kind.STRING ? scope.value : [])) : [],
  )
}

type Directives = readonly ConstDirectiveNode[] | undefined

function requirementsOf(field: GraphQLField<unknown, unknown>): ScopeRequirement[] {
  const type = getNamedType(field.type)
  const own = requirementIn(field.astNode?.directives as Directives)
  const ofType = isObjectType(type) ? requirementIn(type.astNode?.directives as Directives) : null
  return [own, ofType].filter((requirement) => requirement !== null)
}

/** The descriptions of the operations that every record type can have, by the suffix of their names. */
const standardOperations: Readonly<Record<string, (one: string) => string>> = {
  '': (one) => `One ${one} by its id; null if it does not exist, is deleted, or the caller may not see it.`,
  List: (one) => `A page of the live records of the type ${one} that the caller sees, newest first by default.`,
  Connection: (one) =>
    `The live records of the type ${one} that the caller sees as a connection, newest first by default.`,
  Stats: (one) => `Statistics of the live records of the type ${one} that the caller sees.`,
  Create: (one) => `Creates one ${one} and returns it. Without \`ownerId\` the caller becomes its owner.`,
  Update: (one) => `Changes the fields of one ${one} that the input names, and returns it.`,
  Delete: (one) => `Deletes one ${one} and returns its id.`,
  Restore: (one) => `Restores one deleted ${one} unchanged, and returns it. A live one is refused with INVALID_STATE.`,
}

const describeRoots = (schema: GraphQLSchema): void => {
  const query = schema.getQueryType()
  const subscription = schema.getSubscriptionType()
  if (query) query.description = 'Reads. Root fields run at the same time; a refused one is null and has an error.'
  if (subscription) subscription.description = 'Events as they happen, over a websocket or an event stream.'
}

function describeStandardOperations(root: GraphQLObjectType | null | undefined, types: readonly string[]): void {
  for (const field of Object.values(root?.getFields() ?? {})) {
    for (const type of field.description ? [] : types) {
      const prefix = type.charAt(0).toLowerCase() + type.slice(1)
      const describe = field.name.startsWith(prefix) ? standardOperations[field.name.slice(prefix.length)] : undefined
      if (describe) field.description = describe(wordsOf(type))
    }
  }
}

/**
 * Completes the descriptions of a schema: standard operations of these record types get one, and each field that needs scopes, or
 * whose type does, ends with them unless the type that has the field needs the same. So the reference cannot differ from what is checked.
 */
export function describeSchema(schema: GraphQLSchema, recordTypes: readonly string[]): void {
  describeRoots(schema)
  for (const root of [schema.getQueryType(), schema.getMutationType()]) describeStandardOperations(root, recordTypes)
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    const ofType = requirementIn(type.astNode?.directives as Directives)
    const known = ofType ? needsSentence([ofType]) : ''
    for (const field of Object.values(type.getFields())) {
      const needs = needsSentence(requirementsOf(field))
      if (needs !== known) field.description = [field.description, needs].filter(Boolean).join(' ')
    }
  }
}

import { readFileSync } from 'node:fs'
import {
  buildSchema,
  getNamedType,
  isInputObjectType,
  isLeafType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
} from 'graphql'
import { projectRoot } from '../../../subgraphs/kernel/config/paths.ts'
import type { RecordShape } from '../../../subgraphs/kernel/record/definition.ts'
import type { HttpRequest } from '../scenarios.ts'
import { recordTypes } from './samples.ts'

const file = `${projectRoot}/schema/supergraph.graphql`
export const schema = buildSchema(readFileSync(file, 'utf8'), { assumeValid: true })

/** A root field that returns a page of records. */
export interface ListField {
  readonly name: string
  readonly node: GraphQLObjectType
  /** Null when the subgraph does not register the record type, so that no values are sampled. */
  readonly shape: RecordShape | null
  /** The input type of the argument `filter`; null when the list has none. */
  readonly filter: GraphQLInputObjectType | null
}

const rootFields: Readonly<Record<string, GraphQLField<unknown, unknown>>> = schema.getQueryType()!.getFields()

/** The list field of this name; null when the field does not return pages of records. */
export function listField(name: string): ListField | null {
  const field = rootFields[name]
  const page = field && getNamedType(field.type)
  const data = isObjectType(page) && 'nextCursor' in page.getFields() ? page.getFields()['data'] : undefined
  const node = data && getNamedType(data.type)
  if (!field || !isObjectType(node)) return null
  const argument = field.args.find((arg) => arg.name === 'filter')
  const filter = argument && getNamedType(argument.type)
  return { name, node, shape: recordTypes.get(node.name) ?? null, filter: isInputObjectType(filter) ? filter : null }
}

/** All list fields that need no argument. */
export const listFields: readonly ListField[] = Object.values(rootFields)
  .filter(({ args }) => args.every(({ type }) => !String(type).endsWith('!')))
  .map(({ name }) => listField(name))
  .filter((list) => list !== null)

export const hasRootField = (name: string): boolean => name in rootFields

/** The fields of a type that are values, without those that take arguments. */
export const leavesOf = (type: GraphQLObjectType): string =>
  Object.values(type.getFields())
    .filter((field) => field.args.length === 0 && isLeafType(getNamedType(field.type)))
    .map(({ name }) => name)
    .join(' ')

export const post = (query: string, variables: Readonly<Record<string, unknown>>): HttpRequest => ({
  method: 'POST',
  path: '/v1/graphql',
  body: JSON.stringify({ query, variables }),
})

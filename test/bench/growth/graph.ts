import { readFileSync } from 'node:fs'
import {
  buildSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
} from 'graphql'
import { projectRoot } from '../../../subgraphs/kernel/config/paths.ts'
import type { RecordShape } from '../../../subgraphs/kernel/record/definition.ts'
import { recordTypes } from './samples.ts'

const file = `${projectRoot}/schema/supergraph.graphql`
export const schema = buildSchema(readFileSync(file, 'utf8'), { assumeValid: true })

/** A root field that returns a page of records. */
export interface ListField {
  readonly name: string
  readonly node: GraphQLObjectType
  readonly shape: RecordShape
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
  const shape = node && recordTypes.get(node.name)
  if (!field || !isObjectType(node) || !shape) return null
  const argument = field.args.find((arg) => arg.name === 'filter')
  const filter = argument && getNamedType(argument.type)
  return { name, node, shape, filter: isInputObjectType(filter) ? filter : null }
}

/** All list fields that need no argument. */
export const listFields: readonly ListField[] = Object.values(rootFields)
  .filter(({ args }) => args.every(({ type }) => !String(type).endsWith('!')))
  .map(({ name }) => listField(name))
  .filter((list) => list !== null)

export const hasRootField = (name: string): boolean => name in rootFields

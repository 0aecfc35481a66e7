import {
  GraphQLID,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  isListType,
  getNullableType,
  parse,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  type ObjectTypeDefinitionNode,
} from 'graphql'
import { Extensions, getMetadataStorage } from 'type-graphql'
import type { RequestContext } from '../request.ts'
import { needsSentence } from '../scopes.ts'
import { requirementIn } from '../subgraph/describe-schema.ts'
import type { RecordShape } from './definition.ts'
import { pluralOf, wordsOf } from './describe.ts'
import { readReference } from './read.ts'
import { recordType } from './record-registry.ts'
import { knownReadScope } from './requires-scope.ts'
import { selectedFields, type SelectionInfo } from './selection.ts'

/** What `NamesRecord` says of a field: the record type that its ids are of. */
type Named = 'user' | (string & {})

/**
 * Declares that the field has the id of a record, or a list of such ids: the type also gets a field with the record, `product` for
 * `productId` and `contacts` for `contactIds`. It is read by the rights of the caller, and all records of an operation together.
 */
export const NamesRecord =
  (object: Named): PropertyDecorator =>
  (target, key) => {
    ;(Extensions({ namesRecord: object }) as PropertyDecorator)(target, key)
    const own = namedByClass.get(target.constructor) ?? new Map<string, Named>()
    namedByClass.set(target.constructor, own.set(String(key), object))
  }

const namedByClass = new Map<object, Map<string, Named>>()

/** The record type whose ids a field of a class or of its base classes has; null if no declaration says so. */
export function namedRecordOf(type: object, name: string): Named | null {
  const base = Object.getPrototypeOf(type) as object | null
  return namedByClass.get(type)?.get(name) ?? (base === null ? null : namedRecordOf(base, name))
}

const namedBy = ({ extensions }: Pick<Field, 'extensions'>): Named | undefined =>
  extensions['namesRecord'] as Named | undefined

/** The name of the field with the record that an id names. */
export const recordFieldOf = (id: string): string => id.replace(/Id(s?)$/, '$1')

type Field = Pick<GraphQLField<unknown, unknown>, 'name' | 'extensions'>

/** Whether a field of a type holds the record that an id of the same type names. No answer of REST has these fields. */
export const isNamedRecord = (fields: readonly Field[]): ((name: string) => boolean) => {
  const named = new Set(fields.flatMap((field) => (namedBy(field) ? [recordFieldOf(field.name)] : [])))
  return (name) => named.has(name)
}

function typeNameOf(shape: RecordShape): string {
  const declared = getMetadataStorage().objectTypes.find(({ target }) => target === shape.entity)
  if (!declared) throw new Error(`${shape.object} has no GraphQL type.`)
  return declared.name
}

/** The key of a record of another subgraph, which resolves its other fields. */
const keyOnly = (name: string): GraphQLObjectType =>
  new GraphQLObjectType({
    name,
    fields: { id: { type: new GraphQLNonNull(GraphQLID), description: `Id of the ${wordsOf(name)}.` } },
    astNode: parse(`type ${name} @key(fields: "id", resolvable: false)`).definitions[0] as ObjectTypeDefinitionNode,
  })

type Resolve = GraphQLFieldResolver<Readonly<Record<string, unknown>>, RequestContext>
type Read = (ctx: RequestContext, id: string, info: SelectionInfo) => unknown

const readUser: Read = (_ctx, id) => ({ id })

const readBy =
  (shape: RecordShape): Read =>
  (ctx, id, info) =>
    readReference(ctx, shape, id, selectedFields(info))

const readOneBy =
  (name: string, read: Read): Resolve =>
  (root, _args, ctx, info) =>
    typeof root[name] === 'string' ? read(ctx, root[name], info) : null

const readListBy =
  (name: string, read: Read): Resolve =>
  async (root, _args, ctx, info) => {
    const ids = root[name] as readonly string[] | null | undefined
    const found = await Promise.all((ids ?? []).map((id) => read(ctx, id, info)))
    return found.filter((record) => record !== null)
  }

/** The scope of a record of another subgraph; `describeSchema` adds those of the own types. */
function needsOf(of: GraphQLObjectType, shape: RecordShape | null): string {
  const scope = shape && knownReadScope(shape.entity)
  return scope && !requirementIn(of.astNode?.directives) ? ` ${needsSentence([[[scope]]])}` : ''
}

function describe(id: string, of: GraphQLObjectType, shape: RecordShape | null, isList: boolean): string {
  const one = shape ? `${wordsOf(of.name)} that` : 'user whom'
  const unseen = shape ? ' or the caller does not see it' : ''
  const words = isList
    ? `The ${pluralOf(wordsOf(of.name))} that \`${id}\` names${shape ? ', without those that the caller does not see' : ''}.`
    : `The ${one} \`${id}\` names; null if there is none${unseen}.`
  return words + needsOf(of, shape)
}

/** Adds the fields that `NamesRecord` declares to the types of a subgraph. Returns the record types that they read. */
export function addNamedRecords(schema: GraphQLSchema): RecordShape[] {
  const shapes = new Map<string, RecordShape>()
  const typeFor = (object: Named): GraphQLObjectType => {
    const shape = object === 'user' ? null : recordType(object)()
    if (shape) shapes.set(object, shape)
    const name = shape ? typeNameOf(shape) : 'User'
    const types = schema.getTypeMap()
    return (types[name] ??= keyOnly(name)) as GraphQLObjectType
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (!(type instanceof GraphQLObjectType)) continue
    const fields = type.getFields()
    for (const id of Object.values(fields)) {
      const object = namedBy(id)
      if (!object) continue
      const of = typeFor(object)
      const isList = isListType(getNullableType(id.type))
      const read = object === 'user' ? readUser : readBy(shapes.get(object)!)
      const name = recordFieldOf(id.name)
      if (fields[name]) throw new Error(`${type.name}.${name} is declared twice.`)
      fields[name] = {
        name,
        description: describe(id.name, of, object === 'user' ? null : shapes.get(object)!, isList),
        type: isList ? new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(of))) : of,
        args: [],
        resolve: (isList ? readListBy(id.name, read) : readOneBy(id.name, read)) as GraphQLFieldResolver<
          unknown,
          unknown
        >,
        deprecationReason: undefined,
        extensions: {},
        astNode: undefined,
        subscribe: undefined,
      }
    }
  }
  return [...shapes.values()]
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  parse,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import type { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import { readMerged, type Merged } from '../../rest-adapter/merge.ts'
import { resolve, type OperationObject, type Parameter, type Schema } from '../../rest-adapter/openapi.ts'
import { wordsOf } from '../../subgraphs/kernel/record/describe.ts'
import type { Json } from './event-file.ts'
import { isPageType } from './declared-rest/operation-api.ts'
import { areaFolders, handwrittenSchemas } from './printed-descriptions.ts'
import type { PrintedPart } from './printed-rest.ts'
import { parameter } from './standard-rest/list-parameters.ts'
import { responseOf } from './standard-rest/paths.ts'
import { relationProperties, relationsOf, shapeParameters, shapeSchemas } from './standard-rest/relations.ts'
import { own } from './standard-rest/schemas.ts'

const ownObject = 'it is one object of the caller, without related records'

/** Reads of records whose callers cannot choose their properties, each with the reason. */
export const unshaped: Readonly<Record<string, string>> = {
  appInstallation: ownObject,
  fileUploadProgress: 'it is two numbers beside the id',
  me: ownObject,
  organizationAdministered: ownObject,
  profile: ownObject,
}

/** What a read answers: one record or several. */
interface Read {
  readonly type: GraphQLObjectType
  readonly hasId: boolean
  /** The selected properties of each record. */
  readonly names: readonly string[]
}

const named = (field: FieldNode): string => (field.alias ?? field.name).value

function fieldsIn(set: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): FieldNode[] {
  return set.selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node]
    return fieldsIn(
      node.kind === Kind.INLINE_FRAGMENT ? node.selectionSet : fragments.get(node.name.value)!.selectionSet,
      fragments,
    )
  })
}

/** Null if the document reads no records: one object without an id is a figure or a setting. */
export function recordsReadBy(document: string, { apiSchema }: LoadedSupergraph): Read | null {
  const { definitions } = parse(document, { noLocation: true })
  const operation = definitions.find(
    (node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION,
  )!
  const [root] = operation.selectionSet.selections as [FieldNode]
  const field = apiSchema.getQueryType()!.getFields()[root.name.value]
  if (operation.operation !== 'query' || !field) return null
  const fragments = new Map(
    definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
  )
  const answer = getNamedType(field.type)
  const isPage = isPageType(answer)
  const type = isPage && isObjectType(answer) ? getNamedType(answer.getFields()['data']!.type) : answer
  if (!isObjectType(type)) return null
  const isRecord = type.getFields()['id'] !== undefined
  if (!isRecord && !isPage && !isListType(getNullableType(field.type))) return null
  const data = isPage ? fieldsIn(root.selectionSet!, fragments).find((one) => named(one) === 'data')! : root
  const names = fieldsIn(data.selectionSet!, fragments).map(named)
  return { type, hasId: names.includes('id'), names }
}

const isNull = ({ type }: Schema): boolean => type === 'null'

/** The name of the schema of each answered record. */
export function answeredSchema(
  { document }: Pick<Merged, 'document'>,
  { responses, operationId }: OperationObject,
): string {
  const success = resolve<{ content?: Record<string, { schema: Schema }> }>(document, responses[200] as object)
  const whole = success.content!['application/json']!.schema
  const schema = (whole.anyOf ?? [whole]).find((one) => !isNull(one))!
  const { properties = {}, items } = resolve<Schema>(document, schema)
  const item = items ?? (properties['hasMore'] ? resolve<Schema>(document, properties['data']!).items! : schema)
  const reference = (item as { $ref?: string }).$ref
  if (!reference) throw new Error(`${operationId} must answer a schema with a name.`)
  return reference.slice(reference.lastIndexOf('/') + 1)
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The folder that has each stored document, and the one that has each schema as a whole. */
function foldersIn(rest: string) {
  const ofDocument = new Map<string, string>()
  const ofSchema = new Map<string, string>()
  for (const folder of areaFolders(rest)) {
    for (const part of ['', 'standard']) {
      const path = join(rest, folder, part)
      if (!existsSync(path)) continue
      for (const file of readdirSync(path))
        if (file.endsWith('.graphql')) ofDocument.set(file.slice(0, -'.graphql'.length), folder)
    }
    const printed = join(rest, folder, 'standard', 'openapi.json')
    const { components = {} } = existsSync(printed)
      ? (JSON.parse(readFileSync(printed, 'utf8')) as { components?: { schemas?: Record<string, Json> } })
      : {}
    for (const [name, schema] of Object.entries({ ...components.schemas, ...handwrittenSchemas(join(rest, folder)) }))
      if ('type' in schema || 'type' in (components.schemas?.[name] ?? {})) ofSchema.set(name, folder)
  }
  // A schema that all areas share is in the root file, which has its related records too.
  return { ofDocument, ofSchema }
}

const emptyPart = { isRecord: false, isChange: true, tags: [], paths: {}, schemas: {}, documents: [] } as const

/**
 * `fields` and `expand` for the reads of records that standard operations do not have, as changes of what is printed or written by hand.
 * `rest` is the contract without them.
 */
export function shapeParts(rest: string, graph: LoadedSupergraph): PrintedPart[] {
  const merged = readMerged(rest)
  const { document, documents } = merged
  const { ofDocument, ofSchema } = foldersIn(rest)
  /** The selected properties by the prefix of their parameters. */
  const known = new Map<string, { readonly names: string; readonly hasExpand: boolean }>()
  for (const [name, shaped] of Object.entries(document.components['parameters'] as Record<string, Parameter>)) {
    if (shaped['x-shape'] !== 'fields') continue
    const prefix = name.slice(0, -'Fields'.length)
    const { enum: names = [] } = resolve<Schema>(document, shaped.schema!.items!)
    known.set(prefix, { names: names.join(), hasExpand: `${prefix}Expand` in document.components['parameters']! })
  }
  return Object.entries(document.paths).flatMap(([path, { get, parameters = [] }]) => {
    const text = get && documents.get(get.operationId)
    if (!text || get['x-alias-of'] || Object.hasOwn(unshaped, get.operationId)) return []
    const given = [...parameters, ...(get.parameters ?? [])].map((one) => resolve<Parameter>(document, one))
    const read = given.some((one) => one['x-shape']) ? null : recordsReadBy(text, graph)
    if (!read) return []
    const schema = answeredSchema(merged, get)
    const { properties = {} } = resolve<Schema>(document, own(schema))
    const names = Object.keys(properties).filter((name) => read.names.includes(name))
    const ofType = known.get(lowerFirst(schema))
    const isShared = !ofType || ofType.names === names.join()
    const type = isShared ? schema : upperFirst(get.operationId)
    const prefix = lowerFirst(type)
    const relations = relationsOf(graph, read.type.name, prefix).filter(
      ({ name }) => !read.names.includes(name) && (!properties[name] || properties[name]['x-expandable'] === true),
    )
    const parts: PrintedPart[] = []
    if (!known.has(prefix)) {
      known.set(prefix, { names: names.join(), hasExpand: relations.length > 0 })
      const shaped = {
        type,
        prefix,
        one: wordsOf(schema),
        relations,
        ownColumns: names.filter((name) => name !== 'id').map((name) => ({ name })),
        hasId: read.hasId,
      }
      parts.push({
        ...emptyPart,
        folder: ofSchema.get(schema) ?? ofDocument.get(get.operationId)!,
        parameters: shapeParameters(shaped),
        schemas: {
          ...shapeSchemas(shaped, names),
          ...(relations.length > 0 &&
            ofSchema.has(schema) && { [schema]: { properties: relationProperties({ relations }) } }),
        },
        documents: relations.length > 0 ? [['fragments', relations.map(({ fragment }) => fragment).join('\n\n')]] : [],
      })
    }
    const { hasExpand } = known.get(prefix)!
    const shape = [`${prefix}Fields`, ...(hasExpand ? [`${prefix}Expand`] : [])]
    const refused = get.responses[400] ? {} : { responses: { 400: responseOf(400) } }
    const added = [...shape.map((name) => ({ $ref: `#/components/parameters/${name}` })), parameter('prefer')]
    parts.push({
      ...emptyPart,
      folder: ofDocument.get(get.operationId)!,
      paths: { [path]: { get: { parameters: added, ...refused } } },
    })
    return parts
  })
}

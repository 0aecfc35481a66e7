import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql'
import type { LoadedSupergraph } from '../../../gateway/graph/supergraph.ts'
import { lookupNamePattern, relatedProperty, relationFragment } from '../../../rest-adapter/shape/shaping.ts'
import { prefixOf, restAreas, typeOf } from '../../rest-areas.ts'
import type { RecordShape } from '../../../subgraphs/kernel/record/definition.ts'
import type { Json } from '../event-file.ts'

/** A related record that a read adds with `expand`. */
export interface Relation {
  /** The name of the edge in the graph. */
  readonly name: string
  readonly description: string
  /** The name of the schema of the related record. */
  readonly schema: string
  /** The fragment that selects it, as text. */
  readonly fragment: string
  /** What a key needs in addition; null if nothing. */
  readonly scope: string | null
}

const areasByType = new Map(restAreas.map((area) => [typeOf(area), area]))

/** The most related records that one request can add to each record. */
export const expandMax = 5

const plainFields = (type: GraphQLObjectType): string[] =>
  Object.values(type.getFields()).flatMap(({ name, type: of }) => (isCompositeType(getNamedType(of)) ? [] : [name]))

/** Schema and selection of a record that REST answers. */
function answered(type: GraphQLObjectType): { readonly schema: string; readonly selection: string } | null {
  const area = areasByType.get(type.name)
  if (area) {
    const customFields = area.definition.columns.byName.has('customFields') ? ' customFields' : ''
    return { schema: type.name, selection: `...${prefixOf(area)}Fields${customFields}` }
  }
  // As every user sees the users of the organization.
  return type.name === 'User' ? { schema: 'ListedUser', selection: plainFields(type).join(' ') } : null
}

const scopeOf = ({ requirements }: LoadedSupergraph, type: string): string | null =>
  requirements.get(type)?.[0]?.find((scope) => scope !== 'MEMBER') ?? null

/** The edges of a record type to one record each that REST answers too. */
export function relationsOf(graph: LoadedSupergraph, typeName: string, prefix: string): Relation[] {
  const type = graph.apiSchema.getType(typeName)
  if (!isObjectType(type)) return []
  const relationOf = (field: GraphQLField<unknown, unknown>): Relation[] => {
    const { name, args } = field
    const related = getNamedType(field.type)
    if (isListType(getNullableType(field.type)) || args.length > 0 || !isObjectType(related)) return []
    const found = answered(related)
    if (!found) return []
    const scope = scopeOf(graph, related.name)
    const fragment = `fragment ${relationFragment(prefix, name)} on ${typeName} { ${name} { ${found.selection} } }`
    const description = (field.description ?? '').replace(/ ?Needs [^.]+\.$/, '')
    return [{ name, description, schema: found.schema, fragment, scope }]
  }
  return Object.values(type.getFields()).flatMap(relationOf)
}

const listOf = (schema: string, maxItems: number): Json => ({
  style: 'form',
  explode: false,
  schema: { type: 'array', minItems: 1, maxItems, items: { $ref: `#/components/schemas/${schema}` } },
})

interface Shaped {
  readonly type: string
  readonly prefix: string
  readonly one: string
  readonly relations: readonly Relation[]
  readonly ownColumns: readonly { readonly name: string }[]
  /** Default: true. */
  readonly hasId?: boolean
  readonly definition?: Pick<RecordShape, 'isCustomizable'>
}

/** The parameters with which a caller chooses the shape of answered records, by their names among all parameters. */
export function shapeParameters({
  type,
  prefix,
  relations,
  ownColumns,
  hasId = true,
  definition,
}: Shaped): Readonly<Record<string, Json>> {
  const columns = ownColumns.map(({ name }) => name)
  const fields = {
    name: 'fields',
    in: 'query',
    'x-shape': 'fields',
    'x-fragments': prefix,
    description: `Only these properties of each record, separated by commas${hasId ? '; `id` is always answered' : ''}. The others are absent, also those that are required otherwise.`,
    ...listOf(`${type}FieldName`, 100),
    example: [...(hasId ? ['id'] : []), ...columns.slice(0, 2)],
  }
  if (relations.length === 0) return { [`${prefix}Fields`]: fields }
  const needs = relations.flatMap(({ name, scope }) => (scope ? [`\`${name}\` ${scope}`] : []))
  const expand = {
    name: 'expand',
    in: 'query',
    'x-shape': 'expand',
    description: `The related records to add to each record under these names, at most ${expandMax}, separated by commas. A related record is null if there is none or the caller does not see it.${needs.length > 0 ? ` Each needs the scope of its type, or the answer is 403: ${needs.join(', ')}.` : ''}${definition?.isCustomizable ? lookupSentence : ''}`,
    ...listOf(`${type}RelationName`, expandMax),
    example: relations.slice(0, 2).map(({ name }) => name),
  }
  return { [`${prefix}Fields`]: fields, [`${prefix}Expand`]: expand }
}

const lookupSentence =
  ' `customFields.` and the API name of a custom field of the type LOOKUP adds the record that it names to `related`, under the API name; it needs the READ scope of the type of that record, and any other name is refused with 400.'

/** The names that the parameters accept. */
export const shapeSchemas = (
  { type, one, relations, definition }: Shaped,
  fields: readonly string[],
): Readonly<Record<string, Json>> => ({
  [`${type}FieldName`]: { type: 'string', description: `A property of the ${one}.`, enum: fields },
  ...(relations.length > 0 && {
    [`${type}RelationName`]: {
      type: 'string',
      description: `A related record of the ${one}.`,
      ...(definition?.isCustomizable
        ? { anyOf: [{ enum: relations.map(({ name }) => name) }, { pattern: lookupNamePattern }] }
        : { enum: relations.map(({ name }) => name) }),
    },
  }),
})

/** The properties of a record that hold related records. */
export const relationProperties = ({ relations, definition }: Pick<Shaped, 'relations' | 'definition'>): Json => ({
  ...Object.fromEntries(
    relations.map(({ name, description, schema }) => [
      name,
      {
        anyOf: [{ $ref: `#/components/schemas/${schema}` }, { type: 'null' }],
        'x-expandable': true,
        description: `${description} Only with \`expand=${name}\`.`,
      },
    ]),
  ),
  ...(definition?.isCustomizable && {
    [relatedProperty]: {
      type: 'object',
      additionalProperties: { anyOf: [{ $ref: '#/components/schemas/RelatedRecord' }, { type: 'null' }] },
      'x-expandable': true,
      description:
        'The records that custom fields of the type LOOKUP name, by the API names of the fields; null where there is none that the caller sees. Only with `expand=customFields.<name>`.',
    },
  }),
})

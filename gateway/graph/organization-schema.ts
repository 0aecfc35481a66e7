import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLID,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  printSchema,
  type GraphQLFieldConfigMap,
  type GraphQLNamedType,
  type GraphQLOutputType,
} from 'graphql'
import { readScopeOfObject } from '../../subgraphs/kernel/acting-scopes.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { enumerationOf, type Column } from '../../subgraphs/kernel/record/column.ts'
import { customFieldsName } from '../../subgraphs/kernel/record/custom-field-column.ts'
import { customObjectName, recordTypeIn, recordTypeNamesIn } from '../../subgraphs/kernel/record/custom-object.ts'
import type { RecordShape } from '../../subgraphs/kernel/record/definition.ts'
import { isHidden } from '../../subgraphs/kernel/record/field-security.ts'
import { shapeFor, type OrganizationShapes } from '../../subgraphs/kernel/record/shape-source.ts'
import { meets } from '../../subgraphs/kernel/scopes.ts'

type Fields = GraphQLFieldConfigMap<unknown, unknown>

const header = `# The record types of the organization with their custom fields, as far as the caller may read them: a description for tools. The graph that
# executes documents is that of /schema.graphql, where customFields is JSON, and the records of every custom object are CustomRecord.`

const isName = (text: string): boolean => /^(?!__)[A-Za-z_]\w*$/.test(text)
const isEnumValue = (text: string): boolean => isName(text) && !['true', 'false', 'null'].includes(text)

const words = /^(?!.*_custom_fields$)[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*$/

/**
 * The type of a custom object: `SiteVisit` for `site_visit`. It does not depend on other objects of the organization, so that no new one renames it: a
 * name that is not made of words, or that the graph has, stays as it is: `CustomObject_task`.
 */
function typeNameOfObject(name: string, graph: GraphQLSchema): string {
  const inCamelCase = name.replaceAll(/(?:^|_)([a-z])/g, (_whole, letter: string) => letter.toUpperCase())
  const isFree = words.test(name) && [inCamelCase, `${inCamelCase}CustomFields`].every((one) => !graph.getType(one))
  return isFree ? inCamelCase : `CustomObject_${name}`
}

/** The record types of an organization that have custom fields, and its custom objects, typed as far as a caller may read them. */
export class OrganizationSchema {
  /** The record types that the caller may read. */
  readonly shapes: readonly RecordShape[]
  readonly #parts = new Map<string, GraphQLObjectType>()

  constructor(
    private readonly graph: GraphQLSchema,
    shapes: OrganizationShapes | null,
    private readonly caller: Caller,
  ) {
    const all = shapes === null ? [] : recordTypeNamesIn({ shapes })
    this.shapes = all
      .map((object) => shapeFor({ shapes }, recordTypeIn({ shapes }, object)!))
      .filter((shape) => customObjectName(shape.object) !== null || shape.columns.customFields.size > 0)
      .filter((shape) => this.#isReadable(shape))
  }

  #isReadable({ object, entitlement }: RecordShape): boolean {
    const isEntitled = entitlement === undefined || this.caller.entitlements.includes(entitlement)
    return isEntitled && meets(this.caller, [[readScopeOfObject(object)]])
  }

  /** In the schema definition language. */
  print(): string {
    const scalars = ['DateTime', 'Decimal', 'JSON'].map((name) => this.#typeNamed(name))
    const types = [...scalars, ...this.shapes.map((shape) => this.#recordType(shape))]
    return `${header}\n\n${printSchema(new GraphQLSchema({ types, assumeValid: true }))}\n`
  }

  #typeNamed(name: string): GraphQLNamedType {
    const type = this.graph.getType(name)
    if (!type) throw new Error(`The graph has no type ${name}.`)
    return type
  }

  #recordType(shape: RecordShape): GraphQLObjectType {
    const entity = (shape.entity as { readonly name: string }).name
    const objectName = customObjectName(shape.object)
    const name = objectName === null ? entity : typeNameOfObject(objectName, this.graph)
    const base = this.#typeNamed(entity) as GraphQLObjectType
    const shown = shape.columns.shown.filter((column) => !isHidden(this.caller, shape, column.name))
    const own = this.#fieldsOf(
      base,
      shown.map((column) => column.name).filter((column) => column !== customFieldsName),
    )
    const custom = this.#customFieldsOf(shape, `${name}CustomFields`)
    const values = new GraphQLObjectType({
      name: `${name}CustomFields`,
      description: `What ${customFieldsName} contains, by API name. A key may be absent.`,
      fields: custom,
    })
    const description =
      objectName === null
        ? base.description
        : `The custom object ${objectName}. In the graph its records are CustomRecord.`
    return new GraphQLObjectType({
      name,
      description,
      fields: {
        ...own,
        ...(Object.keys(custom).length > 0 && { [customFieldsName]: { type: new GraphQLNonNull(values) } }),
      },
    })
  }

  /** The fields with these names, without edges to other records. */
  #fieldsOf(type: GraphQLObjectType, names: readonly string[]): Fields {
    const fields = type.getFields()
    return Object.fromEntries(
      names.flatMap((name) => {
        const field = Object.hasOwn(fields, name) ? fields[name]! : null
        const output = field && this.#valueType(field.type)
        return output ? [[name, { type: output, description: field.description ?? null }]] : []
      }),
    )
  }

  #valueType(type: GraphQLOutputType): GraphQLOutputType | null {
    if (isNonNullType(type)) {
      const inner = this.#valueType(type.ofType)
      return inner && (isNonNullType(inner) ? inner : new GraphQLNonNull(inner))
    }
    if (isListType(type)) {
      const item = this.#valueType(type.ofType)
      return item && new GraphQLList(item)
    }
    if (isLeafType(type)) return type
    return isObjectType(type) && !Object.hasOwn(type.getFields(), 'id') ? this.#part(type) : null
  }

  /** An object that is a part of a record. */
  #part(type: GraphQLObjectType): GraphQLObjectType {
    let part = this.#parts.get(type.name)
    if (!part) {
      const fields = () => this.#fieldsOf(type, Object.keys(type.getFields()))
      this.#parts.set(
        type.name,
        (part = new GraphQLObjectType({ name: type.name, description: type.description, fields })),
      )
    }
    return part
  }

  #customFieldsOf(shape: RecordShape, owner: string): Fields {
    if (isHidden(this.caller, shape, customFieldsName)) return {}
    const visible = [...shape.columns.customFields].filter(
      ([key, column]) => isName(key) && !isHidden(this.caller, shape, column.name),
    )
    return Object.fromEntries(
      visible.map(([key, column]) => [
        key,
        { type: this.#customType(column, `${owner}_${key}`), description: describe(column) },
      ]),
    )
  }

  #customType(column: Column, enumName: string): GraphQLOutputType {
    const members = Object.keys(enumerationOf(column) ?? {})
    const isEnum = members.length > 0 && members.every(isEnumValue)
    const values = Object.fromEntries(members.map((member) => [member, {}]))
    const text = isEnum ? new GraphQLEnumType({ name: enumName, values }) : GraphQLString
    switch (column.kind) {
      case 'textList':
        return new GraphQLList(new GraphQLNonNull(text))
      case 'money':
        return this.#typeNamed('Decimal') as GraphQLOutputType
      case 'timestamp':
        return this.#typeNamed('DateTime') as GraphQLOutputType
      case 'boolean':
        return GraphQLBoolean
      case 'id':
        return GraphQLID
      default:
        return text
    }
  }
}

const describe = ({ custom, description }: Column): string =>
  [...new Set([custom?.label ?? '', description ?? ''])].filter((text) => text !== '').join('\n\n')

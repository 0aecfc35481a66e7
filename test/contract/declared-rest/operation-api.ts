import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql'
import type { DeclaredOperation } from '../../../subgraphs/kernel/record/operation.ts'
import { requirementIn } from '../../../subgraphs/kernel/subgraph/describe-schema.ts'

export type Element = GraphQLArgument | GraphQLInputField

/** One input of an operation: the parameter or property of REST, and the argument, or part of one, that takes its value. */
export interface Input {
  readonly name: string
  /** The argument, and the fields in it that lead to the value. */
  readonly target: readonly string[]
  readonly place: 'path' | 'query' | 'body' | 'input' | 'version' | 'header'
  /** The name of the header. */
  readonly header?: string
  readonly element: Element
  /** A part of an argument can always be absent. */
  readonly type: GraphQLInputType
}

export interface Body {
  readonly schema: string
  /** The input type that is the whole body; null if the body has arguments as properties. */
  readonly type: GraphQLInputObjectType | null
  readonly properties: readonly Input[]
  readonly isRequired: boolean
}

type Access = 'KEY' | 'SESSION' | 'PUBLIC' | 'APP'

/** A declared operation with what its root field says. */
export interface OperationApi {
  readonly declared: DeclaredOperation
  readonly root: 'query' | 'mutation'
  readonly field: GraphQLField<unknown, unknown>
  readonly inputs: readonly Input[]
  readonly body: Body | null
  readonly access: Access
  readonly scopes: readonly string[]
  /** The type of the answer, or of its items. */
  readonly answer: GraphQLNamedType
  readonly isList: boolean
  /** Whether the answer is a page of a list in the form of the specification. */
  readonly isPage: boolean
  /** Whether the answer has a version, which is its `ETag`. */
  readonly hasVersion: boolean
}

export const fieldsOf = (type: GraphQLNamedType): GraphQLField<unknown, unknown>[] =>
  isObjectType(type) ? Object.values(type.getFields()) : []

/** Versions are numbers; a digest is none. */
const isVersioned = (type: GraphQLNamedType): boolean =>
  fieldsOf(type).some((field) => field.name === 'version' && getNamedType(field.type).name === 'Int')

const hasField = (type: GraphQLNamedType, name: string): boolean => fieldsOf(type).some((field) => field.name === name)

/** A page of a list: its parts have the same meaning in every list. */
export const isPageType = (type: GraphQLNamedType): boolean => hasField(type, 'data') && hasField(type, 'hasMore')

export const isRequired = ({ type, defaultValue }: Element): boolean =>
  isNonNullType(type) && defaultValue === undefined

export function operationApi(schema: GraphQLSchema, declared: DeclaredOperation): OperationApi {
  const query = schema.getQueryType()?.getFields()[declared.field]
  const field = query ?? schema.getMutationType()?.getFields()[declared.field]
  if (!field) throw new Error(`${declared.id}: the subgraph has no root field ${declared.field}.`)
  const answer = getNamedType(field.type)
  const isList = isListType(getNullableType(field.type))
  const inputs = inputsOf(declared, field)
  return {
    declared,
    root: query ? 'query' : 'mutation',
    field,
    inputs,
    body: bodyOf(declared, inputs),
    ...accessOf(declared, field, answer),
    answer,
    isList,
    isPage: isPageType(answer),
    hasVersion: !isList && isVersioned(answer),
  }
}

const namesInPath = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)

/** First the ids of the path, then the others in the order of the arguments, and the version last. */
function inputsOf(declared: DeclaredOperation, field: GraphQLField<unknown, unknown>): Input[] {
  const { method, path, parameters = {}, headers = {}, id } = declared
  const headerOf = new Map(Object.entries(headers).map(([header, argument]) => [argument, header]))
  const inPath = namesInPath(path)
  const renamed = Object.entries(parameters).map(([name, target]) => [name, target.split('.')] as const)
  const taken = new Set(renamed.map(([, [argument]]) => argument))
  const own = field.args.filter(({ name }) => !taken.has(name)).map(({ name }) => [name, [name]] as const)
  const inputs = [...renamed, ...own].flatMap(([name, target]): Input[] => {
    const element = elementAt(field, target)
    if (!element) throw new Error(`${id}: ${field.name} has no argument ${target.join('.')}.`)
    const type = target.length > 1 ? getNullableType(element.type) : element.type
    const common = { name, target, element, type }
    if (inPath.includes(name)) return [{ ...common, place: 'path' }]
    const header = headerOf.get(name)
    if (header !== undefined) return [{ ...common, place: 'header', header }]
    if (name === 'expectedVersion' && getNamedType(type).name === 'Int') return [{ ...common, place: 'version' }]
    if (method !== 'get' && method !== 'delete') return [{ ...common, place: name === 'input' ? 'input' : 'body' }]
    // A filter or an order of the graph is no parameter; its parts can be declared.
    return isInputObjectType(getNamedType(type)) ? [] : [{ ...common, place: 'query' }]
  })
  const missing = inPath.filter((name) => !inputs.some((input) => input.name === name))
  if (missing.length > 0) throw new Error(`${id}: ${field.name} has no argument for ${missing.join(', ')} of its path.`)
  const rank = ({ place, name }: Input): number =>
    place === 'path' ? inPath.indexOf(name) - inPath.length : place === 'version' ? 1 : 0
  return inputs.toSorted((a, b) => rank(a) - rank(b))
}

function elementAt(field: GraphQLField<unknown, unknown>, [first, ...rest]: readonly string[]): Element | undefined {
  let element: Element | undefined = field.args.find(({ name }) => name === first)
  for (const step of rest) {
    const type = element && getNamedType(element.type)
    element = isInputObjectType(type) ? type.getFields()[step] : undefined
  }
  return element
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function bodyOf({ id, field, body }: DeclaredOperation, inputs: readonly Input[]): Body | null {
  const whole = inputs.find(({ place }) => place === 'input')
  const properties = inputs.filter(({ place }) => place === 'body')
  if (!whole) {
    if (properties.length === 0) return null
    const isOptional = properties.every(({ element }) => !isRequired(element))
    return { schema: body ?? `${upperFirst(field)}Input`, type: null, properties, isRequired: !isOptional }
  }
  const type = getNamedType(whole.type)
  if (!isInputObjectType(type)) throw new Error(`${id}: the argument input must have an input type.`)
  const more = properties.map(({ name }) => name).join(', ')
  if (more)
    throw new Error(
      `${id}: an argument beside input must be in the path or be declared in parameters or headers: ${more}.`,
    )
  return { schema: type.name, type, properties: [], isRequired: isRequired(whole.element) }
}

const accessOfScope: Readonly<Record<string, Access>> = { SESSION: 'SESSION', PUBLIC: 'PUBLIC', APP: 'APP' }

/** Who may call it: what the field requires, otherwise what its type requires. */
function accessOf(
  { id }: DeclaredOperation,
  field: GraphQLField<unknown, unknown>,
  answer: GraphQLNamedType,
): Pick<OperationApi, 'access' | 'scopes'> {
  const directivesOf = (node: GraphQLField<unknown, unknown> | GraphQLNamedType) =>
    requirementIn(node.astNode?.directives as Parameters<typeof requirementIn>[0])
  const requirement = directivesOf(field) ?? directivesOf(answer)
  if (!requirement)
    throw new Error(`${id}: ${field.name} must say what it needs, with @RequiresScope or @RequiresScopes.`)
  if (requirement.length !== 1) throw new Error(`${id}: an operation of REST must need one set of scopes.`)
  const [scopes = []] = requirement
  const access = accessOfScope[scopes[0] ?? ''] ?? 'KEY'
  return {
    access,
    scopes: access === 'KEY' ? scopes.filter((scope) => scope !== 'MEMBER') : access === 'APP' ? ['*'] : [],
  }
}

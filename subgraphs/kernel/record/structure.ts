import { Directive, Field, InputType, ObjectType } from 'type-graphql'
import { isRequiredPart } from './check-values.ts'
import { Column, initialValue, tableColumn, type ColumnOptions, type GraphQLTypeOf } from './column.ts'
import { classNamed, field, type Class } from './declared-class.ts'
import { inputDescription } from './describe.ts'
import { Json } from './scalars.ts'
import { UserReference } from './user-reference.ts'

// Structured columns: objects with declared parts, stored as JSON in one column of the record, such as the lines of a quote.
// A client sends and replaces the whole value. Lists are not filtered or sorted by it.

/** The options of a part. Parts are read and written with their column, so they have no index and no field security of their own. */
export type PartOptions = Pick<
  ColumnOptions,
  | 'nullable'
  | 'derivedDefault'
  | 'default'
  | 'max'
  | 'maxItems'
  | 'filled'
  | 'minimum'
  | 'maximum'
  | 'decimals'
  | 'day'
  | 'readAsString'
  | 'user'
  | 'description'
  | 'example'
> & {
  /** `NEVER`: only the rules of the record set it. Default: `ALWAYS`. */
  writable?: 'ALWAYS' | 'NEVER'
}

interface Declaration {
  readonly name: string
  readonly description: string
  readonly parts: readonly Column[]
  readonly input: Class
}

const partsByClass = new Map<object, Column[]>()

/** The parts of a structure. Parts of the base class come first. */
function partsOf(structure: object): readonly Column[] {
  const base = Object.getPrototypeOf(structure) as object | null
  return [...(base && base !== Function.prototype ? partsOf(base) : []), ...(partsByClass.get(structure) ?? [])]
}
const declarations = new Map<object, Declaration>()

/** Declares one part of a structure: a GraphQL field of its object type and, if a client may set it, of its input type. */
export function Part<const G extends GraphQLTypeOf>(typeOf: () => G, options: PartOptions = {}) {
  return (target: object, key: string): void => {
    const type = typeOf()
    const part = tableColumn(key, type, options)
    const own = partsByClass.get(target.constructor) ?? []
    own.push(part)
    partsByClass.set(target.constructor, own)
    const { description = '', user } = options
    Field(() => type as never, { nullable: part.nullable, simple: true, description })(target, key)
    if (user) Field(() => UserReference, { nullable: true, description: user.description })(target, user.field)
  }
}

/** The parts that a client may send. Those that it must send come first. */
export function writableParts(parts: readonly Column[]): readonly Column[] {
  const writable = parts.filter(({ writable: when }) => when !== 'NEVER')
  return [...writable.filter(isRequiredPart), ...writable.filter((part) => !isRequiredPart(part))]
}

/** Declares a structure: the GraphQL object type `name` and the input type `<name>Input`. */
export function Structure(name: string, description: string) {
  return (target: Class): void => {
    const parts = partsOf(target)
    const input = classNamed(`${name}Input`)
    for (const part of writableParts(parts))
      field(
        input,
        part.name,
        () => part.type,
        { nullable: !isRequiredPart(part), description: inputDescription(part, 'CREATE') },
        part.day,
      )
    InputType(`${name}Input`, { description })(input)
    // Subgraphs that have the structure in their records declare the same type.
    Directive('@shareable')(target)
    ObjectType(name, { description })(target)
    declarations.set(target, { name, description, parts, input })
  }
}

/** The GraphQL input type of a structure, for arguments. */
export const structureInput = (structure: Class): Class => declarationOf(structure).input

function declarationOf(structure: Class): Declaration {
  const declared = declarations.get(structure)
  if (!declared) throw new Error(`${structure.name} must be declared with @Structure.`)
  return declared
}

type StructureColumnOptions = Omit<ColumnOptions, 'structure' | 'shape' | 'default'> & {
  /** The value is a list of structures, empty unless set; `maxItems` is its bound. */
  list?: boolean
}

/** Declares a column with a structure, or with a list of them. Its table column has the type `jsonb`. */
export function StructureColumn(typeOf: () => Class, { list: isList = false, ...options }: StructureColumnOptions) {
  return (target: object, key: string): void => {
    const type = typeOf()
    const declared = declarationOf(type)
    Column(() => Json, { ...options, structure: { ...declared, isList }, shape: () => (isList ? [type] : type) })(
      target as Record<string, unknown>,
      key,
    )
  }
}

/** A structure of which nothing was given: every part has its default. */
export const defaultsOf = <T>(structure: Class<T>): T => complete(declarationOf(structure as Class).parts, {}) as T

/** A structured value in its stored form: every part has a value, ids are in lower case. */
export function storedStructure({ structure }: Column, value: unknown): unknown {
  if (value === null) return null
  return Array.isArray(value)
    ? value.map((item) => complete(structure!.parts, item))
    : complete(structure!.parts, value)
}

function complete(parts: readonly Column[], given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given
  return Object.fromEntries(
    parts.map((part) => {
      const value = (given as Record<string, unknown>)[part.name] ?? initialValue(part) ?? null
      return [part.name, part.kind === 'id' && typeof value === 'string' ? value.toLowerCase() : value]
    }),
  )
}

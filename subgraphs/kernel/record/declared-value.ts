import { Arg, Extensions, Field } from 'type-graphql'
import { itemsMax } from './check-values.ts'
import { tableColumn, type Column, type ColumnOptions, type GraphQLTypeOf } from './column.ts'
import { Day, type Class } from './declared-class.ts'
import { boundsSentence, dayMeaning } from './describe.ts'

// Values of the graph that are no columns: the arguments of verbs and of computed reads, the fields of their inputs and answers. They are declared
// with bounds and an example as columns are. The bounds are checked before a resolver runs, and the contract of REST is printed with them.

export interface ValueOptions extends Pick<
  ColumnOptions,
  'nullable' | 'max' | 'isEmail' | 'filled' | 'minimum' | 'maximum' | 'decimals' | 'day' | 'default' | 'example'
> {
  /** What the value is, its unit and when it is null. In inputs the bounds are added to it. */
  description: string
  /** Values of an answer that another replaces: which one to use. */
  deprecationReason?: string
  /** The value is a list; the other bounds are those of each item. */
  list?: boolean
  /** Lists: how many items it must and may have. Default: 0 to 100. */
  minItems?: number
  maxItems?: number
}

/** How a value is declared. */
export interface DeclaredValue extends Pick<ValueOptions, 'list' | 'example'> {
  /** The value, or each item of the list, as if it were a column; null for an object, which has fields of its own. */
  readonly column: Column | null
  readonly minItems: number
  readonly maxItems: number
  /** Bounds are in the description of an input only. */
  readonly inputDescription: string
}

type ValueType = GraphQLTypeOf | Class

const isClass = (type: ValueType): type is Class =>
  typeof type === 'function' && (type as unknown) !== String && (type as unknown) !== Boolean

function declared(name: string, type: ValueType, options: ValueOptions): DeclaredValue {
  const { list = false, minItems = 0, maxItems = itemsMax, example } = options
  const { nullable: _nullable, default: initial, ...ofItems } = options
  const column = isClass(type) ? null : tableColumn(name, type, list ? ofItems : options)
  const items = list ? `${minItems > 0 ? `${minItems} to` : 'At most'} ${maxItems} items.` : ''
  const isPlain = typeof initial === 'string' || typeof initial === 'number' || typeof initial === 'boolean'
  const inputDescription = [
    options.description,
    items,
    column ? boundsSentence(column) : '',
    options.day ? dayMeaning(options.day) : '',
    isPlain ? `Default: ${initial}.` : '',
  ]
  return { column, list, minItems, maxItems, example, inputDescription: inputDescription.filter(Boolean).join(' ') }
}

const graphType =
  (type: ValueType, { list }: ValueOptions) =>
  () =>
    (list ? [type] : type) as never

const fieldOptions = (
  { nullable = false, default: defaultValue, deprecationReason }: ValueOptions,
  description: string,
) => ({
  nullable,
  description,
  ...(defaultValue !== undefined && { defaultValue }),
  ...(deprecationReason !== undefined && { deprecationReason }),
})

/** Declares a field of an input type, or an argument in a class of arguments. */
export function InputField(typeOf: () => ValueType, options: ValueOptions) {
  return (target: object, key: string): void => {
    const type = typeOf()
    const value = declared(key, type, options)
    Field(graphType(type, options), fieldOptions(options, value.inputDescription) as never)(target, key)
    Extensions({ value })(target, key)
    if (options.day) Day(options.day)(target, key)
  }
}

const outputsByClass = new Map<object, Column[]>()

/** The fields of an answer that `OutputField` declares with a scalar or an enumeration, as columns, those of its base classes first. */
export function outputColumnsOf(type: object): readonly Column[] {
  const base = Object.getPrototypeOf(type) as object | null
  return [...(base === null ? [] : outputColumnsOf(base)), ...(outputsByClass.get(type) ?? [])]
}

/** Declares a field of an answer that is no record, with an example. */
export function OutputField(typeOf: () => ValueType, options: Omit<ValueOptions, 'default' | 'day'>) {
  return (target: object, key: string): void => {
    const type = typeOf()
    Field(graphType(type, options), { ...fieldOptions(options, options.description), simple: true } as never)(
      target,
      key,
    )
    const value = declared(key, type, options)
    Extensions({ value })(target, key)
    if (!value.column || value.list) return
    const own = outputsByClass.get(target.constructor) ?? []
    own.push(value.column)
    outputsByClass.set(target.constructor, own)
  }
}

const argumentsOf = new Map<object, Map<string, DeclaredValue>>()

/** Declares an argument of a root field. */
export function ValueArg(name: string, typeOf: () => ValueType, options: ValueOptions) {
  return (prototype: object, method: string | symbol, index: number): void => {
    const type = typeOf()
    const value = declared(name, type, options)
    const own = argumentsOf.get(prototype.constructor) ?? new Map<string, DeclaredValue>()
    argumentsOf.set(prototype.constructor, own.set(`${String(method)}.${name}`, value))
    Arg(name, graphType(type, options), fieldOptions(options, value.inputDescription) as never)(
      prototype,
      method,
      index,
    )
  }
}

/** How an argument of a method is declared, if `ValueArg` declares it. */
export const declaredArgument = (resolver: object, method: string, name: string): DeclaredValue | undefined =>
  argumentsOf.get(resolver)?.get(`${method}.${name}`)

/** How a field of an input or an answer, or an argument, is declared; undefined if nothing but its type is known. */
export const declaredValue = ({
  extensions,
}: {
  readonly extensions: Readonly<Record<string, unknown>>
}): DeclaredValue | undefined => extensions['value'] as DeclaredValue | undefined

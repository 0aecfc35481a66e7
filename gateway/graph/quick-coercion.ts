import { isLeafType, isListType, isNonNullType, type GraphQLInputObjectType, type GraphQLInputType } from 'graphql'
import { isJsonObject } from '../../subgraphs/kernel/json/exact-number.ts'

type Coerce = (value: unknown) => unknown

/** Thrown where graphql-js has to say what is not valid, or to apply a rule that is not repeated here. */
const notQuick = new Error('coerce with graphql-js')

const coercers = new WeakMap<GraphQLInputType, Coerce>()

function coercerOf(type: GraphQLInputType): Coerce {
  let coerce = coercers.get(type)
  if (!coerce) coercers.set(type, (coerce = newCoercer(type)))
  return coerce
}

function newCoercer(type: GraphQLInputType): Coerce {
  if (isNonNullType(type)) {
    const inner = coercerOf(type.ofType)
    return (value) => {
      if (value === null) throw notQuick
      return inner(value)
    }
  }
  if (isListType(type)) {
    const item = coercerOf(type.ofType)
    return (value) => {
      if (value === null) return null
      if (!Array.isArray(value)) throw notQuick
      return value.map(item)
    }
  }
  if (isLeafType(type)) {
    return (value) => {
      if (value === null) return null
      const parsed = type.parseValue(value)
      if (parsed === undefined) throw notQuick
      return parsed
    }
  }
  return objectCoercer(type)
}

function objectCoercer(type: GraphQLInputObjectType): Coerce {
  interface Field {
    readonly name: string
    readonly isRequired: boolean
    /** The coerced default; undefined where there is none. */
    readonly initial: unknown
    readonly coerce: Coerce
  }
  // Input types refer to each other, so the fields are prepared at the first use.
  let fields: readonly Field[] | null = null
  const fieldsOf = (): readonly Field[] =>
    Object.values(type.getFields()).map((field) => ({
      name: field.name,
      isRequired: isNonNullType(field.type),
      initial: field.defaultValue,
      coerce: coercerOf(field.type),
    }))
  return (value) => {
    if (value === null) return null
    if (type.isOneOf || !isJsonObject(value)) throw notQuick
    const coerced: Record<string, unknown> = {}
    let count = 0
    for (const { name, isRequired, initial, coerce } of (fields ??= fieldsOf())) {
      const given = value[name]
      if (given !== undefined) {
        coerced[name] = coerce(given)
        count++
      } else if (initial !== undefined) coerced[name] = initial
      else if (isRequired) throw notQuick
    }
    // There are fields that the type does not have.
    if (Object.keys(value).length !== count) throw notQuick
    return coerced
  }
}

/**
 * The value as `coerceInputValue` of graphql-js coerces it, where it is valid and needs no rule that is not repeated here; undefined otherwise. graphql-js
 * asks for the kinds of the types of all fields of an input at each call, which was a twentieth of a create of a record.
 */
export function quicklyCoerced(value: unknown, type: GraphQLInputType): unknown {
  try {
    return coercerOf(type)(value)
  } catch {
    return undefined
  }
}

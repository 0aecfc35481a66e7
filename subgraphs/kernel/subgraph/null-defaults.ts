import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql'

type Member = GraphQLArgument | GraphQLInputField
type Given = Record<string, unknown>

const hasDefault = ({ defaultValue }: Member): boolean => defaultValue !== undefined

/** Arguments and input fields with a default take null, in the schema as it is published. */
export function letNullBeDefault(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    const members: Member[] = isInputObjectType(type)
      ? Object.values(type.getFields())
      : isObjectType(type)
        ? Object.values(type.getFields()).flatMap(({ args }) => args)
        : []
    for (const member of members) if (hasDefault(member)) member.type = getNullableType(member.type)
  }
}

/** Resolvers see the default where null was given, as a literal, by a variable or deep inside an input object. */
export function resolveNullAsDefault(schema: GraphQLSchema): void {
  const defaults = new Defaults()
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field
      const concerned = defaults.concerned(field.args)
      if (!resolve || concerned.length === 0) continue
      field.resolve = (source, args, context, info) =>
        resolve(source, defaults.filled(concerned, args as Given), context, info) as unknown
    }
  }
}

/** What null stands for in arguments and input objects. */
class Defaults {
  readonly #concerned = new Map<GraphQLInputObjectType, readonly Member[]>()

  /** Those with a default, or with one somewhere inside. */
  concerned(members: readonly Member[]): readonly Member[] {
    return members.filter((member) => hasDefault(member) || this.#reaches(member.type, new Set()))
  }

  /** The same object where nothing is to be filled: what is given may be shared between executions. */
  filled(concerned: readonly Member[], given: Given): Given {
    let copy: Given | null = null
    for (const { name, type, defaultValue } of concerned) {
      const value = given[name]
      if (value === undefined) continue
      const filled = value === null ? (defaultValue ?? null) : this.#filledValue(type, value)
      if (filled !== value) (copy ??= { ...given })[name] = filled
    }
    return copy ?? given
  }

  #filledValue(type: GraphQLInputType, value: unknown): unknown {
    const nullable = getNullableType(type)
    if (value === null) return null
    if (isListType(nullable)) {
      if (!Array.isArray(value)) return value
      const items = value.map((item) => this.#filledValue(nullable.ofType as GraphQLInputType, item))
      return items.some((item, index) => item !== value[index]) ? items : value
    }
    return isInputObjectType(nullable) ? this.filled(this.#concernedOf(nullable), value as Given) : value
  }

  #concernedOf(type: GraphQLInputObjectType): readonly Member[] {
    let members = this.#concerned.get(type)
    if (!members) this.#concerned.set(type, (members = this.concerned(Object.values(type.getFields()))))
    return members
  }

  #reaches(type: GraphQLInputType, above: Set<GraphQLInputObjectType>): boolean {
    const named = getNamedType(type)
    if (!isInputObjectType(named) || above.has(named)) return false
    above.add(named)
    return Object.values(named.getFields()).some((field) => hasDefault(field) || this.#reaches(field.type, above))
  }
}

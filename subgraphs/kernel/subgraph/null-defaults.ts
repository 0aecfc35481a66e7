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

/** Makes arguments and input fields with a default nullable in the published schema. */
export function makeDefaultedInputsNullable(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    const members: Member[] = isInputObjectType(type)
      ? Object.values(type.getFields())
      : isObjectType(type)
        ? Object.values(type.getFields()).flatMap(({ args }) => args)
        : []
    for (const member of members) if (hasDefault(member)) member.type = getNullableType(member.type)
  }
}

/** Replaces null by the default before a resolver runs: in literals, in variables and inside input objects. */
export function resolveNullAsDefault(schema: GraphQLSchema): void {
  const defaults = new NullDefaults()
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field
      const affected = defaults.affected(field.args)
      if (!resolve || affected.length === 0) continue
      field.resolve = (source, args, context, info) =>
        resolve(source, defaults.withDefaults(affected, args as Given), context, info) as unknown
    }
  }
}

/** Replaces null by defaults in arguments and input objects. */
class NullDefaults {
  readonly #affected = new Map<GraphQLInputObjectType, readonly Member[]>()

  /** The members that have a default, or contain a member with a default. */
  affected(members: readonly Member[]): readonly Member[] {
    return members.filter((member) => hasDefault(member) || this.#hasNestedDefault(member.type, new Set()))
  }

  /** Returns a copy, or the same object when nothing changes. Must not modify `given`, which may be shared between executions. */
  withDefaults(affected: readonly Member[], given: Given): Given {
    let copy: Given | null = null
    for (const { name, type, defaultValue } of affected) {
      const value = given[name]
      if (value === undefined) continue
      const replaced = value === null ? (defaultValue ?? null) : this.#valueWithDefaults(type, value)
      if (replaced !== value) (copy ??= { ...given })[name] = replaced
    }
    return copy ?? given
  }

  #valueWithDefaults(type: GraphQLInputType, value: unknown): unknown {
    const nullable = getNullableType(type)
    if (value === null) return null
    if (isListType(nullable)) {
      if (!Array.isArray(value)) return value
      const items = value.map((item) => this.#valueWithDefaults(nullable.ofType as GraphQLInputType, item))
      return items.some((item, index) => item !== value[index]) ? items : value
    }
    return isInputObjectType(nullable) ? this.withDefaults(this.#affectedOf(nullable), value as Given) : value
  }

  #affectedOf(type: GraphQLInputObjectType): readonly Member[] {
    let members = this.#affected.get(type)
    if (!members) this.#affected.set(type, (members = this.affected(Object.values(type.getFields()))))
    return members
  }

  #hasNestedDefault(type: GraphQLInputType, above: Set<GraphQLInputObjectType>): boolean {
    const named = getNamedType(type)
    if (!isInputObjectType(named) || above.has(named)) return false
    above.add(named)
    return Object.values(named.getFields()).some(
      (field) => hasDefault(field) || this.#hasNestedDefault(field.type, above),
    )
  }
}

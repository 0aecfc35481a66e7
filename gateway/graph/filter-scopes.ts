import {
  getNamedType,
  isInputObjectType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  type ValueNode,
} from 'graphql'
import { scopeOfFilterTag } from '../../subgraphs/kernel/record/requires-scope.ts'
import type { ScopeRequirement } from '../../subgraphs/kernel/scopes.ts'
import type { Variables } from './variable-values.ts'

/** The scope of each filter input: it is needed when a filter of this type is given, on whatever level of another one. */
export type FilterScopes = ReadonlyMap<string, string>

function scopeIn(directives: readonly ConstDirectiveNode[] | undefined): string | null {
  for (const { name, arguments: given } of directives ?? []) {
    const value = name.value === 'tag' ? given?.find((argument) => argument.name.value === 'name')?.value : undefined
    const scope = value?.kind === Kind.STRING ? scopeOfFilterTag(value.value) : null
    if (scope !== null) return scope
  }
  return null
}

export const readFilterScopes = (supergraph: DocumentNode): FilterScopes =>
  new Map(
    supergraph.definitions.flatMap((definition) => {
      const scope = definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION ? scopeIn(definition.directives) : null
      return scope === null ? [] : [[(definition as { name: { value: string } }).name.value, scope] as const]
    }),
  )

/** The scopes that the filters of one operation need: those of its literals, and those of the values of its variables. */
export class RequiredFilterScopes {
  readonly #fixed = new Set<string>()
  readonly #variables: { readonly name: string; readonly type: GraphQLNamedType }[] = []

  constructor(
    schema: GraphQLSchema,
    private readonly scopes: FilterScopes,
    operation: DocumentNode,
  ) {
    if (scopes.size === 0) return
    const typeInfo = new TypeInfo(schema)
    const ofArgument = (value: ValueNode): void => {
      const argument = typeInfo.getArgument()
      if (argument) this.#addLiteral(value, getNamedType(argument.type))
    }
    visit(operation, visitWithTypeInfo(typeInfo, { Argument: ({ value }) => ofArgument(value) }))
  }

  get ofLiterals(): ScopeRequirement[] {
    return requirementsOf(this.#fixed)
  }

  /** Takes coerced variables. */
  ofVariables(variables: Variables): ScopeRequirement[] {
    if (this.#variables.length === 0) return []
    const found = new Set<string>()
    for (const { name, type } of this.#variables) this.#addValue(variables[name], type, found)
    return requirementsOf(found)
  }

  #addLiteral(value: ValueNode, type: GraphQLNamedType): void {
    if (!isInputObjectType(type) || value.kind === Kind.NULL) return
    if (value.kind === Kind.VARIABLE) this.#variables.push({ name: value.name.value, type })
    else if (value.kind === Kind.LIST) for (const item of value.values) this.#addLiteral(item, type)
    else if (value.kind === Kind.OBJECT) {
      this.#need(type, this.#fixed)
      const fields = type.getFields()
      for (const { name, value: inner } of value.fields) {
        const field = fields[name.value]
        if (field) this.#addLiteral(inner, getNamedType(field.type))
      }
    }
  }

  #addValue(value: unknown, type: GraphQLNamedType, found: Set<string>): void {
    if (value === undefined || value === null || !isInputObjectType(type)) return
    if (Array.isArray(value)) {
      for (const item of value) this.#addValue(item, type, found)
      return
    }
    this.#need(type, found)
    const fields = type.getFields()
    for (const name in value as Variables) {
      const field = fields[name]
      if (field) this.#addValue((value as Variables)[name], getNamedType(field.type), found)
    }
  }

  #need({ name }: GraphQLNamedType, found: Set<string>): void {
    const scope = this.scopes.get(name)
    if (scope !== undefined) found.add(scope)
  }
}

const requirementsOf = (scopes: ReadonlySet<string>): ScopeRequirement[] => [...scopes].map((scope) => [[scope]])

import { isInputObjectType, isObjectType, type GraphQLNamedType, type GraphQLSchema } from 'graphql'
import { getMetadataStorage } from 'type-graphql'

interface Element {
  extensions: Readonly<Record<string, unknown>>
}

/** The fields and arguments of a type that can have declared values, by name. */
function elementsOf(type: GraphQLNamedType | undefined): ReadonlyMap<string, Element> {
  if (isInputObjectType(type)) return new Map(Object.entries(type.getFields()))
  if (!isObjectType(type)) return new Map()
  return new Map(
    Object.values(type.getFields()).flatMap((field): [string, Element][] => [
      [field.name, field],
      ...field.args.map((argument): [string, Element] => [`${field.name}(${argument.name})`, argument]),
    ]),
  )
}

/** Bounds, examples and the records that ids name are no part of the SDL from which the executable schema is built; the contract of REST is printed with them. */
export function keepDeclaredValues(declared: GraphQLSchema, executable: GraphQLSchema): void {
  for (const type of Object.values(declared.getTypeMap())) {
    const kept = elementsOf(executable.getType(type.name))
    for (const [name, element] of elementsOf(type)) {
      const same = kept.get(name)
      if (same && Object.keys(element.extensions).length > 0) same.extensions = element.extensions
    }
  }
}

/** Gives inherited fields the extensions of their declaration, which type-graphql keeps for own fields only. */
export function inheritExtensions(schema: GraphQLSchema): void {
  const { inputTypes, objectTypes } = getMetadataStorage()
  const declarations = [...inputTypes, ...objectTypes]
  const fieldsByClass = new Map(declarations.map(({ target, fields }) => [target as object, fields ?? []]))
  for (const { name, target } of declarations) {
    const elements = elementsOf(schema.getType(name))
    let above = Object.getPrototypeOf(target) as object | null
    for (; above && above !== Function.prototype; above = Object.getPrototypeOf(above) as object | null) {
      for (const { schemaName, extensions = {} } of fieldsByClass.get(above) ?? []) {
        const element = elements.get(schemaName)
        if (element && Object.keys(extensions).length > 0) element.extensions = { ...extensions, ...element.extensions }
      }
    }
  }
}

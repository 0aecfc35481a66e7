import { isEnumType, type GraphQLSchema } from 'graphql'

/** An enumeration with more values is not listed; the suggestion of graphql-js is enough. */
const listedValuesMax = 60

const unknownValue = /^Value .* does not exist in "(\w+)" enum\.|^Enum "(\w+)" cannot represent /

/**
 * What a message says to a caller who may read the schema: the values that are allowed. Names that graphql-js suggests are in the message
 * already. Other callers must not get names of the schema.
 */
export function withAllowedValues(schema: GraphQLSchema, message: string): string {
  const [, unknown, other] = unknownValue.exec(message) ?? []
  const type = schema.getType(unknown ?? other ?? '')
  if (!isEnumType(type)) return message
  const names = type.getValues().map(({ name }) => name)
  return names.length > listedValuesMax ? message : `${message} Allowed values: ${names.join(', ')}.`
}

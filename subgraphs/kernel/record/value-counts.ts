import { Field, Int, ObjectType } from 'type-graphql'
import { enumerationName } from './column.ts'
import { RequiresScope } from './requires-scope.ts'

type Class = new () => object

/**
 * The GraphQL type of the numbers of records by the values of an enumeration, with one field for each value. Requires the scope to read
 * the resource. `prefix` begins its name where several record types have columns of the enumeration.
 */
export function valueCounts(
  enumeration: Readonly<Record<string, string>>,
  resource: string,
  many: string,
  prefix = '',
): Class {
  const name = `${prefix}${enumerationName(enumeration)}Counts`
  const counts = { [name]: class {} }[name]!
  for (const value of Object.keys(enumeration)) {
    Field(() => Int, { description: `Number of ${many} with the value ${value}.` })(counts.prototype as object, value)
  }
  RequiresScope(resource)(counts)
  ObjectType(name, { description: `Number of ${many} by the values of ${enumerationName(enumeration)}.` })(counts)
  return counts
}

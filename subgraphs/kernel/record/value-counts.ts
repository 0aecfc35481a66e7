import { Field, Int, ObjectType } from 'type-graphql'
import { enumerationName } from './column.ts'
import { RequiresScope } from './requires-scope.ts'

type Class = new () => object

/**
 * The GraphQL type of the numbers of records by the values of an enumeration, with one field for each value. Requires the scope to read
 * the resource.
 */
export function valueCounts(enumeration: Readonly<Record<string, string>>, resource: string, many: string): Class {
  const name = `${enumerationName(enumeration)}Counts`
  const counts = { [name]: class {} }[name]!
  for (const value of Object.keys(enumeration)) {
    Field(() => Int, { description: `Number of ${many} with the value ${value}.` })(counts.prototype as object, value)
  }
  RequiresScope(resource)(counts)
  ObjectType(name, { description: `Number of ${many} by the values of ${enumerationName(enumeration)}.` })(counts)
  return counts
}

import { Field } from 'type-graphql'

// Classes of GraphQL types that are derived from a record class, so they have no decorated source of their own.

export type Class<T = object> = new () => T

/** Declares a field of a class that `classNamed` created. */
export function field(
  target: Class,
  name: string,
  type: () => unknown,
  options: { nullable?: boolean; description: string; defaultValue?: unknown },
): void {
  Field(type as never, options as never)(target.prototype as object, name)
}

export function classNamed(name: string): Class {
  return { [name]: class {} }[name] as Class
}

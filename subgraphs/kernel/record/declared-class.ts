import { Extensions, Field } from 'type-graphql'
import type { DayMoment } from '../time/days.ts'

// Classes of GraphQL types that are derived from a record class, so they have no decorated source of their own.

export type Class<T = object> = new () => T

/** The field of an input takes a date without a time as this moment of the day in the time zone of the organization. */
export const Day = (day: DayMoment): PropertyDecorator => Extensions({ day }) as PropertyDecorator

/** Declares a field of a class that `classNamed` created. */
export function field(
  target: Class,
  name: string,
  type: () => unknown,
  options: { nullable?: boolean; description: string; defaultValue?: unknown },
  day?: DayMoment,
): void {
  Field(type as never, options as never)(target.prototype as object, name)
  if (day) Day(day)(target.prototype as object, name)
}

export function classNamed(name: string): Class {
  return { [name]: class {} }[name] as Class
}

import {
  getNamedType,
  isInputObjectType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
} from 'graphql'
import { DateTime } from '../record/scalars.ts'
import type { RequestContext } from '../request.ts'
import { isDay, momentOfDay, operatorsWithMoments, organizationZone, type DayMoment } from '../time/days.ts'

type Values = Readonly<Record<string, unknown>>

/** A field or an argument whose value is, or may contain, timestamps. */
interface Place {
  /** The fields of its type; null for a timestamp. */
  readonly fields: ReadonlyMap<string, Place> | null
  /** What a date without a time means here; null: midnight UTC. */
  readonly moment: DayMoment | null
}

const fieldsByType = new WeakMap<GraphQLInputObjectType, Map<string, Place>>()

/** The fields with timestamps of an input type. Types refer to each other in circles, so the map is known before it is complete. */
function fieldsOf(type: GraphQLInputObjectType): Map<string, Place> {
  const known = fieldsByType.get(type)
  if (known) return known
  const fields = new Map<string, Place>()
  fieldsByType.set(type, fields)
  for (const field of Object.values(type.getFields())) {
    const place = placeOf(field)
    if (place) fields.set(field.name, place)
  }
  return fields
}

function placeOf({ type, extensions }: GraphQLInputField | GraphQLArgument): Place | null {
  const named = getNamedType(type)
  const moment = (extensions['day'] as DayMoment | undefined) ?? null
  if (isInputObjectType(named)) return { fields: fieldsOf(named), moment }
  return named.name === DateTime.name ? { fields: null, moment } : null
}

function containsDay(value: unknown, { fields }: Place): boolean {
  if (value === null || value === undefined) return false
  if (Array.isArray(value)) return value.some((item) => containsDay(item, { fields, moment: null }))
  if (!fields) return isDay(value)
  return Object.entries(value as Values).some(([name, member]) => {
    const place = fields.get(name)
    return place !== undefined && containsDay(member, place)
  })
}

function withMoments(value: unknown, place: Place, zone: string): unknown {
  const { fields, moment } = place
  if (value === null || value === undefined) return value
  if (Array.isArray(value)) return value.map((item) => withMoments(item, place, zone))
  if (!fields) return isDay(value) ? momentOfDay(value, moment, zone) : value
  if (moment !== null) return operatorsWithMoments(value as Values, moment, zone)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const inner = fields.get(name)
      return [name, inner ? withMoments(member, inner, zone) : member]
    }),
  )
}

type WithDays = (args: Values, context: unknown) => Values | Promise<Values>

/**
 * Converts the dates without a time in the arguments of a field: a field that people think of as a day means that day in the time zone of
 * the organization, any other one midnight UTC. Null if the field takes no timestamps.
 */
export function dayConversion(args: readonly GraphQLArgument[]): WithDays | null {
  const places = new Map(
    args.flatMap((argument) => {
      const place = placeOf(argument)
      return place ? [[argument.name, place] as const] : []
    }),
  )
  const whole: Place = { fields: places, moment: null }
  if (places.size === 0) return null
  return (given, context) =>
    containsDay(given, whole)
      ? organizationZone(context as RequestContext).then((zone) => withMoments(given, whole, zone) as Values)
      : given
}

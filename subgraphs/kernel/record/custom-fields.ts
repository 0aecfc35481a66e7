import { invalid, type FieldProblem } from '../errors.ts'
import type { Columns } from './columns.ts'
import { customFieldsName, isBlank, listed } from './custom-field-column.ts'
import type { RecordShape } from './definition.ts'
import { isSameValue } from './same-value.ts'
import { jsonValuesIn, jsonValuesMax } from './scalars.ts'
import { isJsonObject } from '../json/exact-number.ts'

type Fields = Readonly<Record<string, unknown>>

/** Maximum custom fields on one record. */
const countMax = 500
const nameMax = 100
/** Maximum length of all custom fields of a record as JSON, because every change of one field writes all of them and sends them in events. */
const charactersMax = 1_000_000

export function checkCustomFields(value: unknown): FieldProblem | null {
  const problem = (code: string, message: string): FieldProblem => ({ path: 'customFields', code, message })
  if (!isJsonObject(value))
    return problem('WRONG_TYPE', 'customFields must be an object with the API names of fields as keys.')
  for (const name in value) {
    if (name === '') return problem('EMPTY', 'A name in customFields must not be empty.')
    if (name.length > nameMax && [...name].length > nameMax)
      return problem('TOO_LONG', `A name in customFields must have at most ${nameMax} characters.`)
  }
  return null
}

/** Merges a change into the custom fields of a record. Fields that the change does not contain are kept; null removes a field. */
export function mergeCustomFields(previous: unknown, change: unknown): Fields {
  const merged = Object.entries({ ...(previous as Fields), ...(change as Fields) }).filter(
    ([, value]) => value !== null,
  )
  const refuse = (code: string, message: string): never => {
    throw invalid({ path: 'customFields', code, message })
  }
  if (merged.length > countMax) refuse('TOO_MANY', `A record must have at most ${countMax} custom fields.`)
  const fields = Object.fromEntries(merged)
  if (jsonValuesIn(fields) > jsonValuesMax)
    refuse('TOO_MANY', `The custom fields of a record must have at most ${jsonValuesMax} values in total.`)
  if (JSON.stringify(fields).length > charactersMax)
    refuse('TOO_LONG', `The custom fields of a record must have at most ${charactersMax} characters as JSON.`)
  return fields
}

/** Converts the values of defined fields to their stored form. A value of the wrong type is not changed; `checkValues` refuses it. */
export function storedCustomFields({ customFields }: Columns, values: unknown): unknown {
  if (customFields.size === 0 || !isJsonObject(values)) return values
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, customFields.get(key)?.stored(value) ?? value]),
  )
}

/** Without what every object has, such as `toString`. */
const ownValue = (values: Fields, key: string): unknown => (Object.hasOwn(values, key) ? values[key] : undefined)

/** The names, `customFields.<key>`, of the defined fields whose values differ. */
export function changedCustomFields({ customFields }: Columns, previous: unknown, next: unknown): string[] {
  const [before, after] = [previous, next].map((values) => (isJsonObject(values) ? values : {})) as [Fields, Fields]
  return [...customFields].flatMap(([key, { name }]) =>
    isSameValue(ownValue(before, key), ownValue(after, key)) ? [] : [name],
  )
}

const isDependencyMet = (allowed: readonly string[] | undefined, value: unknown): boolean =>
  (Array.isArray(value) ? value : [value]).every((item) => allowed?.includes(item as string))

/**
 * The problems of the custom fields of a record as it would be after a change: values that a new record must have, and values that do not
 * fit the value of another field. What the change does not concern may stay.
 */
export function customFieldProblemsOf(
  { columns: { customFields } }: RecordShape,
  next: Fields,
  previous: Fields | null,
): FieldProblem[] {
  if (customFields.size === 0) return []
  const [after, before] = [next, previous].map((record) => (record?.[customFieldsName] ?? {}) as Fields) as [
    Fields,
    Fields,
  ]
  const problems: FieldProblem[] = []
  for (const [key, { name, custom }] of customFields) {
    const value = ownValue(after, key)
    if (isBlank(value)) {
      if (custom?.isRequired && previous === null)
        problems.push({ path: name, code: 'REQUIRED', message: `${name} must have a value.` })
      continue
    }
    const { field, values } = custom?.dependsOn ?? {}
    if (field === undefined) continue
    const controlling = ownValue(after, field)
    const isConcerned = !isSameValue(value, ownValue(before, key)) || !isSameValue(controlling, ownValue(before, field))
    const allowed = Object.hasOwn(values!, String(controlling)) ? values![String(controlling)] : undefined
    if (!isConcerned || isDependencyMet(allowed, value)) continue
    const message = `${name} must fit ${customFieldsName}.${field}: ${allowed?.length ? `one of ${listed(allowed)}` : 'no value'}.`
    problems.push({ path: name, code: 'NOT_ALLOWED', message })
  }
  return problems
}

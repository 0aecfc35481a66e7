import type { FieldProblem } from '../errors.ts'
import { compareNumbers, decimalsOf, isExactNumber, isJsonObject } from '../json/exact-number.ts'
import { isId } from '../ids.ts'
import { enumerationOf, initialValue, isDerived, type Column, type StructureShape } from './column.ts'
import { parseEmail } from '../values/email-address.ts'
import { columnKinds } from './column-kind.ts'
import {
  activeMembers,
  customFieldName,
  customFieldsName,
  isBlank,
  isMember,
  listed,
  valueDescription,
  withoutAliases,
} from './custom-field-column.ts'
import { checkCustomFields } from './custom-fields.ts'
import type { RecordShape } from './definition.ts'
import { isSameValue } from './same-value.ts'
import { checkJson, isStorable } from './scalars.ts'

export const textMax = 255
export const numberMax = 1e15
/** Maximum number of items of a list that does not declare `maxItems`. */
export const itemsMax = 100
/** Maximum number of decimals of a `money` column that does not declare `decimals`. */
export const decimalsMax = 20

const problem = (column: Column, code: string, message: string): FieldProblem => ({ path: column.name, code, message })

function checkCount(column: Column, list: readonly unknown[]): FieldProblem | null {
  const { name, maxItems = itemsMax } = column
  return list.length > maxItems ? problem(column, 'TOO_MANY', `${name} must have at most ${maxItems} items.`) : null
}

const isLongerThan = (text: string, max: number): boolean => text.length > max && [...text].length > max

function checkText(column: Column, text: unknown): FieldProblem | null {
  if (typeof text !== 'string') return problem(column, 'WRONG_TYPE', `${column.name} must be text.`)
  if (!isStorable(text))
    return problem(column, 'NOT_TEXT', `${column.name} must not contain a NUL character or an unpaired surrogate.`)
  const max = column.max ?? textMax
  if (isLongerThan(text, max)) return problem(column, 'TOO_LONG', `${column.name} must have at most ${max} characters.`)
  if (column.isEmail && column.writable !== 'NEVER' && parseEmail(text) === null)
    return problem(column, 'NOT_AN_EMAIL', `${column.name} must be an email address.`)
  if (column.filled && text.trim() === '') return problem(column, 'EMPTY', `${column.name} must not be empty.`)
  return null
}

function checkNumber(column: Column, value: unknown): FieldProblem | null {
  if (!isExactNumber(value) || (column.kind !== 'money' && typeof value !== 'number'))
    return problem(column, 'WRONG_TYPE', `${column.name} must be a number.`)
  const { minimum = -numberMax, maximum = numberMax, decimals = decimalsMax } = column
  if (compareNumbers(value, minimum) < 0 || compareNumbers(value, maximum) > 0) {
    return problem(column, 'OUT_OF_RANGE', `${column.name} must be between ${minimum} and ${maximum}.`)
  }
  if (column.kind === 'money' && (decimalsOf(value) ?? Infinity) > decimals)
    return problem(column, 'TOO_PRECISE', `${column.name} must have at most ${decimals} decimals.`)
  return null
}

function checkMember(column: Column, members: object, item: unknown): FieldProblem | null {
  if (typeof item === 'string' && Object.hasOwn(members, item)) return null
  return problem(
    column,
    'NOT_ALLOWED',
    `${column.name} must be one of ${listed(activeMembers(column) ?? Object.keys(members))}.`,
  )
}

function checkTextList(column: Column, list: unknown): FieldProblem | null {
  if (!Array.isArray(list)) return problem(column, 'WRONG_TYPE', `${column.name} must be a list of texts.`)
  const tooMany = checkCount(column, list)
  if (tooMany) return tooMany
  const members = enumerationOf(column)
  for (const [index, item] of list.entries()) {
    const found = members ? checkMember(column, members, item) : checkText(column, item)
    if (found)
      return {
        ...found,
        path: `${column.name}.${index}`,
        message: found.message.replace(column.name, `${column.name}.${index}`),
      }
  }
  return null
}

function checkJsonColumn(column: Column, value: unknown): FieldProblem | null {
  const invalidName = column.name === customFieldsName ? checkCustomFields(value) : null
  if (invalidName) return invalidName
  try {
    checkJson(value)
    return null
  } catch (error) {
    return problem(column, 'NOT_JSON', (error as Error).message)
  }
}

/** Whether a client must send the part. */
export const isRequiredPart = (part: Column): boolean =>
  !part.nullable && part.derivedDefault === undefined && part.writable !== 'NEVER' && initialValue(part) === undefined

/** The first problem of the parts of one object. GraphQL has refused unknown parts. */
function checkParts(parts: readonly Column[], value: unknown, path: string): FieldProblem | null {
  if (!isJsonObject(value)) return { path, code: 'WRONG_TYPE', message: `${path} must be an object.` }
  for (const part of parts) {
    const given = value[part.name]
    if (given === undefined && !isRequiredPart(part)) continue
    const found = checkColumn({ ...part, name: `${path}.${part.name}` }, given ?? null)
    if (found) return found
  }
  return null
}

function checkStructure(column: Column, { isList, parts }: StructureShape, value: unknown): FieldProblem | null {
  if (!isList) return checkParts(parts, value, column.name)
  if (!Array.isArray(value)) return problem(column, 'WRONG_TYPE', `${column.name} must be a list of objects.`)
  const tooMany = checkCount(column, value)
  if (tooMany) return tooMany
  for (const [index, item] of value.entries()) {
    const found = checkParts(parts, item, `${column.name}.${index}`)
    if (found) return found
  }
  return null
}

/** The first problem of a value as that of its column; null if it has none. */
export function checkColumn(column: Column, value: unknown): FieldProblem | null {
  if (value === null)
    return column.nullable && !column.notClearable
      ? null
      : problem(column, 'REQUIRED', `${column.name} must not be null.`)
  switch (column.kind) {
    case 'text':
      return checkText(column, value)
    case 'id':
      return isId(value) ? null : problem(column, 'NOT_AN_ID', `${column.name} must be an id (UUID).`)
    case 'integer':
    case 'number':
    case 'money':
      return checkNumber(column, value)
    case 'textList':
      return checkTextList(column, value)
    case 'json':
      if (column.structure) return checkStructure(column, column.structure, value)
      return checkJsonColumn(column, value)
    default:
      return null
  }
}

const phoneMax = 50
const phoneDigitsMin = 3
const hasScheme = /^https?:\/\//i

const formats: Readonly<
  Record<'PHONE' | 'URL', { readonly isMet: (text: string) => boolean; readonly problem: string }>
> = {
  PHONE: {
    isMet: (text) => text.length <= phoneMax && text.replaceAll(/[^0-9]/g, '').length >= phoneDigitsMin,
    problem: `must be a phone number: at least ${phoneDigitsMin} digits and at most ${phoneMax} characters`,
  },
  URL: {
    isMet: (text) => hasScheme.test(text) && URL.canParse(text),
    problem: 'must be an address that begins with https:// or http://',
  },
}

function checkFormat(column: Column, value: unknown): FieldProblem | null {
  const { format, pattern } = column.custom ?? {}
  if (typeof value !== 'string' || value === '') return null
  if ((format === 'PHONE' || format === 'URL') && !formats[format].isMet(value))
    return problem(
      column,
      format === 'URL' ? 'NOT_A_URL' : 'WRONG_FORMAT',
      `${column.name} ${formats[format].problem}.`,
    )
  if (pattern && !pattern.test(value))
    return problem(column, 'WRONG_FORMAT', `${column.name} must have the form that its definition asks for.`)
  return null
}

/** A value that can no longer be chosen: a record that has it keeps it. */
function checkRetired(column: Column, value: unknown, previous: unknown): FieldProblem | null {
  const { retired } = column.custom ?? {}
  if (!retired || retired.size === 0) return null
  const kept = new Set<unknown>(Array.isArray(previous) ? previous : [previous])
  const items = Array.isArray(value) ? value : [value]
  const at = items.findIndex((item) => retired.has(item as string) && !kept.has(item))
  if (at < 0) return null
  const path = Array.isArray(value) ? `${column.name}.${at}` : column.name
  return { path, code: 'NOT_ALLOWED', message: `${path} must be one of ${listed(activeMembers(column) ?? [])}.` }
}

/** Custom fields have no GraphQL type, so their JSON type is checked here. `previous` is the value that the record has. */
export function customFieldProblem(column: Column, given: unknown, previous?: unknown): FieldProblem | null {
  const value = column.custom ? withoutAliases(column.custom, given) : given
  if (isDerived(column)) {
    if (isSameValue(value === null ? null : column.stored(value), previous ?? null)) return null
    const source = column.formula === undefined ? 'other records' : 'its formula'
    return problem(column, 'COMPUTED', `${column.name} follows from ${source}, so it cannot be given.`)
  }
  if (column.custom?.isRequired && isBlank(value))
    return problem(column, 'REQUIRED', `${column.name} must have a value.`)
  // What a record has may stay, also when the definition has become stricter.
  if (value === null || (previous !== undefined && isSameValue(column.stored(value), previous))) return null
  if (column.custom?.format === 'EMAIL' && value === '') return null
  const hasKind = columnKinds[column.kind].parse(value) !== undefined
  if (hasKind && (column.kind !== 'enum' || isMember(column, value)))
    return (
      checkColumn(column, value) ??
      checkRetired(column, value, previous) ??
      checkFormat(column, column.stored(value)) ??
      (column.also ? customFieldProblem(column.also, value) : null)
    )
  const code = column.kind === 'enum' ? 'NOT_ALLOWED' : 'WRONG_TYPE'
  return problem(column, code, `${column.name} must be ${valueDescription(column)}.`)
}

function checkUndefinedField(object: string, key: string, value: unknown, previous: unknown): FieldProblem | null {
  if (value === null || (previous !== undefined && isSameValue(value, previous))) return null
  const path = customFieldName(key)
  return { path, code: 'UNKNOWN_FIELD', message: `${path} is no custom field of the ${object}.` }
}

function customFieldProblems({ columns, object }: RecordShape, values: unknown, previous: unknown): FieldProblem[] {
  const { customFields, hasDefinedKeysOnly } = columns
  if ((customFields.size === 0 && !hasDefinedKeysOnly) || !isJsonObject(values)) return []
  const before = isJsonObject(previous) ? previous : {}
  return Object.entries(values).flatMap(([key, value]) => {
    const column = customFields.get(key)
    const kept = Object.hasOwn(before, key) ? before[key] : undefined
    if (column) return customFieldProblem(column, value, kept) ?? []
    return (hasDefinedKeysOnly && checkUndefinedField(object, key, value, kept)) || []
  })
}

/**
 * Checks given values against the limits of their columns. Before that, GraphQL has checked the types of most of them. `previous` is the record
 * before the change: its custom fields may keep their values.
 */
export function checkValues(
  definition: RecordShape,
  values: Readonly<Record<string, unknown>>,
  previous: object | null = null,
): FieldProblem[] {
  const { byName } = definition.columns
  const problems = Object.entries(values).flatMap(([name, value]) => {
    const column = byName.get(name)
    if (!column || value === undefined) return []
    return checkColumn(column, value) ?? []
  })
  const before = (previous as Readonly<Record<string, unknown>> | null)?.[customFieldsName]
  const custom = customFieldProblems(definition, values[customFieldsName], before)
  return custom.length === 0 ? problems : [...problems, ...custom]
}

import type { FieldRestrictions } from '../../kernel/context.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject as isObject } from '../../kernel/exact-number.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { customFieldKey } from '../../kernel/record/custom-field-column.ts'
import { restrictableTo, type FieldLevel } from '../../kernel/record/field-security.ts'
import { objectNames, recordNamed } from '../../kernel/record/known-records.ts'
import { textProblems } from '../text.ts'

const restrictionsMax = 2000
/** Far more than there are. */
const objectsMax = 200

const levels: ReadonlySet<unknown> = new Set(['HIDDEN', 'READ', 'WRITE'])

function fieldProblem(definition: RecordShape, name: string, level: unknown, path: string): FieldProblem[] {
  const problem = (code: string, message: string): FieldProblem[] => [{ path, code, message }]
  if (!levels.has(level)) return problem('NOT_ALLOWED', `${path} is HIDDEN, READ or WRITE.`)
  const key = customFieldKey(name)
  if (key !== null) {
    return key === ''
      ? problem('UNKNOWN_FIELD', `${path} names no custom field.`)
      : textProblems(path, key, { max: 100 })
  }
  const column = definition.columns.byName.get(name)
  if (!column || column.internal) return problem('UNKNOWN_FIELD', `${definition.object} has no field ${name}.`)
  const most = restrictableTo(column)
  if (level === 'WRITE' || most === 'HIDDEN') return []
  if (!most) return problem('NOT_RESTRICTABLE', `${path} is part of what a record is; it cannot be restricted.`)
  return level === 'READ'
    ? []
    : problem('NOT_RESTRICTABLE', `${path} is never empty, so it can be READ but not HIDDEN.`)
}

/** What is wrong with the fields of a profile, each named by its path. */
export function restrictionProblems(fields: unknown): FieldProblem[] {
  if (!isObject(fields))
    return [{ path: 'fields', code: 'WRONG_TYPE', message: 'fields is an object by kind of record.' }]
  if (Object.keys(fields).length > objectsMax)
    return [{ path: 'fields', code: 'TOO_MANY', message: `fields names at most ${objectsMax} kinds of record.` }]
  const count = Object.values(fields).reduce<number>(
    (sum, own) => sum + (isObject(own) ? Object.keys(own).length : 0),
    0,
  )
  if (count > restrictionsMax)
    return [{ path: 'fields', code: 'TOO_MANY', message: `fields names at most ${restrictionsMax} fields.` }]
  return Object.entries(fields).flatMap(([object, own]) => {
    const path = `fields.${object}`
    const definition = recordNamed(object)
    if (!definition)
      return [{ path, code: 'UNKNOWN_OBJECT', message: `${path} names none of ${objectNames().join(', ')}.` }]
    if (!isObject(own)) return [{ path, code: 'WRONG_TYPE', message: `${path} is an object by field.` }]
    return Object.entries(own).flatMap(([name, level]) => fieldProblem(definition, name, level, `${path}.${name}`))
  })
}

/** What restricts something: WRITE is what holds without a word. */
export function restrictionsIn(fields: Readonly<Record<string, Readonly<Record<string, string>>>>): FieldRestrictions {
  const entries = Object.entries(fields).map(
    ([object, own]) => [object, Object.entries(own).filter(([, level]) => level !== 'WRITE')] as const,
  )
  return Object.fromEntries(
    entries
      .filter(([, own]) => own.length > 0)
      .map(([object, own]) => [object, Object.fromEntries(own) as Record<string, FieldLevel>]),
  )
}

/** As events tell them: `account.annualRevenue HIDDEN`. */
export const restrictionsInWords = (fields: FieldRestrictions): string[] =>
  Object.entries(fields)
    .flatMap(([object, own]) => Object.entries(own).map(([name, level]) => `${object}.${name} ${level}`))
    .sort()

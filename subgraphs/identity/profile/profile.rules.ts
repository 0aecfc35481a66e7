import type { FieldRestrictions } from '../../kernel/context.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject as isObject } from '../../kernel/json/exact-number.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { customFieldKey } from '../../kernel/record/custom-field-column.ts'
import { strictestLevel, type FieldLevel } from '../../kernel/record/field-security.ts'
import { recordTypeIn, recordTypeNamesIn } from '../../kernel/record/custom-object.ts'
import type { OrganizationShapes } from '../../kernel/record/shape-source.ts'
import { textProblems } from '../text.ts'

const restrictionsMax = 2000
/** Maximum number of record types; more than the platform and an organization can have. */
const objectsMax = 400

const levels: ReadonlySet<unknown> = new Set(['HIDDEN', 'READ', 'WRITE'])

function fieldProblem(definition: RecordShape, name: string, level: unknown, path: string): FieldProblem[] {
  const problem = (code: string, message: string): FieldProblem[] => [{ path, code, message }]
  if (!levels.has(level)) return problem('NOT_ALLOWED', `${path} must be HIDDEN, READ or WRITE.`)
  const key = customFieldKey(name)
  if (key !== null) {
    return key === ''
      ? problem('UNKNOWN_FIELD', `${path} must name a custom field after "customFields.".`)
      : textProblems(path, key, { max: 100 })
  }
  const column = definition.columns.byName.get(name)
  if (!column || column.internal) return problem('UNKNOWN_FIELD', `${definition.object} has no field ${name}.`)
  const most = strictestLevel(column)
  if (level === 'WRITE' || most === 'HIDDEN') return []
  if (!most) return problem('NOT_RESTRICTABLE', `${path} cannot be restricted, because every record needs it.`)
  return level === 'READ' ? [] : problem('NOT_RESTRICTABLE', `${path} is never null, so it can be READ but not HIDDEN.`)
}

/** Checks the restrictions of a profile; each problem names its path. */
export function restrictionProblems(fields: unknown, shapes: OrganizationShapes | null = null): FieldProblem[] {
  if (!isObject(fields))
    return [{ path: 'fields', code: 'WRONG_TYPE', message: 'fields must be an object with record types as keys.' }]
  if (Object.keys(fields).length > objectsMax)
    return [{ path: 'fields', code: 'TOO_MANY', message: `fields must have at most ${objectsMax} record types.` }]
  const count = Object.values(fields).reduce<number>(
    (sum, own) => sum + (isObject(own) ? Object.keys(own).length : 0),
    0,
  )
  if (count > restrictionsMax)
    return [
      { path: 'fields', code: 'TOO_MANY', message: `fields must have at most ${restrictionsMax} fields in total.` },
    ]
  return Object.entries(fields).flatMap(([object, own]) => {
    const path = `fields.${object}`
    const definition = recordTypeIn({ shapes }, object)
    if (!definition)
      return [
        {
          path,
          code: 'UNKNOWN_OBJECT',
          message: `${path} must be one of ${recordTypeNamesIn({ shapes }).join(', ')}.`,
        },
      ]
    if (!isObject(own)) return [{ path, code: 'WRONG_TYPE', message: `${path} must be an object with fields as keys.` }]
    return Object.entries(own).flatMap(([name, level]) => fieldProblem(definition, name, level, `${path}.${name}`))
  })
}

/** The effective restrictions: WRITE is omitted, because it is the default. */
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

/** Restrictions in the form of events: `account.annualRevenue HIDDEN`. */
export const restrictionsInWords = (fields: FieldRestrictions): string[] =>
  Object.entries(fields)
    .flatMap(([object, own]) => Object.entries(own).map(([name, level]) => `${object}.${name} ${level}`))
    .sort()

import type { FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { customField } from '../../kernel/record/custom-field-column.ts'
import { customFieldProblem } from '../../kernel/record/check-values.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { parsePattern } from '../../kernel/values/pattern.ts'
import { textMax } from './bounds.ts'
import type { CustomFieldType } from './custom-field.enumerations.ts'
import type { FormulaConfig } from './custom-field.parts.ts'
import type { CustomField } from './custom-field.ts'
import { entityProblems } from './field-entity.ts'
import { lookupProblems } from './lookup-rules.ts'
import { defaultOf, definitionOf } from './field-definition.ts'
import { targetOf, typeChangeProblem } from './type-change.ts'
import { numbers, picklists, typesOf } from './types-of.ts'

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

const apiName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/
/** Words of formulas and of GraphQL, and names that objects of JavaScript have. */
const reservedNames: ReadonlySet<string> = new Set(['true', 'false', 'null', 'constructor', 'prototype'])
const isReserved = (name: string): boolean =>
  name.startsWith('__') || reservedNames.has(name.toLowerCase()) || name in Object.prototype

function nameProblems({ name }: CustomField): FieldProblem[] {
  if (!apiName.test(name)) {
    const message = 'name must have 1 to 64 ASCII letters, digits and underscores, and must not begin with a digit.'
    return [problem('name', 'WRONG_FORMAT', message)]
  }
  if (!isReserved(name)) return []
  const message = `name must not begin with two underscores, and must not be one of ${[...reservedNames].join(', ')}, or a name that all objects of JavaScript have, such as toString.`
  return [problem('name', 'RESERVED', message)]
}

const isGiven = (value: unknown): boolean =>
  value !== null && value !== false && !(Array.isArray(value) && value.length === 0)

const ofResults: ReadonlySet<string> = new Set(['isSearchable', 'isIndexed', 'isUnique'])

/** A formula with a text as its result is a text to whatever finds its value. */
const isOfType = (
  { fieldType, formulaConfig }: CustomField,
  name: string,
  types: readonly CustomFieldType[],
): boolean =>
  types.includes(fieldType) ||
  (formulaConfig !== null && ofResults.has(name) && types.includes(formulaConfig.returnType))

const typeProblems = (field: CustomField): FieldProblem[] =>
  Object.entries(typesOf).flatMap(([name, types]: [string, readonly CustomFieldType[]]) =>
    isOfType(field, name, types) || !isGiven(field[name as keyof CustomField])
      ? []
      : [problem(name, 'NOT_ALLOWED', `${name} is for ${types.join(', ')} only.`)],
  )

const isColor = /^#[0-9a-f]{6}$/i

function valueProblems({ fieldType, picklistValues, defaultValue }: CustomField): FieldProblem[] {
  if (!picklists.includes(fieldType)) return []
  const problems: FieldProblem[] = []
  const known = new Set<string>()
  for (const [index, { value, color, isDefault, isActive }] of picklistValues.entries()) {
    const path = `picklistValues.${index}`
    if (known.has(value)) problems.push(problem(`${path}.value`, 'NOT_UNIQUE', `${path}.value must be another one.`))
    known.add(value)
    if (color !== null && !isColor.test(color))
      problems.push(problem(`${path}.color`, 'WRONG_FORMAT', `${path}.color must have the form #rrggbb.`))
    if (isDefault && !isActive)
      problems.push(problem(`${path}.isDefault`, 'NOT_ALLOWED', 'An inactive value must not be a default.'))
  }
  if (!picklistValues.some(({ isActive }) => isActive))
    problems.push(problem('picklistValues', 'EMPTY', 'picklistValues must have at least one active value.'))
  const defaults = picklistValues.filter(({ isDefault }) => isDefault)
  if (fieldType === 'PICKLIST' && defaults.length > 1)
    problems.push(problem('picklistValues', 'TOO_MANY', 'A PICKLIST must have at most one default.'))
  if (defaultValue !== null && (fieldType === 'MULTI_PICKLIST' || defaults.some(({ value }) => value !== defaultValue)))
    problems.push(
      problem('defaultValue', 'NOT_TOGETHER', 'defaultValue and isDefault of a value must not be given together.'),
    )
  return problems
}

function boundProblems({ fieldType, pattern, maxLength, minValue, maxValue }: CustomField): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (pattern !== null) {
    const parsed = parsePattern(pattern)
    if ('reason' in parsed) problems.push(problem('pattern', 'WRONG_FORMAT', `pattern ${parsed.reason}.`))
  }
  const most = textMax[fieldType]
  if (maxLength !== null && most !== undefined && maxLength > most)
    problems.push(problem('maxLength', 'OUT_OF_RANGE', `maxLength of ${fieldType} must be at most ${most}.`))
  if (minValue !== null && maxValue !== null && minValue > maxValue)
    problems.push(problem('maxValue', 'OUT_OF_RANGE', 'maxValue must be at least minValue.'))
  return problems
}

function dependencyProblems({ name, controllingField, dependentValues, picklistValues }: CustomField): FieldProblem[] {
  if (controllingField === null && dependentValues === null) return []
  if (controllingField === null)
    return [problem('controllingField', 'REQUIRED', 'dependentValues must be given with controllingField.')]
  if (dependentValues === null)
    return [problem('dependentValues', 'REQUIRED', 'controllingField must be given with dependentValues.')]
  if (controllingField === name) return [problem('controllingField', 'CIRCULAR', 'A field must not control itself.')]
  if (!isJsonObject(dependentValues))
    return [problem('dependentValues', 'WRONG_TYPE', 'dependentValues must be an object with lists of values.')]
  const known = new Set(picklistValues.map(({ value }) => value))
  return Object.entries(dependentValues as Readonly<Record<string, unknown>>).flatMap(([controlling, values]) => {
    const path = `dependentValues.${controlling}`
    if (!Array.isArray(values) || values.some((value) => typeof value !== 'string'))
      return [problem(path, 'WRONG_TYPE', `${path} must be a list of texts.`)]
    const unknown = values.findIndex((value) => !known.has(value as string))
    return unknown < 0
      ? []
      : [problem(`${path}.${unknown}`, 'NOT_ALLOWED', `${path}.${unknown} must be one of picklistValues.`)]
  })
}

export const configProblems = ({ returnType, decimals }: FormulaConfig): FieldProblem[] =>
  decimals !== null && !numbers.includes(returnType)
    ? [problem('formulaConfig.decimals', 'NOT_ALLOWED', 'decimals are for NUMBER and CURRENCY only.')]
    : []

/** What concerns given values is not for derived ones. */
function givenProblems({ fieldType, isRequired, defaultValue }: CustomField): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (isRequired) problems.push(problem('isRequired', 'NOT_ALLOWED', `isRequired is not for ${fieldType}.`))
  if (defaultValue !== null)
    problems.push(problem('defaultValue', 'NOT_ALLOWED', `defaultValue is not for ${fieldType}.`))
  return problems
}

/** The configuration is checked with the fields of the other record type. */
function rollupProblems(next: CustomField, previous: CustomField | null): FieldProblem[] {
  const { fieldType, rollupConfig, trackHistory } = next
  if (fieldType !== 'ROLLUP_SUMMARY') return []
  const problems = givenProblems(next)
  if (trackHistory) problems.push(problem('trackHistory', 'NOT_ALLOWED', 'trackHistory is not for ROLLUP_SUMMARY.'))
  if (rollupConfig === null)
    problems.push(problem('rollupConfig', 'REQUIRED', 'A ROLLUP_SUMMARY must have a rollupConfig.'))
  const before = previous?.rollupConfig?.childObject
  if (before !== undefined && rollupConfig && rollupConfig.childObject !== before) {
    const message = `rollupConfig.childObject remains ${before}; add another field for other records.`
    problems.push(problem('rollupConfig.childObject', 'NOT_ALLOWED', message))
  }
  return problems
}

/** The expression is checked with the other fields of the record type. */
function formulaProblems(next: CustomField, previous: CustomField | null): FieldProblem[] {
  const { fieldType, formulaConfig } = next
  if (fieldType !== 'FORMULA') return []
  const problems = givenProblems(next)
  if (formulaConfig === null)
    return [...problems, problem('formulaConfig', 'REQUIRED', 'A FORMULA must have a formulaConfig.')]
  const { returnType } = formulaConfig
  problems.push(...configProblems(formulaConfig))
  if (previous?.formulaConfig && previous.formulaConfig.returnType !== returnType)
    problems.push(problem('formulaConfig.returnType', 'NOT_ALLOWED', 'returnType never changes; add another field.'))
  if (next.isUnique && previous?.isUnique && !isSameValue(formulaConfig, previous.formulaConfig)) {
    const message =
      'What a unique formula gives does not change; set isUnique to false before, and to true after the change.'
    problems.push(problem('formulaConfig', 'NOT_ALLOWED', message))
  }
  return problems
}

/** A default must be a value that a record could get. */
function defaultProblems(field: CustomField): FieldProblem[] {
  if (field.defaultValue === null) return []
  const found = customFieldProblem(customField(definitionOf(field)), defaultOf(field))
  if (!found) return []
  const message = found.message.replace(/^\S+/, 'defaultValue')
  return [{ path: 'defaultValue', code: found.code, message }]
}

const stateNames: ReadonlySet<string> = new Set([
  'state',
  'progress',
  'hasIndex',
  'hasTotals',
  'hasValues',
  'version',
  'updatedAt',
  'updatedById',
])
const withoutState = (field: CustomField): object =>
  Object.fromEntries(Object.entries(field).filter(([name]) => !stateNames.has(name)))

/** A change of its state leaves a definition as it is, or as it was to become: what was allowed is not refused then, so that the change ends. */
const changesStateOnly = (next: CustomField, previous: CustomField): boolean =>
  [targetOf(previous), { ...previous, pending: null, pendingType: null }].some((known) =>
    isSameValue(withoutState(targetOf(next)), withoutState(known)),
  )

/** The problems of a definition that follow from it alone. */
export function fieldProblems(given: CustomField, previous: CustomField | null): FieldProblem[] {
  if (given.deletedAt || (previous && changesStateOnly(given, previous))) return []
  const wrongType = typeChangeProblem(given, previous)
  if (wrongType) return [wrongType]
  const next = targetOf(given)
  const names = previous === null ? [...entityProblems(next), ...nameProblems(next)] : []
  const problems = [
    ...names,
    ...typeProblems(next),
    ...valueProblems(next),
    ...boundProblems(next),
    ...dependencyProblems(next),
    ...formulaProblems(next, previous),
    ...rollupProblems(next, previous),
    ...lookupProblems(next),
  ]
  return problems.length > 0 ? problems : defaultProblems(next)
}

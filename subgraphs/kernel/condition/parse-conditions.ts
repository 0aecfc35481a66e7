import type { FieldProblem } from '../errors.ts'
import { compileFormula, type FormulaReturnType } from '../formula/compile.ts'
import type { Formula } from '../formula/formula.ts'
import { FormulaError, fieldProblems } from '../formula/problem.ts'
import { isJsonObject } from '../json/exact-number.ts'
import { ConditionLogic, ConditionOperator, ConditionValueType } from './condition.ts'
import type { ConditionField, ConditionFields } from './condition-fields.ts'
import { comparisonWith, isRefused, parseOperand, type Operand } from './operand.ts'
import { comparisonOf, operatorRules, operatorsFor, type Comparison } from './operator-rules.ts'
import { parseRelativeTime, type RelativeTime } from './relative-time.ts'

export const conditionsMax = 50
export const conditionDepthMax = 5
/** Each pattern may take milliseconds. */
export const patternsMax = 5
export const formulasMax = 10

/** What a field is compared with. */
export type Comparand =
  | { readonly from: 'LITERAL'; readonly operand: Operand }
  | { readonly from: 'FIELD'; readonly other: ConditionField }
  | { readonly from: 'FORMULA'; readonly formula: Formula }
  | { readonly from: 'TIME'; readonly times: readonly RelativeTime[] }

export interface ParsedCondition {
  readonly field: ConditionField
  readonly operator: ConditionOperator
  readonly comparison: Comparison
  readonly comparand: Comparand
}

export interface ParsedGroup {
  readonly logic: ConditionLogic
  readonly conditions: readonly (ParsedCondition | ParsedGroup)[]
}

/** What a formula must give to be compared with a field. */
const formulaTypes: Partial<Record<Comparison, FormulaReturnType>> = {
  TEXT: 'TEXT',
  NUMBER: 'NUMBER',
  TIME: 'DATETIME',
  BOOLEAN: 'CHECKBOX',
}

/** Conditions as a client writes them: a list that is combined by `logic`. Null and an empty list are met by every record. */
export interface GivenConditions {
  readonly conditions: unknown
  readonly logic?: unknown
}

const memberNames: ReadonlySet<string> = new Set(['field', 'operator', 'value', 'valueType', 'logic', 'conditions'])

const isAbsent = (value: unknown): boolean => value === null || value === undefined
const isMemberOf = <M extends string>(members: Readonly<Record<M, M>>, value: unknown): value is M =>
  typeof value === 'string' && Object.hasOwn(members, value)

/** Reads and checks conditions. Every problem has the path of its part, such as `conditions.1.conditions.0.operator`. */
export class ConditionParser {
  readonly problems: FieldProblem[] = []
  #count = 0
  #patterns = 0
  #formulas = 0

  constructor(private readonly fields: ConditionFields) {}

  parse({ conditions, logic }: GivenConditions, path: string): ParsedGroup | null {
    if (isAbsent(conditions)) return null
    const group = this.#group(conditions, logic, path, path.replace(/[^.]*$/, 'logic'), 1)
    return group && group.conditions.length > 0 ? group : null
  }

  #refuse(path: string, code: string, message: string): null {
    this.problems.push({ path, code, message: `${path} ${message}.` })
    return null
  }

  #group(given: unknown, logic: unknown, path: string, logicPath: string, depth: number): ParsedGroup | null {
    if (!isAbsent(logic) && !isMemberOf(ConditionLogic, logic))
      return this.#refuse(logicPath, 'NOT_ALLOWED', 'must be AND or OR')
    if (!Array.isArray(given)) return this.#refuse(path, 'WRONG_TYPE', 'must be a list of conditions')
    if (depth > conditionDepthMax)
      return this.#refuse(path, 'TOO_DEEP', `must be nested at most ${conditionDepthMax} levels deep`)
    const conditions: (ParsedCondition | ParsedGroup)[] = []
    for (const [index, item] of given.entries()) {
      const itemPath = `${path}.${index}`
      if (++this.#count > conditionsMax)
        return this.#refuse(
          itemPath,
          'TOO_MANY',
          `is too many: there must be at most ${conditionsMax} conditions in total`,
        )
      const parsed = this.#item(item, itemPath, depth)
      if (parsed) conditions.push(parsed)
    }
    return { logic: isAbsent(logic) ? 'AND' : (logic as ConditionLogic), conditions }
  }

  #item(item: unknown, path: string, depth: number): ParsedCondition | ParsedGroup | null {
    if (!isJsonObject(item)) return this.#refuse(path, 'WRONG_TYPE', 'must be an object')
    const unknown = Object.keys(item).find((name) => !memberNames.has(name))
    if (unknown !== undefined)
      return this.#refuse(
        `${path}.${unknown}`,
        'UNKNOWN_FIELD',
        `is not allowed; allowed are ${[...memberNames].join(', ')}`,
      )
    if (isAbsent(item['conditions'])) {
      if (!isAbsent(item['logic'])) return this.#refuse(`${path}.conditions`, 'REQUIRED', 'is required with logic')
      return this.#condition(item, path)
    }
    const extra = ['field', 'operator', 'value', 'valueType'].find((name) => !isAbsent(item[name]))
    if (extra !== undefined)
      return this.#refuse(`${path}.${extra}`, 'NOT_ALLOWED', 'must be absent in a group of conditions')
    const nested = item['conditions']
    if (Array.isArray(nested) && nested.length === 0)
      return this.#refuse(`${path}.conditions`, 'EMPTY', 'must have at least one condition')
    return this.#group(nested, item['logic'], `${path}.conditions`, `${path}.logic`, depth + 1)
  }

  #condition(
    { field: name, operator, value, valueType }: Record<string, unknown>,
    path: string,
  ): ParsedCondition | null {
    const field = this.#field(name, `${path}.field`)
    if (!isMemberOf(ConditionOperator, operator)) {
      const allowed = Object.keys(ConditionOperator).join(', ')
      return this.#refuse(`${path}.operator`, 'NOT_ALLOWED', `must be one of ${allowed}`)
    }
    if (!isAbsent(valueType) && !isMemberOf(ConditionValueType, valueType))
      return this.#refuse(
        `${path}.valueType`,
        'NOT_ALLOWED',
        `must be one of ${Object.keys(ConditionValueType).join(', ')}`,
      )
    if (!field) return null
    const { operand: form, fits } = operatorRules[operator]
    const declared = comparisonOf(field.kind)
    if (fits && !fits.includes(declared)) {
      const allowed = operatorsFor(declared).join(', ')
      return this.#refuse(
        `${path}.operator`,
        'NOT_ALLOWED',
        `does not fit ${field.name}; operators that fit are ${allowed}`,
      )
    }
    if (!isAbsent(valueType) && valueType !== 'LITERAL')
      return this.#reference(field, operator, valueType as ConditionValueType, value, path)
    if (form === 'PATTERN' && ++this.#patterns > patternsMax)
      return this.#refuse(
        `${path}.operator`,
        'TOO_MANY',
        `must not be MATCHES: at most ${patternsMax} conditions may use it`,
      )
    const comparison = comparisonWith(field, fits, value)
    const parsed = parseOperand(field, form, comparison, value)
    if (isRefused(parsed)) return this.#refuse(`${path}.value`, 'WRONG_VALUE', parsed.reason)
    return { field, operator, comparison, comparand: { from: 'LITERAL', operand: parsed } }
  }

  #field(name: unknown, path: string): ConditionField | null {
    if (typeof name !== 'string') return this.#refuse(path, 'REQUIRED', 'must be the name of a field')
    const field = this.fields.field(name)
    if (!field) return this.#refuse(path, 'UNKNOWN_FIELD', `must be a field of ${this.fields.of}`)
    if (field.isHidden) return this.#refuse(path, 'FIELD_NOT_READABLE', 'is hidden from you by your profile')
    return field
  }

  #reference(
    field: ConditionField,
    operator: ConditionOperator,
    valueType: ConditionValueType,
    value: unknown,
    path: string,
  ): ParsedCondition | null {
    const rule = operatorRules[operator]
    const comparison = comparisonOf(field.kind)
    if (!rule.takesReference || (valueType !== 'RELATIVE_DATE' && rule.operand === 'RANGE'))
      return this.#refuse(`${path}.valueType`, 'NOT_ALLOWED', `must be LITERAL for the operator ${operator}`)
    if (valueType === 'RELATIVE_DATE') {
      if (comparison !== 'TIME' && comparison !== 'ANY')
        return this.#refuse(
          `${path}.valueType`,
          'NOT_ALLOWED',
          `must be LITERAL or FIELD, because ${field.name} is not a date`,
        )
      return this.#relativeTime(field, operator, value, `${path}.value`)
    }
    if (valueType === 'FORMULA') return this.#formula(field, operator, value, path)
    const other = this.#field(value, `${path}.value`)
    if (!other) return null
    const otherComparison = comparisonOf(other.kind)
    if (comparison !== otherComparison && comparison !== 'ANY' && otherComparison !== 'ANY')
      return this.#refuse(`${path}.value`, 'NOT_ALLOWED', `must be a field of the same type as ${field.name}`)
    const resolved = comparison === 'ANY' ? otherComparison : comparison
    return { field, operator, comparison: resolved, comparand: { from: 'FIELD', other } }
  }

  #formula(field: ConditionField, operator: ConditionOperator, value: unknown, path: string): ParsedCondition | null {
    const { formulas } = this.fields
    if (!formulas) {
      const message = 'must be LITERAL, FIELD or RELATIVE_DATE: only validation rules take formulas'
      return this.#refuse(`${path}.valueType`, 'FORMULA_NOT_SUPPORTED', message)
    }
    const comparison = comparisonOf(field.kind)
    const returnType = field.kind === 'date' ? 'DATE' : formulaTypes[comparison]
    if (!returnType)
      return this.#refuse(
        `${path}.valueType`,
        'NOT_ALLOWED',
        `must be LITERAL or FIELD, because ${field.name} has no declared type`,
      )
    if (typeof value !== 'string') return this.#refuse(`${path}.value`, 'WRONG_VALUE', 'must be the text of a formula')
    if (++this.#formulas > formulasMax)
      return this.#refuse(
        `${path}.valueType`,
        'TOO_MANY',
        `must not be FORMULA: at most ${formulasMax} conditions may have one`,
      )
    try {
      const formula = compileFormula(value, { fields: formulas, returnType, blankAs: 'BLANK' })
      if (formula.isLocal) return { field, operator, comparison, comparand: { from: 'FORMULA', formula } }
      const message = 'must not read TODAY, NOW, the day of a time or another record'
      return this.#refuse(`${path}.value`, 'NOT_ALLOWED', message)
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error
      this.problems.push(...fieldProblems(`${path}.value`, error.problems))
      return null
    }
  }

  #relativeTime(
    field: ConditionField,
    operator: ConditionOperator,
    value: unknown,
    path: string,
  ): ParsedCondition | null {
    const isRange = operatorRules[operator].operand === 'RANGE'
    const given: unknown[] = isRange ? (Array.isArray(value) ? value : []) : [value]
    const times = given.map(parseRelativeTime)
    if (times.length !== (isRange ? 2 : 1) || times.includes(null)) {
      const form = 'NOW or TODAY, plus or minus an ISO 8601 duration: TODAY-P7D, NOW+PT2H'
      return this.#refuse(path, 'WRONG_VALUE', isRange ? `must be a list of two, each ${form}` : `must be ${form}`)
    }
    return { field, operator, comparison: 'TIME', comparand: { from: 'TIME', times: times as RelativeTime[] } }
  }
}

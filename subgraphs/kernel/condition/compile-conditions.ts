import { compareNumbers, isJsonObject, isRawNumber, type ExactNumber } from '../json/exact-number.ts'
import { comparedEmail } from '../record/email-equality.ts'
import { isSameValue } from '../record/same-value.ts'
import { normalizeTimestamp } from '../record/scalars.ts'
import type { ConditionField } from './condition-fields.ts'
import type { ConditionOperator } from './condition.ts'
import { isComparableNumber, type Literal } from './operand.ts'
import type { Comparison } from './operator-rules.ts'
import type { ParsedCondition, ParsedGroup } from './parse-conditions.ts'
import type { Pattern } from '../values/pattern.ts'
import { earlier, later, timeOf, type Duration } from './relative-time.ts'

type Fields = Readonly<Record<string, unknown>>
type Matcher = (record: Fields, previous: Fields | null, now: number) => boolean
/** A value in the form in which it is compared; null when there is none or it has another type. */
type Reading = (record: Fields) => Literal | null
/** The values of the other side of the comparison. */
type Others = (record: Fields, now: number) => readonly (Literal | null)[]

/** The value of the field in a record, as it is in JSON. */
function valueOf({ name, key, absent }: ConditionField): (record: Fields) => unknown {
  if (key === undefined) return (record) => record[name]
  return ({ customFields }) =>
    isJsonObject(customFields) && Object.hasOwn(customFields, key) ? customFields[key] : absent
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isJsonObject(value) && Object.keys(value).length === 0
}

const timeOfText = (value: unknown): number | null => {
  const time = typeof value === 'string' ? normalizeTimestamp(value) : null
  return time === null ? null : Date.parse(time)
}

/** Whether a condition compares email addresses: its field is one, or the other field. */
const isOfEmails = ({ field, comparand }: ParsedCondition): boolean =>
  (field.isEmail || (comparand.from === 'FIELD' && comparand.other.isEmail)) ?? false

function reading(field: ConditionField, comparison: Comparison, isEmail = false): Reading {
  const read = valueOf(field)
  switch (comparison) {
    case 'NUMBER':
      return (record) => {
        const value = read(record)
        return isComparableNumber(value) ? value : null
      }
    case 'TIME':
      return (record) => timeOfText(read(record))
    default:
      return (record) => {
        const value = read(record)
        const isScalar = typeof value === 'string' || typeof value === 'boolean' || isComparableNumber(value)
        if (!isScalar || value === '') return null
        return isEmail && typeof value === 'string' ? comparedEmail(value) : value
      }
  }
}

const isNumber = (value: Literal): value is ExactNumber => typeof value === 'number' || isRawNumber(value)

const isSame = (one: Literal | null, other: Literal | null): boolean => one !== null && isSameValue(one, other)

/** Negative, zero or positive; NaN, with which every comparison is false, when the values have no common order. */
function compare(one: Literal | null, other: Literal | null): number {
  if (one === null || other === null) return Number.NaN
  if (isNumber(one) && isNumber(other)) return compareNumbers(one, other)
  const [time, otherTime] = [timeOfText(one), timeOfText(other)]
  return time === null || otherTime === null ? Number.NaN : time - otherTime
}

function othersOf(condition: ParsedCondition): Others {
  const { comparand, comparison } = condition
  switch (comparand.from) {
    case 'FIELD': {
      const read = reading(comparand.other, comparison, isOfEmails(condition))
      return (record) => [read(record)]
    }
    case 'FORMULA': {
      const { formula } = comparand
      const isEmail = isOfEmails(condition)
      return (record) => {
        const value = formula.evaluate(record) as Literal | null
        if (comparison === 'TIME') return [timeOfText(value)]
        return [isEmail && typeof value === 'string' ? comparedEmail(value) : value]
      }
    }
    case 'TIME':
      return (_, now) => comparand.times.map((time) => timeOf(time, now))
    case 'LITERAL': {
      const { operand } = comparand
      const list = (Array.isArray(operand) ? operand : [operand]) as (Literal | null)[]
      return () => list
    }
  }
}

/** Whether a text contains, begins or ends with another, or a list has it as an item. Upper and lower case do not matter; nor spaces around addresses. */
function textMatcher({ field, operator, comparand }: ParsedCondition): Matcher {
  const read = valueOf(field)
  const { operand } = comparand as { operand: string }
  const isOfAddresses = field.isEmail && field.kind === 'textList'
  const text = isOfAddresses ? comparedEmail(operand) : operand
  const itemOf = (item: string): string => (isOfAddresses ? comparedEmail(item) : item.toLowerCase())
  const test = {
    CONTAINS: (value: string) => value.includes(text),
    STARTS_WITH: (value: string) => value.startsWith(text),
    ENDS_WITH: (value: string) => value.endsWith(text),
  }[operator === 'NOT_CONTAINS' ? 'CONTAINS' : (operator as 'CONTAINS')]
  const meets = (record: Fields): boolean => {
    const value = read(record)
    if (typeof value === 'string') return test(value.toLowerCase())
    return Array.isArray(value) && value.some((item) => typeof item === 'string' && itemOf(item) === text)
  }
  return operator === 'NOT_CONTAINS' ? (record) => !meets(record) : meets
}

function patternMatcher({ field, comparand }: ParsedCondition): Matcher {
  const read = valueOf(field)
  const pattern = (comparand as { operand: Pattern }).operand
  return (record) => {
    const value = read(record)
    return typeof value === 'string' && pattern.test(value)
  }
}

function durationMatcher({ field, operator, comparand }: ParsedCondition): Matcher {
  const read = reading(field, 'TIME')
  const duration = (comparand as { operand: Duration }).operand
  return (record, _, now) => {
    const time = read(record) as number | null
    if (time === null) return false
    return operator === 'WITHIN_LAST'
      ? time <= now && time >= earlier(now, duration)
      : time >= now && time <= later(now, duration)
  }
}

/** Without a previous version nothing has changed. */
function changeMatcher(condition: ParsedCondition): Matcher {
  const { field, operator, comparison } = condition
  const value = valueOf(field)
  const read = reading(field, comparison, isOfEmails(condition))
  const others = othersOf(condition)
  const isChanged = (record: Fields, previous: Fields): boolean => {
    const [now, before] = [value(record), value(previous)]
    return !(isEmpty(now) && isEmpty(before)) && !isSameValue(now, before)
  }
  const test: Partial<Record<ConditionOperator, (record: Fields, previous: Fields) => boolean>> = {
    CHANGED: () => true,
    CHANGED_FROM: (record, previous) => isSame(read(previous), others(record, 0)[0]!),
    CHANGED_TO: (record) => isSame(read(record), others(record, 0)[0]!),
    INCREASED: (record, previous) => compare(read(record), read(previous)) > 0,
    DECREASED: (record, previous) => compare(read(record), read(previous)) < 0,
  }
  const meets = test[operator]!
  return (record, previous) => previous !== null && isChanged(record, previous) && meets(record, previous)
}

/** Comparisons with one or two values. */
const comparisons: Partial<
  Record<ConditionOperator, (value: Literal | null, others: readonly (Literal | null)[]) => boolean>
> = {
  EQUALS: (value, [other]) => isSame(value, other!),
  NOT_EQUALS: (value, [other]) => !isSame(value, other!),
  IN: (value, others) => others.some((other) => isSame(value, other)),
  NOT_IN: (value, others) => !others.some((other) => isSame(value, other)),
  GREATER_THAN: (value, [other]) => compare(value, other!) > 0,
  AFTER: (value, [other]) => compare(value, other!) > 0,
  GREATER_OR_EQUAL: (value, [other]) => compare(value, other!) >= 0,
  LESS_THAN: (value, [other]) => compare(value, other!) < 0,
  BEFORE: (value, [other]) => compare(value, other!) < 0,
  LESS_OR_EQUAL: (value, [other]) => compare(value, other!) <= 0,
  BETWEEN: (value, [low, high]) => compare(value, low!) >= 0 && compare(value, high!) <= 0,
}

function conditionMatcher(condition: ParsedCondition): Matcher {
  const { field, operator, comparison } = condition
  switch (operator) {
    case 'IS_EMPTY':
    case 'IS_NOT_EMPTY': {
      const read = valueOf(field)
      const expected = operator === 'IS_EMPTY'
      return (record) => isEmpty(read(record)) === expected
    }
    case 'CONTAINS':
    case 'NOT_CONTAINS':
    case 'STARTS_WITH':
    case 'ENDS_WITH':
      return textMatcher(condition)
    case 'MATCHES':
      return patternMatcher(condition)
    case 'WITHIN_LAST':
    case 'WITHIN_NEXT':
      return durationMatcher(condition)
    case 'CHANGED':
    case 'CHANGED_FROM':
    case 'CHANGED_TO':
    case 'INCREASED':
    case 'DECREASED':
      return changeMatcher(condition)
    default: {
      const read = reading(field, comparison, isOfEmails(condition))
      const others = othersOf(condition)
      const meets = comparisons[operator]!
      return (record, _, now) => meets(read(record), others(record, now))
    }
  }
}

/** The function that evaluates the conditions. Each condition reads only its own field. */
export function matcherOf(group: ParsedGroup): Matcher {
  const matchers = group.conditions.map((each) => ('conditions' in each ? matcherOf(each) : conditionMatcher(each)))
  if (matchers.length === 1) return matchers[0]!
  return group.logic === 'AND'
    ? (record, previous, now) => matchers.every((matches) => matches(record, previous, now))
    : (record, previous, now) => matchers.some((matches) => matches(record, previous, now))
}

import { compareNumbers, type ExactNumber } from '../../kernel/json/exact-number.ts'
import { decimalOf, exactOf } from '../../kernel/values/decimal.ts'
import type { PropertyRule, Scalar } from './property-rule.ts'

const formatSamples = {
  'date-time': '2026-11-02T10:40:00.000Z',
  date: '2026-11-02',
  email: 'ann.lee@example.com',
  uri: 'https://example.com/',
  uuid: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
} as const

const shifted = (bound: ExactNumber, by: number): ExactNumber => exactOf(decimalOf(bound).plus(by))

/** 1, or the number next to it that the bounds allow. */
function sampleNumber({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: PropertyRule): ExactNumber {
  const step = type === 'integer' ? 1 : 0.01
  const low = exclusiveMinimum === undefined ? minimum : shifted(exclusiveMinimum, step)
  const high = exclusiveMaximum === undefined ? maximum : shifted(exclusiveMaximum, -step)
  if (low !== undefined && compareNumbers(1, low) < 0) return low
  return high !== undefined && compareNumbers(1, high) > 0 ? high : 1
}

/** A value for the sample of a type: the first example, or one that follows from the rule. */
export function sampleValueOf(rule: PropertyRule, { examples }: Readonly<Record<string, unknown>>): Scalar {
  if (Array.isArray(examples)) return examples[0] as Scalar
  if (rule.members) return rule.members[0]!
  switch (rule.type) {
    case 'boolean':
      return true
    case 'string': {
      if (rule.format) return formatSamples[rule.format]
      const text = 'text'.padEnd(rule.minLength ?? 0, '.')
      return text.slice(0, rule.maxLength ?? text.length)
    }
    default:
      return sampleNumber(rule)
  }
}

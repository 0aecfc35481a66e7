import { isRawNumber } from '../json/exact-number.ts'

/** Compares two values of a column. The order of JSON keys does not matter, because PostgreSQL does not keep it. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (
    typeof one !== 'object' ||
    typeof other !== 'object' ||
    !one ||
    !other ||
    Array.isArray(one) !== Array.isArray(other) ||
    isRawNumber(one) !== isRawNumber(other)
  )
    return false
  const members = Object.entries(one)
  return (
    members.length === Object.keys(other).length &&
    members.every(
      ([name, member]) => Object.hasOwn(other, name) && isSameValue(member, (other as Record<string, unknown>)[name]),
    )
  )
}

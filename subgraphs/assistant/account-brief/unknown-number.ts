import { isJsonObject, isRawNumber } from '../../kernel/json/exact-number.ts'

/** A number as people write it: groups of three digits between separators, and a fraction. */
const written = /(?:\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+|\d+)(?:[.,]\d+)?/g
const gap = /['’ \u00a0\u202f]/

/** The values that a number may have: the last point or comma can begin the fraction, or a group of digits. */
function valuesOf(number: string): number[] {
  const plain = number.split(gap).join('')
  const fraction = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','))
  const whole = Number(plain.replace(/[.,]/g, ''))
  if (fraction < 0) return [whole]
  return [whole, Number(`${plain.slice(0, fraction).replace(/[.,]/g, '')}.${plain.slice(fraction + 1)}`)]
}

function collect(value: unknown, known: Set<number>): void {
  if (typeof value === 'string') {
    const plain = value.normalize('NFKC')
    for (const digits of plain.match(/\d+/g) ?? []) known.add(Number(digits))
    for (const number of plain.match(written) ?? []) for (const one of valuesOf(number)) known.add(one)
  } else if (typeof value === 'number') known.add(Math.abs(value))
  else if (isRawNumber(value)) known.add(Math.abs(Number(value.rawJSON)))
  else if (Array.isArray(value)) for (const one of value) collect(one, known)
  else if (isJsonObject(value)) for (const one of Object.values(value)) collect(one, known)
}

/** Whether all of it is known, as one number or as several beside each other. */
const isKnown = (number: string, known: ReadonlySet<number>): boolean =>
  valuesOf(number).some((value) => known.has(value)) ||
  (gap.test(number) && number.split(gap).every((part) => valuesOf(part).some((value) => known.has(value))))

/** The first number in the texts that is not in the facts; null if all are. */
export function unknownNumber(texts: readonly string[], facts: unknown): string | null {
  const known = new Set<number>()
  collect(facts, known)
  for (const text of texts) {
    const plain = text.normalize('NFKC')
    const foreign = /(?!\d)\p{Nd}+/u.exec(plain)
    if (foreign) return foreign[0]
    for (const number of plain.match(written) ?? []) if (!isKnown(number, known)) return number
  }
  return null
}

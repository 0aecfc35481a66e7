import { isExactNumber, isJsonObject, textOfNumber } from '../json/exact-number.ts'

const lengthMin = 6
const masked = '[secret]'

/** The parts of base64 that a value has wherever it begins: alone, or after other text such as `user:`. */
function base64Of(value: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)])
    // Characters that also depend on the neighbours are left out.
    const first = [0, 2, 3][before]!
    const whole = Math.floor((bytes.length * 8) / 6)
    return (['base64', 'base64url'] as const).map((encoding) => bytes.toString(encoding).slice(first, whole))
  })
}

const formsOf = (value: string): string[] => {
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    ...base64Of(value),
  ]
  return [...forms, new URLSearchParams({ v: value }).toString().slice(2)]
}

function formsOfAll(secrets: Readonly<Record<string, string>>): string[] {
  const values = Object.values(secrets).filter((value) => value.length >= lengthMin)
  return [...new Set(values.flatMap(formsOf))].filter((form) => form.length >= lengthMin)
}

/** As `secretMask`, for a text that was cut: what it ends with may be the beginning of a secret. */
export function cutSecretMask(secrets: Readonly<Record<string, string>>): (text: string) => string {
  const mask = secretMask(secrets)
  const forms = formsOfAll(secrets)
  return (text) => {
    const whole = mask(text)
    let begun = 0
    for (const form of forms)
      for (let length = form.length - 1; length > begun; length--)
        if (whole.endsWith(form.slice(0, length))) begun = length
    return begun === 0 ? whole : whole.slice(0, -begun) + masked
  }
}

/** Replaces the secrets in a text, also as base64 and as URL text. Values with fewer than six characters would hide ordinary text. */
export function secretMask(secrets: Readonly<Record<string, string>>): (text: string) => string {
  const forms = formsOfAll(secrets)
  if (forms.length === 0) return (text) => text
  const longestFirst = forms.toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(longestFirst.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g')
  return (text) => text.replace(pattern, masked)
}

/**
 * A value of JSON with secrets replaced in its texts, names and numbers. The text of the JSON would not do: a secret may be a number, or contain
 * quotes and braces, and what is left would be no JSON.
 */
export function maskedJson(value: unknown, mask: (text: string) => string): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((item) => maskedJson(item, mask))
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [mask(name), maskedJson(item, mask)]))
  if (!isExactNumber(value)) return value
  const text = textOfNumber(value)
  return mask(text) === text ? value : mask(text)
}

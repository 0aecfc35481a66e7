import { ConfigError } from './config-error.ts'

export function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((option) => option === value)
  if (found === undefined) throw new ConfigError(`${name}: "${value}" must be one of ${allowed.join(', ')}.`)
  return found
}

export function numberOf(name: string, text: string, [min, max]: readonly [number, number]): number {
  const number = /^\d{1,8}$/.test(text) ? Number(text) : NaN
  if (number >= min && number <= max) return number
  throw new ConfigError(`${name}: "${text}" must be a number between ${min} and ${max}.`)
}

/** Null for `off`. */
export const megabytesOf = (name: string, text: string): number | null =>
  text === 'off' ? null : numberOf(name, text, [1, 99_999_999]) * 1_048_576

/** The entries of a list that is separated by commas. */
export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

export function urlOf(name: string, value: string | undefined, protocols: readonly string[]): string | null {
  if (!value) return null
  const url = URL.parse(value)
  if (!url || !protocols.includes(url.protocol) || !value.startsWith('//', url.protocol.length)) {
    throw new ConfigError(
      `${name} must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`,
    )
  }
  return value
}

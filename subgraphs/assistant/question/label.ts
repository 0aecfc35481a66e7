import type { RecordShape } from '../../kernel/record/definition.ts'
import { namesOf } from './question.ts'

/** `PENDING_CUSTOMER` as people read it. */
export const words = (value: string): string => {
  const text = value.replaceAll('_', ' ').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `annualRevenue` as people read it. */
export const fieldWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** How a record is named: its first name that has a value; null if it has none. */
export function labelOf({ object }: RecordShape, row: Readonly<Record<string, unknown>>): string | null {
  const value = namesOf[object]?.map((name) => row[name]).find((one) => one !== null && one !== undefined && one !== '')
  return value === undefined ? null : String(value as string | number)
}

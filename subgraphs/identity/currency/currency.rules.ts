import { DateTime } from 'luxon'
import type { FieldProblem } from '../../kernel/errors.ts'

/** The first and the last day that a rate may have. */
const [firstDay, lastDay] = ['1970-01-01', '2199-12-31']

export function rateDayProblems(path: string, day: string): FieldProblem[] {
  if (/^\d{4}-\d{2}-\d{2}$/.test(day) && day >= firstDay && day <= lastDay && DateTime.fromISO(day).isValid) return []
  const message = `${path} must be a day from ${firstDay} to ${lastDay}, for example 2026-11-01.`
  return [{ path, code: 'NOT_A_DAY', message }]
}

/** The base currency has no rate, because one unit of it is always worth 1. */
export const baseRateProblems = (currency: string, baseCurrency: string): FieldProblem[] =>
  currency === baseCurrency
    ? [
        {
          path: 'currency',
          code: 'NOT_ALLOWED',
          message: 'currency must not be the base currency; its rate is always 1.',
        },
      ]
    : []

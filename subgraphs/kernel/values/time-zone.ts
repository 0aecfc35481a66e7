import { IANAZone } from 'luxon'
import type { FieldProblem } from '../errors.ts'

/** Requires an IANA name, because Intl also accepts offsets such as +05:30. */
export const timezoneProblems = (path: string, value: unknown): FieldProblem[] =>
  typeof value === 'string' && value.length <= 100 && /^[A-Z]/i.test(value) && IANAZone.isValidZone(value)
    ? []
    : [
        {
          path,
          code: 'NOT_A_TIMEZONE',
          message: `${path} must be the IANA name of a time zone, for example Europe/Oslo.`,
        },
      ]

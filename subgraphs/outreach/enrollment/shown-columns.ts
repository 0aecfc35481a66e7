import { sequenceEnrollment } from './enrollment.record.ts'
import type { SequenceEnrollment } from './enrollment.ts'

/** The columns of an enrollment that are part of the APIs. */
export const shownColumns = (enrollment: SequenceEnrollment): object => {
  const values: object = enrollment
  return Object.fromEntries(
    sequenceEnrollment.columns.shown.map(({ name }) => [name, (values as Record<string, unknown>)[name]]),
  )
}

import { sequenceEnrollment } from './enrollment.record.ts'
import type { SequenceEnrollment } from './enrollment.ts'

/** The columns of an enrollment that are part of the APIs. */
export const shownColumns = (enrollment: SequenceEnrollment): object => sequenceEnrollment.columns.shownOf(enrollment)

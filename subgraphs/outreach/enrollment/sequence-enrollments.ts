import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import { Sequence } from '../sequence/sequence.ts'
import { SequenceEnrollmentConnection, SequenceEnrollmentConnectionArgs } from './enrollment.inputs.ts'
import { sequenceEnrollment } from './enrollment.record.ts'

/** The edge from a sequence to its enrollments. */
export const sequenceEnrollments = edgeToMany(Sequence, 'enrollments', {
  records: sequenceEnrollment,
  types: { Connection: SequenceEnrollmentConnection, ConnectionArgs: SequenceEnrollmentConnectionArgs },
  by: 'sequenceId',
  description: 'Enrollments in the sequence that the caller sees, newest first by default.',
})

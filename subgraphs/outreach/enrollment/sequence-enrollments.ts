import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Sequence } from '../sequence/sequence.ts'
import { enrolledAccounts } from './enrolled-accounts.ts'
import { SequenceEnrollmentConnection, SequenceEnrollmentConnectionArgs } from './enrollment.inputs.ts'
import { sequenceEnrollment } from './enrollment.record.ts'

/** The edge from a sequence to its enrollments. */
export const sequenceEnrollments: Resource = {
  ...edgeToMany(Sequence, 'enrollments', {
    records: sequenceEnrollment,
    types: { Connection: SequenceEnrollmentConnection, ConnectionArgs: SequenceEnrollmentConnectionArgs },
    by: 'sequenceId',
    description: 'Enrollments in the sequence that the caller sees, newest first by default.',
  }),
  names: [enrolledAccounts],
}

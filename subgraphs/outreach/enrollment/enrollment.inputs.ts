import { connectionOf, filterOf, pageOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { connectionArgs, pageArgs } from '../../kernel/record/list-args.ts'
import { SequenceEnrollment } from './enrollment.ts'

export const EnrollmentFilter = filterOf('SequenceEnrollmentFilter', SequenceEnrollment)
const EnrollmentOrder = orderOf('SequenceEnrollmentOrder', SequenceEnrollment)
export const SequenceEnrollmentPage = pageOf('SequenceEnrollmentPage', SequenceEnrollment, 'SEQUENCES')
export const SequenceEnrollmentConnection = connectionOf('SequenceEnrollment', SequenceEnrollment, 'SEQUENCES')
export const SequenceEnrollmentPageArgs = pageArgs(EnrollmentFilter, EnrollmentOrder)
export const SequenceEnrollmentConnectionArgs = connectionArgs(EnrollmentFilter, EnrollmentOrder)

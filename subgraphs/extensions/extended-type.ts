import { enumeration } from '../kernel/record/column.ts'
import { recordType } from '../kernel/record/record-registry.ts'
import type { RecordShape } from '../kernel/record/definition.ts'

export const ExtendedType = enumeration('ExtendedType', 'A record type whose writes an organization can extend.', {
  LEAD: 'Leads.',
  CONTACT: 'Contacts.',
  ACCOUNT: 'Accounts.',
  OPPORTUNITY: 'Opportunities.',
  TASK: 'Tasks.',
  CASE: 'Cases.',
})
export type ExtendedType = keyof typeof ExtendedType

export const shapeOfType = (type: ExtendedType): RecordShape => recordType(type.toLowerCase())()

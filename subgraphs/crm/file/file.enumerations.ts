import { enumeration } from '../../kernel/record/column.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'

export const FileStatus = enumeration('FileStatus', 'Whether the bytes of a file have arrived.', {
  UPLOADING: 'Its bytes have not arrived. It is deleted after a day.',
  READY: 'It can be downloaded.',
})
export type FileStatus = keyof typeof FileStatus

export const FileRelatedType = enumeration('FileRelatedType', 'Type of the record to which a file is attached.', {
  ACCOUNT: 'An account.',
  CONTACT: 'A contact.',
  LEAD: 'A lead.',
  OPPORTUNITY: 'An opportunity.',
  CASE: 'A case.',
  QUOTE: 'A quote.',
  ORDER: 'An order.',
  INVOICE: 'An invoice.',
  CREDIT_NOTE: 'A credit note.',
  PRODUCT: 'A product.',
  TASK: 'A task.',
  ACTIVITY: 'An activity, such as a note or a call.',
  EMAIL: 'A mail that was sent or received. The files of a received mail are attached to it.',
})
export type FileRelatedType = keyof typeof FileRelatedType

/** The record types to which files can be attached. */
export const fileParents: Readonly<Record<FileRelatedType, () => RecordShape>> = {
  ACCOUNT: recordType('account'),
  CONTACT: recordType('contact'),
  LEAD: recordType('lead'),
  OPPORTUNITY: recordType('opportunity'),
  CASE: recordType('case'),
  QUOTE: recordType('quote'),
  ORDER: recordType('order'),
  INVOICE: recordType('invoice'),
  CREDIT_NOTE: recordType('credit_note'),
  PRODUCT: recordType('product'),
  TASK: recordType('task'),
  ACTIVITY: recordType('activity'),
  EMAIL: recordType('email'),
}

import { enumeration } from '../../kernel/record/column.ts'
import { customObjectName, recordTypeIn } from '../../kernel/record/custom-object.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import type { RequestContext } from '../../kernel/request.ts'

export const FileStatus = enumeration('FileStatus', 'Whether the bytes of a file have arrived.', {
  UPLOADING: 'Its bytes have not arrived. It is deleted after a day.',
  READY: 'It can be downloaded.',
})
export type FileStatus = keyof typeof FileStatus

/** The record types to which files can be attached, besides custom objects. */
export const fileParents = {
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
} as const satisfies Readonly<Record<string, () => RecordShape>>

export type FileParent = keyof typeof fileParents

/** The types as descriptions name them. */
export const fileParentNames = [...Object.keys(fileParents), 'custom:<object>']
  .join(', ')
  .replace(/, (?=custom)/, ' or ')

export const isFileParent = (type: string): type is FileParent => Object.hasOwn(fileParents, type)

/** The record type that `relatedToType` names; null if the platform and the organization have no such records. */
export const fileParent = (ctx: Pick<RequestContext, 'shapes'>, type: string): RecordShape | null =>
  isFileParent(type) ? fileParents[type]() : customObjectName(type) === null ? null : recordTypeIn(ctx, type)

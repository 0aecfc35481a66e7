import { enumeration } from '../../kernel/record/column.ts'

export const BulkOperation = enumeration('BulkOperation', 'What a bulk job does.', {
  INSERT: 'Each row is a new record. A column `id` gives it its id.',
  UPDATE: 'Each row changes the record that its key names.',
  UPSERT: 'Each row changes the record that its key names, or is a new record if there is none.',
  DELETE: 'Each row deletes the record that its key names.',
  EXPORT: 'The records that its query finds are written to a file, which is downloaded.',
})
export type BulkOperation = keyof typeof BulkOperation

export const BulkContentType = enumeration('BulkContentType', 'The format of the file of a bulk job.', {
  CSV: 'Comma-separated values (RFC 4180). The first record has the names of the columns.',
  NDJSON: 'One JSON object in each line, with the names of fields as keys.',
})
export type BulkContentType = keyof typeof BulkContentType

export const BulkJobState = enumeration('BulkJobState', 'The state of a bulk job.', {
  OPEN: 'It takes the parts of its file.',
  UPLOAD_COMPLETE: 'It waits for its turn.',
  IN_PROGRESS: 'Its rows are being processed.',
  JOB_COMPLETE: 'All of its rows were processed; some may have failed. The file of an export is there.',
  FAILED: 'It ended before all of its rows were processed: `errorCode` tells why. An export has no file.',
  ABORTED: 'A user ended it. Records that were written before stay; an export has no file.',
})
export type BulkJobState = keyof typeof BulkJobState

export const BulkEncoding = enumeration('BulkEncoding', 'The encoding of a CSV file.', {
  UTF_8: 'UTF-8, also with a byte order mark.',
  UTF_16LE: 'UTF-16, little-endian: the Unicode text of Excel.',
  UTF_16BE: 'UTF-16, big-endian.',
  WINDOWS_1252: 'Windows-1252, in which Excel saves CSV in Western Europe and America.',
})
export type BulkEncoding = keyof typeof BulkEncoding

export const BulkDateFormat = enumeration('BulkDateFormat', 'How a CSV file writes dates.', {
  ISO: 'As the API: `2026-04-03`, `2026-04-03T14:30:00Z`.',
  DMY: 'Day, month, year: `03.04.2026`, `3/4/2026 14:30`. A time is one of the time zone of the organization.',
  MDY: 'Month, day, year: `04/03/2026`, `4/3/2026 2:30 PM`. A time is one of the time zone of the organization.',
  YMD: 'Year, month, day: `2026/04/03`. A time is one of the time zone of the organization.',
})
export type BulkDateFormat = keyof typeof BulkDateFormat

export const BulkDecimalSeparator = enumeration('BulkDecimalSeparator', 'How a CSV file writes decimals.', {
  POINT: '`1234.56`, also `1,234.56`.',
  COMMA: '`1234,56`, also `1.234,56`.',
})
export type BulkDecimalSeparator = keyof typeof BulkDecimalSeparator

export const BulkBlank = enumeration('BulkBlank', 'What an empty cell of a CSV file means for an existing record.', {
  KEEP: 'The value of the field stays.',
  CLEAR: 'The field is cleared.',
})
export type BulkBlank = keyof typeof BulkBlank

export const BulkEvents = enumeration(
  'BulkEvents',
  'Which events of a bulk job webhooks and notifications get. The event log always has all of them.',
  {
    EACH: 'Those of each record, and `bulk.completed`.',
    SUMMARY: 'Only `bulk.completed`.',
    NONE: 'No event at all.',
  },
)
export type BulkEvents = keyof typeof BulkEvents

export const BulkDeletedMatch = enumeration(
  'BulkDeletedMatch',
  'What an UPSERT does with a deleted record that the key of a row names.',
  {
    IGNORE: 'It counts as none.',
    RESTORE: 'It is restored, and changed.',
  },
)
export type BulkDeletedMatch = keyof typeof BulkDeletedMatch

export const BulkDuplicates = enumeration(
  'BulkDuplicates',
  'What becomes of a row whose new record a rule of duplicates with the action BLOCK finds to be a duplicate of a record that the user of the job sees. Other rules have no effect on bulk jobs.',
  {
    ALLOW: 'The record is created. Changes of records that rules would block are made, too.',
    SKIP: 'The row is not written: it is in the results `skipped`, with the id of the best candidate.',
    UPDATE:
      'The row changes the best candidate, whose key stays as it is. If two are equally good, the row fails with AMBIGUOUS_MATCH.',
    FAIL: 'The row fails with DUPLICATE_DETECTED.',
  },
)
export type BulkDuplicates = keyof typeof BulkDuplicates

export const BulkReadOnlyColumns = enumeration(
  'BulkReadOnlyColumns',
  'What becomes of columns of a file whose fields cannot be set, such as `version`, `updatedAt` and formulas.',
  {
    REFUSE: 'The job does not begin, so that no value is lost unnoticed.',
    IGNORE: 'They are left out, and `createdAt`, too, so that everybody can load the file of an export as it is.',
  },
)
export type BulkReadOnlyColumns = keyof typeof BulkReadOnlyColumns

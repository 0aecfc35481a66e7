import { bulkItemOf } from '../../kernel/record/inputs.ts'
import { upsertTypes } from '../../kernel/record/upsert/upsert-types.ts'
import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { customRecord } from './custom-record.record.ts'
import { CustomRecord } from './custom-record.ts'

export const customRecordTypes = operationTypes(customRecord, 'CUSTOM_OBJECTS')
export const CustomRecordBulkUpdateItem = bulkItemOf('CustomRecordBulkUpdateItem', CustomRecord)
export const customRecordUpsertTypes = upsertTypes(customRecord, 'CUSTOM_OBJECTS')

import { objectSchema } from '../../workflow/steps/record-values.ts'
import { faultConnector, settings, type ElementType } from './element-type.ts'
import { idSchema, recordTypeProblems, requireRecordId, withRecords, writeScopes } from './record-element.ts'

export const deleteRecord: ElementType = {
  type: 'DELETE_RECORD',
  schema: settings({ object: objectSchema, recordId: idSchema }, ['object', 'recordId']),
  hasEffect: true,
  connectors: faultConnector,
  scopes: writeScopes,
  problems: recordTypeProblems,
  async run(run) {
    const id = await withRecords(run, (records, ctx) => records.remove(ctx, requireRecordId(run)))
    return { output: { id, object: run.config['object'] } }
  },
}

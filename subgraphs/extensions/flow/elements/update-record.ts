import { objectSchema, valuesSchema } from '../../workflow/steps/record-values.ts'
import { faultConnector, settings, type ElementType } from './element-type.ts'
import {
  changedValueProblems,
  checkedValues,
  idSchema,
  requireRecordId,
  withRecords,
  writeScopes,
} from './record-element.ts'

export const updateRecord: ElementType = {
  type: 'UPDATE_RECORD',
  schema: settings({ object: objectSchema, recordId: idSchema, values: valuesSchema }, [
    'object',
    'recordId',
    'values',
  ]),
  hasEffect: true,
  connectors: faultConnector,
  scopes: writeScopes,
  problems: (check) => changedValueProblems(check, 'UPDATE'),
  async run(run) {
    const { id } = await withRecords(run, (records, ctx, shape) =>
      records.update(ctx, requireRecordId(run), checkedValues(shape, run.input['values'], 'UPDATE')),
    )
    return { output: { id, object: run.config['object'] } }
  },
}

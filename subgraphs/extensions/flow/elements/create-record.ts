import { objectSchema, valuesSchema } from '../../workflow/steps/record-values.ts'
import { faultConnector, settings, type ElementType } from './element-type.ts'
import { changedValueProblems, checkedValues, withRecords, writeScopes } from './record-element.ts'

export const createRecord: ElementType = {
  type: 'CREATE_RECORD',
  schema: settings({ object: objectSchema, values: valuesSchema }, ['object', 'values']),
  hasEffect: true,
  connectors: faultConnector,
  scopes: writeScopes,
  problems: (check) => changedValueProblems(check, 'CREATE'),
  async run(run) {
    const { id } = await withRecords(run, (records, ctx, shape) =>
      records.create(ctx, checkedValues(shape, run.input['values'], 'CREATE')),
    )
    return { output: { id, object: run.config['object'] } }
  },
}

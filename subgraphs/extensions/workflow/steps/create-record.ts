import { objectNamed } from '../objects.ts'
import { mutate } from './graph-call.ts'
import { changedScopes, objectSchema, valuesProblems, valuesSchema } from './record-values.ts'
import { settings, type StepType } from './step-type.ts'

export const createRecord: StepType = {
  type: 'CREATE_RECORD',
  schema: settings({ object: objectSchema, values: valuesSchema }, ['object', 'values']),
  scopes: changedScopes,
  isRepeatable: () => true,
  problems: (check) => valuesProblems(check, 'CREATE'),
  run(run) {
    const { name, object, type } = objectNamed(run.config['object'])!
    const document = `mutation ($input: ${type}CreateInput!) { result: ${object}Create(input: $input) { id } }`
    return mutate(run, document, { input: run.input['values'] }, (result) => ({
      id: (result as { id: string }).id,
      object: name,
    }))
  },
}

import { objectNamed } from '../objects.ts'
import { mutate, objectArgument } from './graph-call.ts'
import { changedScopes, objectSchema, valuesProblems, valuesSchema } from './record-values.ts'
import { settings, type StepType } from './step-type.ts'

export const createRecord: StepType = {
  type: 'CREATE_RECORD',
  schema: settings({ object: objectSchema, values: valuesSchema }, ['object', 'values']),
  scopes: changedScopes,
  isRepeatable: () => true,
  problems: (check) => valuesProblems(check, 'CREATE'),
  run(run) {
    const object = objectNamed(run.config['object'])!
    const { declared, given, variables } = objectArgument(object)
    const document = `mutation (${declared}$input: ${object.type}CreateInput!) { result: ${object.operations}Create(${given}input: $input) { id } }`
    return mutate(run, document, { ...variables, input: run.input['values'] }, (result) => ({
      id: (result as { id: string }).id,
      object: object.name,
    }))
  },
}

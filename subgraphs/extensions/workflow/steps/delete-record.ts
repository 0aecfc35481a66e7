import { mutate, objectArgument } from './graph-call.ts'
import { changedScopes, idSchema, objectSchema, targetOf, targetProblems } from './record-values.ts'
import { failed, settings, type StepType } from './step-type.ts'

export const deleteRecord: StepType = {
  type: 'DELETE_RECORD',
  schema: settings({ object: objectSchema, recordId: idSchema }),
  scopes: changedScopes,
  isRepeatable: () => true,
  problems: targetProblems,
  run(run) {
    const target = targetOf(run)
    if (!target) return failed('NO_RECORD', 'recordId names no record.')
    const { id, object } = target
    const { declared, given, variables } = objectArgument(object)
    const document = `mutation (${declared}$id: ID!) { result: ${object.operations}Delete(${given}id: $id) }`
    return mutate(run, document, { ...variables, id }, () => ({ id, object: object.name }))
  },
}

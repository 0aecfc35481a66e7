import { mutate } from './graph-call.ts'
import { idSchema } from './record-values.ts'
import { failed, problemAt, settings, type StepType } from './step-type.ts'

const enrolled = ['LEAD', 'CONTACT']

export const enrollSequence: StepType = {
  type: 'ENROLL_SEQUENCE',
  schema: settings(
    {
      sequenceId: idSchema,
      entityType: { enum: enrolled },
      entityId: idSchema,
      senderId: idSchema,
      allowOtherSequences: { type: 'boolean' },
    },
    ['sequenceId'],
  ),
  scopes: () => ['WRITE_SEQUENCES'],
  isRepeatable: () => true,
  problems({ config, path, triggerObject }) {
    const { entityType = triggerObject?.name, entityId } = config
    if (!enrolled.includes(String(entityType)))
      return [problemAt(`${path}.entityType`, 'REQUIRED', 'is required, because the run has no lead or contact')]
    if (entityId !== undefined || entityType === triggerObject?.name) return []
    return [problemAt(`${path}.entityId`, 'REQUIRED', 'is required for another type than that of the workflow')]
  },
  run(run) {
    const { sequenceId, senderId, allowOtherSequences } = run.input
    const entityType = run.config['entityType'] ?? run.record?.object.name
    const entityId = run.config['entityId'] === undefined ? run.record?.id : run.input['entityId']
    if (typeof entityId !== 'string' || entityId === '') return failed('NO_RECORD', 'entityId names no record.')
    const input = {
      entityType,
      entityId,
      ...(senderId !== undefined && { senderId }),
      ...(allowOtherSequences !== undefined && { allowOtherSequences }),
    }
    const document =
      'mutation ($id: ID!, $input: SequenceEnrollInput!) { result: sequenceEnroll(id: $id, input: $input) { id } }'
    return mutate(run, document, { id: sequenceId, input }, (result) => ({ id: (result as { id: string }).id }))
  },
}

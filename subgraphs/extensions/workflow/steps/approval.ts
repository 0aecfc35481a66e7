import { approvalHoursDefault, approvalHoursMax, approversMax, stepIdPattern } from '../bounds.ts'
import { idSchema } from './record-values.ts'
import { idsIn } from './send-notification.ts'
import { failed, settings, text, type StepType } from './step-type.ts'

const hourMs = 3_600_000
const messageMax = 1_000

export const approval: StepType = {
  type: 'APPROVAL',
  schema: settings(
    {
      approverIds: { type: 'array', minItems: 1, maxItems: approversMax, items: idSchema },
      message: text(4_000),
      expiresInHours: { type: 'integer', minimum: 1, maximum: approvalHoursMax },
      onRejected: { type: 'string', pattern: stepIdPattern.source },
    },
    ['approverIds'],
  ),
  scopes: () => [],
  isRepeatable: () => true,
  input(config, mapping) {
    const { approverIds, message = 'A run of a workflow waits for your approval.' } = config
    return {
      approverIds: idsIn(mapping.filled(approverIds)).slice(0, approversMax),
      message: Array.from(String(mapping.filled(message)))
        .slice(0, messageMax)
        .join(''),
    }
  },
  run({ input, config, services }) {
    const recipientIds = input['approverIds'] as string[]
    if (recipientIds.length === 0) return failed('NO_APPROVER', 'approverIds names no user.')
    const hours = (config['expiresInHours'] as number | undefined) ?? approvalHoursDefault
    return {
      waitUntil: new Date(services.clock.now().getTime() + hours * hourMs),
      announcement: { type: 'workflow.awaiting_approval', recipientIds, message: input['message'] as string },
    }
  },
}

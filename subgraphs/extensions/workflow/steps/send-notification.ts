import { isId } from '../../../kernel/ids.ts'
import { recipientsMax } from '../bounds.ts'
import { idSchema } from './record-values.ts'
import { failed, settings, text, type StepType } from './step-type.ts'

const messageMax = 1_000

/** The ids among filled in values, each once. */
export const idsIn = (values: unknown): string[] => [
  ...new Set(
    (Array.isArray(values) ? values.flat() : []).filter((id): id is string => typeof id === 'string' && isId(id)),
  ),
]

export const sendNotification: StepType = {
  type: 'SEND_NOTIFICATION',
  schema: settings(
    { recipients: { type: 'array', minItems: 1, maxItems: recipientsMax, items: idSchema }, message: text(4_000) },
    ['recipients', 'message'],
  ),
  scopes: () => [],
  isRepeatable: () => true,
  run({ input }) {
    const recipientIds = idsIn(input['recipients']).slice(0, recipientsMax)
    if (recipientIds.length === 0) return failed('NO_RECIPIENT', 'recipients names no user.')
    const message = Array.from(String(input['message'])).slice(0, messageMax).join('')
    return {
      output: { recipients: recipientIds },
      announcement: { type: 'workflow.notified', recipientIds, message },
    }
  },
}

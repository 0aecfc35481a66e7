import type { createTask } from '../../../crm/public.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import type { ReadStep } from '../sequence-reading.ts'

const dayMs = 86_400_000

const texts = {
  SMS: { subject: 'Send a text message', what: 'Send this text message to the person' },
  SOCIAL: { subject: 'Write in a social network', what: 'Write this to the person in a social network' },
} as const

/**
 * The task of a step. The platform has no provider of text messages and social networks, so the task names the channel and has the text for
 * the sender to send.
 */
export function taskOf(
  { type, name, task }: ReadStep,
  { id, entityType, entityId, senderId }: SequenceEnrollment,
  text: string | null,
  now: Date,
): Parameters<typeof createTask>[1] {
  const byHand = type === 'SMS' || type === 'SOCIAL' ? texts[type] : null
  const description = byHand
    ? [`${byHand.what}: the platform does not send it itself.`, text, task?.description].filter(Boolean).join('\n\n')
    : (task?.description ?? null)
  return {
    subject: task?.subject ?? name ?? byHand?.subject ?? 'Task of a sequence',
    description: description && [...description].slice(0, 20_000).join(''),
    type: type === 'CALL' ? 'CALL' : 'TODO',
    priority: task?.priority ?? 'MEDIUM',
    dueDate: new Date(now.getTime() + (task?.dueInDays ?? 0) * dayMs).toISOString(),
    ownerId: senderId,
    assignedToId: senderId,
    relatedToType: entityType,
    relatedToId: entityId,
    sequenceEnrollmentId: id,
    source: 'SEQUENCE',
  }
}

import { shownColumns } from '../shown-columns.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import type { Execution } from './decide.ts'
import type { QueuedCall } from './webhook-call.queue.ts'

/** What the address of a WEBHOOK step gets: the enrollment as its events have it, before the step, and the step. */
export const callOf = (
  enrollment: SequenceEnrollment,
  { step, sequence }: Execution,
  attemptId: string,
  now: Date,
): QueuedCall | null =>
  step.webhookUrl === null
    ? null
    : {
        attemptId,
        stepId: step.id,
        url: step.webhookUrl,
        body: {
          id: attemptId,
          type: 'sequence.webhook',
          occurredAt: now.toISOString(),
          organizationId: enrollment.organizationId,
          sequence: { id: sequence.id, name: sequence.name },
          step: { id: step.id, name: step.name, position: step.position },
          enrollment: shownColumns(enrollment),
        },
      }

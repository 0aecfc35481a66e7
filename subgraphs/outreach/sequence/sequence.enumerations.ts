import { enumeration } from '../../kernel/record/column.ts'
import type { weekdays } from '../../kernel/time/working-week.ts'

export const SequenceStatus = enumeration('SequenceStatus', 'Whether a sequence runs.', {
  DRAFT: 'Being written; nobody can be enrolled. The default.',
  ACTIVE: 'Running: its enrollments go from step to step.',
  PAUSED: 'Stopped: no step is executed, and the delays of its enrollments stand still.',
  ARCHIVED: 'No longer used. Nothing is executed, and nobody can be enrolled.',
})
export type SequenceStatus = keyof typeof SequenceStatus

export const Weekday = enumeration<(typeof weekdays)[number]>('Weekday', 'A day of the week.', {
  MON: 'Monday.',
  TUE: 'Tuesday.',
  WED: 'Wednesday.',
  THU: 'Thursday.',
  FRI: 'Friday.',
  SAT: 'Saturday.',
  SUN: 'Sunday.',
})
export type Weekday = keyof typeof Weekday

export const SequenceStepType = enumeration('SequenceStepType', 'What a step of a sequence does.', {
  EMAIL: 'Sends a mail.',
  TASK: 'Creates a task for the sender.',
  CALL: 'Creates a task to call the person.',
  SMS: 'Creates a task to send a text message, with its text.',
  SOCIAL: 'Creates a task to write to the person in a social network, with its text.',
  WAIT: 'Does nothing: the sequence goes on after its delay.',
  CONDITION: 'Goes on with one of two steps, depending on the record.',
  WEBHOOK: 'Calls an address with the enrollment as JSON.',
})
export type SequenceStepType = keyof typeof SequenceStepType

export const SequenceDelayFrom = enumeration('SequenceDelayFrom', 'From when the delay of a step counts.', {
  PREVIOUS_STEP: 'From the end of the step before it. The default.',
  ENROLLMENT: 'From the time of the enrollment. If that time has passed, the step is due at once.',
})
export type SequenceDelayFrom = keyof typeof SequenceDelayFrom

import { enumeration } from '../../kernel/record/column.ts'

export const FlowInterviewStatus = enumeration('FlowInterviewStatus', 'How far an interview has come.', {
  RUNNING: 'It goes on by itself, at once or when `resumesAt` has come.',
  WAITING_FOR_INPUT: 'It waits for the values of `screen`.',
  PAUSED: 'Its user has paused it.',
  COMPLETED: 'It has come to its end; `outputs` has the output variables.',
  FAILED: 'It has ended before; `error` says why.',
  CANCELLED: 'Somebody has ended it, or its flow was deleted.',
  EXPIRED: 'It has ended because nothing happened for 7 days.',
})
export type FlowInterviewStatus = keyof typeof FlowInterviewStatus

export const FlowComponentType = enumeration('FlowComponentType', 'How a field of a screen asks for its value.', {
  TEXT: 'A line of text, at most 255 characters unless `maxLength` says otherwise.',
  TEXTAREA: 'A text of at most 32,000 characters unless `maxLength` says otherwise.',
  NUMBER: 'A number, from `minimum` to `maximum`.',
  DATE: 'A day, as `2026-11-30`.',
  DATETIME: 'A time in ISO 8601.',
  CHECKBOX: 'True or false.',
  PICKLIST: 'One of `options`.',
  MULTI_PICKLIST: 'A list of `options`, each once.',
  EMAIL: 'An email address.',
  PHONE: 'A phone number.',
  URL: 'An address that begins with https:// or http://.',
  LOOKUP: 'The id of a record of the type `object`.',
  DISPLAY_TEXT: 'Only its label is shown; it has no value.',
})
export type FlowComponentType = keyof typeof FlowComponentType

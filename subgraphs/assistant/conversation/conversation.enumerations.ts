import { enumeration } from '../../kernel/record/column.ts'

export const AssistantMode = enumeration('AssistantMode', 'Who answers a message.', {
  local:
    'Fixed rules of the platform: counts, lists, sums and facts of records, and proposals of a task or of a change of one field. No data leaves it.',
  documents: 'The documents of the organization.',
  model: 'The language model of the platform, which reads records as the caller.',
  vendor_a: 'The language model that the operator has configured for this system.',
  vendor_b: 'The language model that the operator has configured for this system.',
  vendor_b_cx: 'The language model that the operator has configured for this system.',
  vendor_b_portal: 'The language model that the operator has configured for this system.',
})
export type AssistantMode = keyof typeof AssistantMode

export const MessageRole = enumeration('ConversationMessageRole', 'Who wrote a message.', {
  USER: 'The user of the conversation, as a question.',
  ASSISTANT: 'The assistant, as an answer to a question.',
})
export type MessageRole = keyof typeof MessageRole

export const MessageStatus = enumeration('ConversationMessageStatus', 'Whether a message is complete.', {
  COMPLETED: 'It is complete.',
  RUNNING: 'It is being written.',
  CANCELLED: 'The client left before it was complete; it has what was written until then.',
  FAILED: 'It could not be completed; it has what was written until then.',
})
export type MessageStatus = keyof typeof MessageStatus

export const MessageFeedback = enumeration('ConversationMessageFeedback', 'What the user thinks of an answer.', {
  UP: 'It helped.',
  DOWN: 'It did not help.',
})
export type MessageFeedback = keyof typeof MessageFeedback

export const ToolStatus = enumeration('AssistantToolStatus', 'How a call of a tool ended.', {
  RUNNING: 'It has not ended.',
  OK: 'It gave a result.',
  ERROR: 'It was refused or failed.',
})
export type ToolStatus = keyof typeof ToolStatus

import { ID, Int, ObjectType } from 'type-graphql'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { citationsMax } from './bounds.ts'
import { AssistantMode, MessageFeedback, MessageRole, MessageStatus, ToolStatus } from './conversation.enumerations.ts'

const conversationId = '019a0c5e-7f00-7e11-9c2d-4b7f1a6c0d52'
const accountId = '019a0c5e-7f00-7b20-8f34-2d9be1c07a66'

@ObjectType({ description: 'The record that a conversation is about.' })
@RequiresScope('CONVERSATIONS')
export class ConversationMetadata {
  @OutputField(() => String, {
    nullable: true,
    description: 'Id of the record; null if none was given.',
    example: accountId,
  })
  recordId!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Type of the record; null if none was given.',
    example: 'ACCOUNT',
  })
  recordType!: string | null
}

@ObjectType({ description: 'Where in an application a message was written.' })
@RequiresScope('CONVERSATIONS')
export class ConversationContext {
  @OutputField(() => String, {
    nullable: true,
    description: 'Route of the page; null if not given.',
    example: '/accounts',
  })
  route!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Type of the record that is shown; null if none.',
    example: 'ACCOUNT',
  })
  entityType!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Id of the record that is shown; null if none.',
    example: accountId,
  })
  entityId!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Name of the record that is shown; null if none.',
    example: 'Halvorsen Marine AS',
  })
  entityName!: string | null
}

@ObjectType({ description: 'A record that an answer is based on. A tool returned it; a model cannot invent it.' })
@RequiresScope('CONVERSATIONS')
export class ConversationCitation {
  @OutputField(() => String, { description: 'Type of the record.', example: 'ACCOUNT' })
  entityType!: string

  @OutputField(() => ID, { description: 'Id of the record.', example: accountId })
  entityId!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'Field that the answer uses; null: the record.',
    example: null,
  })
  field!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Name of the record for people; null if it has none.',
    example: 'Halvorsen Marine AS',
  })
  label!: string | null
}

@ObjectType({
  description:
    'A call of a tool for an answer. Tools read as the user; `propose_change` stores a proposal and changes nothing.',
})
@RequiresScope('CONVERSATIONS')
export class ConversationToolCall {
  @OutputField(() => String, { description: 'Id of the call, unique in its answer.', example: 'call-1' })
  id!: string

  @OutputField(() => String, { description: 'Name of the tool.', example: 'ask' })
  name!: string

  @OutputField(() => Json, {
    nullable: true,
    description: 'The arguments of the call; null if they were no JSON object.',
    example: { intent: 'COUNT', object: 'opportunity' },
  })
  input!: unknown

  @OutputField(() => Json, {
    nullable: true,
    description:
      'What it gave, without the records: `rows`, their number, and for `ask` the figures of the answer (`total`, `figures`, `groups`), for `propose_change` `proposalId` and `summary`; or `error`; null while it runs.',
    example: { rows: 0, total: 12, figures: [], groups: [] },
  })
  output!: unknown

  @OutputField(() => ToolStatus, { description: 'How it ended.', example: 'OK' })
  status!: ToolStatus
}

@ObjectType({ description: 'Tokens of a language model that an answer has used.' })
@RequiresScope('CONVERSATIONS')
export class ConversationUsage {
  @OutputField(() => Int, { description: 'Tokens that were sent to the model.', example: 812 })
  inputTokens!: number

  @OutputField(() => Int, { description: 'Tokens that the model wrote.', example: 64 })
  outputTokens!: number

  @OutputField(() => Boolean, {
    description:
      'True if the provider did not say it, as for an answer that broke off, so that it is estimated from the texts.',
    example: false,
  })
  isEstimated!: boolean
}

@ObjectType({ description: 'A message of a conversation.' })
@RequiresScope('CONVERSATIONS')
export class ConversationMessage {
  @OutputField(() => ID, { description: 'Id of the message.', example: '019a0c5e-7f00-7e13-8a41-90c3d5e7f1b8' })
  id!: string

  @OutputField(() => ID, { description: 'Id of the conversation.', example: conversationId })
  conversationId!: string

  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the message that it answers; null for messages of the user.',
    example: '019a0c5e-7f00-7e12-8f6b-1d2c3b4a5968',
  })
  replyToId!: string | null

  @OutputField(() => MessageRole, { description: 'Who wrote it.', example: 'ASSISTANT' })
  role!: MessageRole

  @OutputField(() => String, {
    description: 'The text. Answers have no HTML, no images and no links but those to records of their citations.',
    example: 'You have 12 open deals.',
  })
  content!: string

  @OutputField(() => AssistantMode, { description: 'Who answers, or has answered.', example: 'local' })
  mode!: AssistantMode

  @OutputField(() => String, {
    nullable: true,
    description: 'The model that answered; null without a model.',
    example: null,
  })
  model!: string | null

  @OutputField(() => ConversationContext, {
    nullable: true,
    description: 'Where the user wrote it; null if not given, and for answers.',
    example: null,
  })
  context!: ConversationContext | null

  @OutputField(() => MessageStatus, { description: 'Whether it is complete.', example: 'COMPLETED' })
  status!: MessageStatus

  @OutputField(() => String, {
    nullable: true,
    description: 'Why it is FAILED, as a code of errors or INTERRUPTED: its process has ended; null otherwise.',
    example: null,
  })
  errorCode!: string | null

  @OutputField(() => ConversationCitation, {
    list: true,
    maxItems: citationsMax,
    description: 'The records that it is based on.',
  })
  citations!: ConversationCitation[]

  @OutputField(() => ConversationToolCall, {
    list: true,
    maxItems: 20,
    description: 'The calls of tools, in their order.',
  })
  toolCalls!: ConversationToolCall[]

  @OutputField(() => String, {
    list: true,
    maxItems: 50,
    description:
      'Words of the message that the mode `local` did not understand; then it gives no number and proposes nothing.',
    example: [],
  })
  notUnderstood!: string[]

  @OutputField(() => ConversationUsage, {
    nullable: true,
    description: 'Tokens that it has used; null for messages of the user.',
  })
  usage!: ConversationUsage | null

  @OutputField(() => Int, {
    nullable: true,
    description: 'Milliseconds from the question to the end of the answer; null for messages of the user.',
    example: 41,
  })
  latencyMs!: number | null

  @OutputField(() => MessageFeedback, {
    nullable: true,
    description: 'What the user thinks of it; null: nothing was said.',
    example: null,
  })
  feedback!: MessageFeedback | null

  @OutputField(() => Boolean, {
    description:
      'True for an answer that was made with more rights than the user has now, or that cites a record or document that is out of sight now: its text, citations and calls are left out. Ask again.',
    example: false,
  })
  isWithheld!: boolean

  @OutputField(() => DateTime, { description: 'When it was written.', example: '2027-02-01T09:00:00.000Z' })
  createdAt!: string
}

@ObjectType({ description: 'A conversation of the caller with the assistant. Nobody else sees it.' })
@RequiresScope('CONVERSATIONS')
export class Conversation {
  @OutputField(() => ID, { description: 'Id of the conversation.', example: conversationId })
  id!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'Its title. Without one, the beginning of the first message; null until then.',
    example: 'Open deals',
  })
  title!: string | null

  @OutputField(() => ConversationMetadata, {
    nullable: true,
    description: 'What it is about; null if nothing was given.',
  })
  metadata!: ConversationMetadata | null

  @OutputField(() => Boolean, { description: 'Whether the user has put it away.', example: false })
  isArchived!: boolean

  @OutputField(() => Int, { description: 'Number of its messages.', example: 2 })
  messageCount!: number

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'When its last message was written; null without messages.',
    example: '2027-02-01T09:00:00.000Z',
  })
  lastMessageAt!: string | null

  @OutputField(() => DateTime, { description: 'When it was begun.', example: '2027-02-01T09:00:00.000Z' })
  createdAt!: string

  @OutputField(() => DateTime, {
    description: 'When it was changed last, also by a message.',
    example: '2027-02-01T09:00:00.000Z',
  })
  updatedAt!: string
}

@ObjectType({ description: 'A conversation of the caller with its messages.' })
@RequiresScope('CONVERSATIONS')
export class ConversationWithMessages extends Conversation {
  @OutputField(() => ConversationMessage, { list: true, maxItems: 500, description: 'Its messages, the oldest first.' })
  messages!: ConversationMessage[]
}

import { Args, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import { IdArg, InputArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { Limits } from '../../kernel/subgraph/limits.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { namingColumn } from '../../kernel/record/merge/naming-rows.ts'
import { sendMessage, type Sending } from '../answer/send-message.ts'
import { extractMetadata } from '../extract/extract.ts'
import { ExtractedMetadata, MetadataExtractInput } from '../extract/extract.types.ts'
import { assistantStats } from '../optimizer/optimizer.ts'
import { AssistantStats } from '../optimizer/optimizer.types.ts'
import { answerMs } from './bounds.ts'
import {
  createConversation,
  deleteConversation,
  deleteConversations,
  giveFeedback,
  listConversations,
  readConversation,
  updateConversation,
} from './conversation.actions.ts'
import { MessageFeedback } from './conversation.enumerations.ts'
import {
  ConversationCreateInput,
  ConversationListArgs,
  ConversationMessageInput,
  ConversationUpdateInput,
} from './conversation.inputs.ts'
import { conversationTables, sightOfAnswers } from './conversation.migrations.ts'
import { Conversation, ConversationMessage, ConversationWithMessages } from './conversation.types.ts'

const MessageArg = () => ValueArg('messageId', () => ID, { description: 'Id of an answer of the conversation.' })
const FeedbackArg = () =>
  ValueArg('feedback', () => MessageFeedback, {
    nullable: true,
    description: 'Whether the answer helped; null takes the feedback back.',
    example: 'UP',
  })

@Resolver()
export class ConversationResolver {
  @Query(() => [Conversation], {
    description: 'The conversations of the caller, those with the newest messages first.',
  })
  @RequiresScopes('READ_CONVERSATIONS')
  conversationList(@Args(() => ConversationListArgs) args: ConversationListArgs, @Ctx() ctx: RequestContext) {
    return listConversations(ctx, args)
  }

  @Query(() => ConversationWithMessages, { description: 'A conversation of the caller with its messages.' })
  @RequiresScopes('READ_CONVERSATIONS')
  conversation(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return readConversation(ctx, id)
  }

  @Query(() => AssistantStats, {
    description:
      'Statistics of the answers of the last 30 days: the own ones; for owners and admins those of all users.',
  })
  @RequiresScopes('READ_CONVERSATIONS')
  assistantStats(@Ctx() ctx: RequestContext) {
    return assistantStats(ctx)
  }

  @Mutation(() => Conversation, { description: 'Begins a conversation. A user has at most 1,000; then INVALID_STATE.' })
  @RequiresScope('CONVERSATIONS')
  conversationCreate(
    @InputArg(() => ConversationCreateInput) input: ConversationCreateInput,
    @Ctx() ctx: RequestContext,
  ) {
    return createConversation(ctx, input)
  }

  @Mutation(() => ConversationWithMessages, {
    description: 'Changes the title of a conversation, what it is about, or puts it away.',
  })
  @RequiresScope('CONVERSATIONS')
  conversationUpdate(
    @IdArg() id: string,
    @InputArg(() => ConversationUpdateInput) input: ConversationUpdateInput,
    @Ctx() ctx: RequestContext,
  ) {
    return updateConversation(ctx, id, input)
  }

  @Mutation(() => ID, { description: 'Deletes a conversation with its messages for good. Returns its id.' })
  @RequiresScope('CONVERSATIONS')
  conversationDelete(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return deleteConversation(ctx, id)
  }

  @Mutation(() => Int, { description: 'Deletes all conversations of the caller for good. Returns their number.' })
  @RequiresScope('CONVERSATIONS')
  conversationDeleteAll(@Ctx() ctx: RequestContext) {
    return deleteConversations(ctx)
  }

  @Mutation(() => ConversationMessage, {
    description:
      'Answers a message, and returns the answer when it is complete. The message and the answer are stored together, or neither. The assistant reads with the rights of the caller and changes nothing; a language model may propose a change, which the caller confirms by proposalConfirm. CONVERSATION_BUSY while another message of the conversation is answered; INVALID_STATE after 500 messages; TOKEN_LIMIT_REACHED or MODEL_RATE_LIMITED at the limits of models; UNAVAILABLE while the model does not answer; MODEL_FAILED if its answer cannot be used.',
  })
  @RequiresScope('CONVERSATIONS')
  @Limits({ deadlineMs: answerMs + 5_000 })
  conversationSend(
    @IdArg() id: string,
    @InputArg(() => ConversationMessageInput) input: ConversationMessageInput,
    @Ctx() ctx: Sending,
  ) {
    return sendMessage(ctx, id, input)
  }

  @Mutation(() => ConversationMessage, { description: 'Says whether an answer helped.' })
  @RequiresScope('CONVERSATIONS')
  conversationMessageFeedback(
    @IdArg() id: string,
    @MessageArg() messageId: string,
    @FeedbackArg() feedback: MessageFeedback | null,
    @Ctx() ctx: RequestContext,
  ) {
    return giveFeedback(ctx, { id, messageId, feedback: feedback ?? null })
  }

  @Mutation(() => ExtractedMetadata, {
    description:
      'Finds artifacts and names of companies in a text. The language model looks for companies if one is configured and answers; otherwise rules do. Nothing is stored.',
  })
  @RequiresScope('CONVERSATIONS')
  conversationMetadataExtract(
    @InputArg(() => MetadataExtractInput) { content }: MetadataExtractInput,
    @Ctx() ctx: Sending,
  ) {
    return extractMetadata(ctx, content)
  }
}

export const conversationResource: Resource = {
  resolver: ConversationResolver,
  migrations: [conversationTables, sightOfAnswers],
  names: [
    namingColumn({
      object: 'conversation',
      field: 'recordId',
      table: 'assistant.conversation',
      id: 'record_id',
      idType: 'text',
      kind: 'lower(record_type)',
    }),
  ],
  operations: [
    operation('GET /v1/conversations', 'conversationList', {
      summary: 'List conversations',
      answers: 'The conversations of the caller.',
    }),
    operation('POST /v1/conversations', 'conversationCreate', {
      summary: 'Begin a conversation',
      status: 201,
      hasLocation: true,
      answers: 'The new conversation.',
      refusals: [409],
    }),
    operation('DELETE /v1/conversations', 'conversationDeleteAll', {
      summary: 'Delete all conversations',
      status: 204,
    }),
    operation('GET /v1/conversations/{id}', 'conversation', {
      summary: 'Read a conversation',
      answers: 'The conversation with its messages.',
    }),
    operation('PATCH /v1/conversations/{id}', 'conversationUpdate', {
      summary: 'Change a conversation',
      answers: 'The conversation as changed.',
    }),
    operation('DELETE /v1/conversations/{id}', 'conversationDelete', { summary: 'Delete a conversation', status: 204 }),
    operation('POST /v1/conversations/{id}/messages', 'conversationSend', {
      summary: 'Send a message',
      status: 201,
      answers: 'The answer of the assistant.',
      refusals: [409, 502],
      example: { content: 'How many cases are open?', mode: 'local' },
    }),
    operation('POST /v1/conversations/{id}/messages/{messageId}/feedback', 'conversationMessageFeedback', {
      summary: 'Give feedback on an answer',
      answers: 'The answer with the feedback.',
    }),
    operation('POST /v1/conversations/extract-metadata', 'conversationMetadataExtract', {
      summary: 'Extract artifacts and companies from a text',
      answers: 'What was found.',
    }),
    operation('GET /v1/conversations/stats/optimizer', 'assistantStats', {
      summary: 'Read statistics of answers',
      answers: 'The statistics.',
    }),
  ],
}

import { ArgsType, InputType, Int } from 'type-graphql'
import { InputField } from '../../kernel/record/declared-value.ts'
import { contentMax, titleMax } from './bounds.ts'
import { AssistantMode } from './conversation.enumerations.ts'

@InputType({ description: 'The record that a conversation is about.' })
export class ConversationMetadataInput {
  @InputField(() => String, {
    nullable: true,
    max: 100,
    description: 'Id of the record.',
    example: '019a0c5e-7f00-7b20-8f34-2d9be1c07a66',
  })
  recordId?: string | null

  @InputField(() => String, { nullable: true, max: 100, description: 'Type of the record.', example: 'ACCOUNT' })
  recordType?: string | null
}

@InputType({ description: 'A conversation to begin.' })
export class ConversationCreateInput {
  @InputField(() => String, {
    nullable: true,
    max: titleMax,
    description: 'Its title; null: the beginning of the first message.',
    example: 'Open deals',
  })
  title?: string | null

  @InputField(() => ConversationMetadataInput, { nullable: true, description: 'What it is about.' })
  metadata?: ConversationMetadataInput | null
}

@InputType({ description: 'What to change in a conversation; what is absent stays.' })
export class ConversationUpdateInput {
  @InputField(() => String, {
    nullable: true,
    max: titleMax,
    description: 'Its title; null: none.',
    example: 'Open deals',
  })
  title?: string | null

  @InputField(() => Boolean, { nullable: true, description: 'Whether it is put away; null: as it is.', example: true })
  isArchived?: boolean | null

  @InputField(() => ConversationMetadataInput, { nullable: true, description: 'What it is about; null: nothing.' })
  metadata?: ConversationMetadataInput | null
}

@InputType({
  description:
    'Where in an application a message is written. It only helps to understand the message and gives no rights.',
})
export class ConversationContextInput {
  @InputField(() => String, { nullable: true, max: 500, description: 'Route of the page.', example: '/accounts' })
  route?: string | null

  @InputField(() => String, {
    nullable: true,
    max: 100,
    description: 'Type of the record that is shown.',
    example: 'ACCOUNT',
  })
  entityType?: string | null

  @InputField(() => String, {
    nullable: true,
    max: 100,
    description: 'Id of the record that is shown.',
    example: '019a0c5e-7f00-7b20-8f34-2d9be1c07a66',
  })
  entityId?: string | null

  @InputField(() => String, {
    nullable: true,
    max: 255,
    description: 'Name of the record that is shown.',
    example: 'Halvorsen Marine AS',
  })
  entityName?: string | null
}

@InputType({ description: 'A message to the assistant.' })
export class ConversationMessageInput {
  @InputField(() => String, {
    max: contentMax,
    filled: true,
    description: 'The question.',
    example: 'How many deals are open?',
  })
  content!: string

  @InputField(() => AssistantMode, {
    nullable: true,
    description:
      'Who answers. Null: `model` if one is configured and the organization has not switched it off, otherwise `local`. MODE_NOT_CONFIGURED if it has no provider, MODE_DISABLED if the organization has switched it off.',
    example: 'local',
  })
  mode?: AssistantMode | null

  @InputField(() => ConversationContextInput, { nullable: true, description: 'Where the user writes it.' })
  context?: ConversationContextInput | null
}

@ArgsType()
export class ConversationListArgs {
  @InputField(() => Boolean, {
    nullable: true,
    description: 'Only conversations that are, or are not, put away. An addition to the specification.',
  })
  isArchived?: boolean | null

  @InputField(() => Int, {
    minimum: 1,
    maximum: 100,
    default: 100,
    description: 'Number of conversations. An addition to the specification.',
  })
  limit!: number

  @InputField(() => Int, {
    minimum: 1,
    maximum: 1_000,
    default: 1,
    description: 'Number of the page, from 1. An addition to the specification.',
  })
  page!: number
}

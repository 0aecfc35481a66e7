import { ArgsType, ID, Int, ObjectType } from 'type-graphql'
import { ConversationCitation } from '../conversation/conversation.types.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'

const recordId = '019a0c5e-7f00-7b20-8f34-2d9be1c07a66'

export const ProposalStatus = enumeration('ProposalStatus', 'What became of a proposal.', {
  PENDING: 'It waits for its user.',
  CONFIRMED: 'The user has confirmed it, and the change is made.',
  REJECTED: 'The user has rejected it; nothing was changed.',
  EXPIRED: 'Nobody has confirmed it within an hour; nothing was changed.',
  STALE: 'The record was changed after it was proposed, so nothing was changed.',
  FAILED:
    'The change was refused, so nothing was changed, or the custom action failed and may have had its effect; `errorCode` and `errorMessage` say why.',
})
export type ProposalStatus = keyof typeof ProposalStatus

@ObjectType({
  description:
    'A change of one record, or a run of a custom action, that a language model or another client proposes. It is made only if its user confirms it.',
})
@RequiresScope('CONVERSATIONS')
export class Proposal {
  @OutputField(() => ID, { description: 'Id of the proposal.', example: '019a0c5e-7f00-7e21-9a31-5c1f7d3b9e04' })
  id!: string

  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the conversation in which it was made; null if another client made it.',
    example: null,
  })
  conversationId!: string | null

  @OutputField(() => String, {
    description:
      'The mutation that a confirmation performs: the creation or the update of one record, or `customActionExecute`.',
    example: 'opportunityUpdate',
  })
  mutation!: string

  @OutputField(() => String, {
    description: 'Type of the record; CUSTOM_ACTION for a run of an action.',
    example: 'OPPORTUNITY',
  })
  entityType!: string

  @OutputField(() => ID, {
    description: 'Id of the record that it changes, or that the new record gets; of the custom action that it runs.',
    example: recordId,
  })
  recordId!: string

  @OutputField(() => Json, {
    description: 'The `input` of the mutation: the fields that are set; of a custom action `{recordId, input}`.',
    example: { nextStep: 'Send the revised offer' },
  })
  input!: unknown

  @OutputField(() => String, {
    description: 'The change in words, without the name of the record where `before` is not shown.',
    example: 'Update opportunity Halvorsen renewal: nextStep',
  })
  summary!: string

  @OutputField(() => Json, {
    nullable: true,
    description:
      'The values of these fields when it was proposed, without fields that consist of parts; null for a new record, if the user sees something else than then, and for a credential without the READ scope of the record type.',
    example: { nextStep: null },
  })
  before!: unknown

  @OutputField(() => Int, {
    nullable: true,
    description:
      'The version of the record, or of the custom action, that was read. Another one makes the proposal STALE. Null for a new record.',
    example: 3,
  })
  expectedVersion!: number | null

  @OutputField(() => ConversationCitation, {
    list: true,
    maxItems: 20,
    description:
      'Records whose texts the language model had read when it made the proposal, of the types that the credential may read.',
  })
  influencedBy!: ConversationCitation[]

  @OutputField(() => ProposalStatus, { description: 'What became of it.', example: 'PENDING' })
  status!: ProposalStatus

  @OutputField(() => String, {
    nullable: true,
    description:
      'Why it is STALE or FAILED, as a code of errors; of a custom action also a `CustomActionFailure`, or INTERRUPTED if the process ended while an action ran that must not be repeated. Null otherwise.',
    example: null,
  })
  errorCode!: string | null

  @OutputField(() => String, { nullable: true, description: 'The same in words; null otherwise.', example: null })
  errorMessage!: string | null

  @OutputField(() => Json, {
    nullable: true,
    description:
      'What the custom action has returned, if it has at most 15000 bytes as JSON; null before, for other proposals, if the user sees less than when it was proposed, and for a credential without INVOKE_FUNCTIONS.',
    example: null,
  })
  output!: unknown

  @OutputField(() => DateTime, { description: 'When it was proposed.', example: '2027-02-01T09:00:00.000Z' })
  createdAt!: string

  @OutputField(() => DateTime, {
    description: 'Until when it can be confirmed: one hour.',
    example: '2027-02-01T10:00:00.000Z',
  })
  expiresAt!: string

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'When it was confirmed or rejected; null before.',
    example: null,
  })
  decidedAt!: string | null
}

@ArgsType()
export class ProposalListArgs {
  @InputField(() => ProposalStatus, { nullable: true, description: 'Only proposals with this status.' })
  status?: ProposalStatus | null

  @InputField(() => Int, { minimum: 1, maximum: 100, default: 100, description: 'Number of proposals.' })
  limit!: number

  @InputField(() => Int, { minimum: 1, maximum: 1_000, default: 1, description: 'Number of the page, from 1.' })
  page!: number
}

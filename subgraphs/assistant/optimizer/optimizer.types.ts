import { Float, Int, ObjectType } from 'type-graphql'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { AssistantMode } from '../conversation/conversation.enumerations.ts'

@ObjectType({ description: 'Answers of one mode.' })
@RequiresScope('CONVERSATIONS')
export class OptimizerMode {
  @OutputField(() => AssistantMode, { description: 'Who answered.', example: 'local' })
  mode!: AssistantMode

  @OutputField(() => Int, { description: 'Number of answers.', example: 42 })
  answers!: number

  @OutputField(() => Int, { description: 'How many of them failed.', example: 1 })
  failed!: number

  @OutputField(() => Int, { description: 'How many of them were left by the client.', example: 2 })
  cancelled!: number

  @OutputField(() => Int, {
    nullable: true,
    description: 'Median of the milliseconds of complete answers; null without one.',
    example: 38,
  })
  p50Ms!: number | null

  @OutputField(() => Int, {
    nullable: true,
    description: 'Milliseconds within which 95 % of the complete answers ended; null without one.',
    example: 95,
  })
  p95Ms!: number | null

  @OutputField(() => Int, {
    nullable: true,
    description: 'Median of the milliseconds until the first text; null without one.',
    example: 36,
  })
  firstTokenMs!: number | null

  @OutputField(() => Float, { description: 'Tokens that were sent to models.', example: 0 })
  inputTokens!: number

  @OutputField(() => Float, { description: 'Tokens that models wrote.', example: 0 })
  outputTokens!: number
}

@ObjectType({ description: 'How often something happened.' })
@RequiresScope('CONVERSATIONS')
export class OptimizerCount {
  @OutputField(() => String, { description: 'What happened: a code, or a word.', example: 'UNAVAILABLE' })
  name!: string

  @OutputField(() => Int, { description: 'How often.', example: 3 })
  count!: number
}

@ObjectType({ description: 'What users thought of the answers.' })
@RequiresScope('CONVERSATIONS')
export class OptimizerFeedback {
  @OutputField(() => Int, { description: 'Answers that helped.', example: 12 })
  up!: number

  @OutputField(() => Int, { description: 'Answers that did not help.', example: 2 })
  down!: number
}

@ObjectType({
  description:
    'Statistics of answers of the last 30 days, without their content. Tokens are counted, and not what they cost: prices differ by provider and contract.',
})
@RequiresScope('CONVERSATIONS')
export class AssistantStats {
  @OutputField(() => String, {
    description: 'Whose answers they are: OWN, or ORGANIZATION for owners and admins.',
    example: 'OWN',
  })
  scope!: string

  @OutputField(() => Int, { description: 'Number of answers.', example: 42 })
  answers!: number

  @OutputField(() => OptimizerMode, { list: true, description: 'The answers of each mode.' })
  modes!: OptimizerMode[]

  @OutputField(() => Int, { description: 'Calls of tools.', example: 40 })
  toolCalls!: number

  @OutputField(() => Int, { description: 'Calls of tools that failed.', example: 1 })
  toolFailures!: number

  @OutputField(() => OptimizerCount, { list: true, description: 'Why answers failed, the most frequent codes first.' })
  errors!: OptimizerCount[]

  @OutputField(() => OptimizerCount, {
    list: true,
    maxItems: 20,
    description:
      'Words that the mode `local` did not understand, the most frequent of the own questions first, at most 20.',
  })
  notUnderstood!: OptimizerCount[]

  @OutputField(() => OptimizerFeedback, { description: 'What users thought.' })
  feedback!: OptimizerFeedback
}

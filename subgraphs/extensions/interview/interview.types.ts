import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { pageRequiring } from '../../kernel/record/inputs.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { memberScope } from '../../kernel/scopes.ts'
import { optionsMax, screenFieldsMax } from '../flow/bounds.ts'
import { FlowComponentType, FlowInterviewStatus } from './interview.enumerations.ts'

const anId = '019a0c61-3c10-7d52-b7a9-0f4e6c1d2b11'
const aTime = '2026-11-02T08:15:00.000Z'

/** A value that a user can choose, and what to show for it. */
interface FlowScreenOption {
  readonly value: string
  readonly label: string
}

@ObjectType({ description: 'A field of a screen, as a front end draws it.' })
@RequiresScopes(memberScope)
export class FlowScreenField {
  @OutputField(() => String, { description: 'Its name in `values`.', example: 'company' })
  name!: string

  @OutputField(() => String, { description: 'What to show for it.', example: 'Company' })
  label!: string

  @OutputField(() => FlowComponentType, { description: 'How it asks for its value.', example: 'TEXT' })
  type!: FlowComponentType

  @OutputField(() => Boolean, { description: 'True if it must have a value.', example: true })
  required!: boolean

  @OutputField(() => String, { nullable: true, description: 'Help for the user; null if none.', example: null })
  helpText!: string | null

  // Objects of a type of their own would make a page of interviews too costly.
  @OutputField(() => Json, {
    list: true,
    maxItems: optionsMax,
    description:
      'What can be chosen, as objects of `value`, which is sent, and `label`, which is shown; empty for other types than PICKLIST and MULTI_PICKLIST.',
    example: [{ value: 'TRADE', label: 'Trade' }],
  })
  options!: readonly FlowScreenOption[]

  @OutputField(() => Json, { nullable: true, description: 'NUMBER: the smallest value; null: any.', example: null })
  minimum!: unknown

  @OutputField(() => Json, { nullable: true, description: 'NUMBER: the greatest value; null: any.', example: null })
  maximum!: unknown

  @OutputField(() => Int, {
    nullable: true,
    description: 'TEXT and TEXTAREA: how many characters it may have; null: as many as the type.',
    example: null,
  })
  maxLength!: number | null

  @OutputField(() => String, {
    nullable: true,
    description: 'LOOKUP: the record type, such as `ACCOUNT`; otherwise null.',
    example: null,
  })
  object!: string | null

  @OutputField(() => Json, {
    nullable: true,
    description: 'Its value at first: the default, or what the user had entered before going back; null without one.',
    example: null,
  })
  value!: unknown

  @OutputField(() => String, {
    nullable: true,
    description:
      'What is wrong with the value that was sent, in the `screen` of the refusal VALIDATION_FAILED; otherwise null.',
    example: null,
  })
  error!: string | null
}

@ObjectType({ description: 'What an interview asks its user, with all that a front end needs to draw it.' })
@RequiresScopes(memberScope)
export class FlowScreen {
  @OutputField(() => String, { description: 'Its title.', example: 'New account' })
  title!: string

  @OutputField(() => String, { nullable: true, description: 'Help for the user; null if none.', example: null })
  help!: string | null

  @OutputField(() => Boolean, { description: 'True if the interview can be paused here.', example: true })
  allowPause!: boolean

  @OutputField(() => FlowScreenField, {
    list: true,
    maxItems: screenFieldsMax,
    description: 'Its fields, in their order.',
  })
  fields!: FlowScreenField[]
}

@ObjectType({ description: 'Why an interview has failed.' })
@RequiresScopes(memberScope)
export class FlowInterviewError {
  @OutputField(() => String, {
    description:
      'The code of the refusal that an element got, such as PERMISSION_DENIED or API_KEY_SCOPE_INSUFFICIENT, or: NO_RECORD, NOT_FOUND, WRONG_TYPE, WRONG_VALUE, OUT_OF_RANGE, TOO_MANY, TOO_DEEP, FLOW_RECURSION, SCREEN_NOT_ALLOWED, OUTPUT_TOO_LARGE, STATE_TOO_LARGE, STEP_LIMIT_REACHED (5,000 elements), USER_INACTIVE, INTERRUPTED, a code of a template or of an action.',
    example: 'API_KEY_SCOPE_INSUFFICIENT',
  })
  code!: string

  @OutputField(() => String, {
    description: 'The reason in words.',
    example: 'The API key lacks the scope WRITE_ACCOUNTS.',
  })
  message!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'Name of the element; null if none has failed.',
    example: 'create',
  })
  element!: string | null
}

@ObjectType({
  description:
    'A run of a flow for a user. Only its user gets what it asks and has found, with a key or app only if that has the scopes of all elements that have run; owners and admins see that it exists. Interviews are kept for 30 days after their end.',
})
@RequiresScopes(memberScope)
export class FlowInterview {
  @OutputField(() => ID, { description: 'Id of the interview.', example: anId })
  id!: string

  @NamesRecord('flow')
  @OutputField(() => ID, { description: 'Id of the flow.', example: '019a0c5e-7f00-7b11-9c44-5e8d2a7f1c12' })
  flowId!: string

  @OutputField(() => String, { description: '`apiName` of the flow.', example: 'new_account' })
  flowApiName!: string

  @OutputField(() => Int, { description: 'Number of the version of the flow that it executes.', example: 1 })
  flowVersion!: number

  @OutputField(() => FlowInterviewStatus, { description: 'How far it has come.', example: 'WAITING_FOR_INPUT' })
  status!: FlowInterviewStatus

  @OutputField(() => String, {
    nullable: true,
    description: 'Name of the element at which it is; null when it has ended, unless that element has failed.',
    example: 'ask',
  })
  currentElement!: string | null

  @OutputField(() => FlowScreen, {
    nullable: true,
    description: 'WAITING_FOR_INPUT: what it asks; otherwise null, and for others than its user.',
  })
  screen!: FlowScreen | null

  @OutputField(() => Json, {
    nullable: true,
    description: 'The values of its variables by name; null for others than its user.',
    example: { source: 'fair' },
  })
  variables!: unknown

  @OutputField(() => Json, {
    nullable: true,
    description: 'COMPLETED: the values of the output variables by name; otherwise null, and for others than its user.',
    example: null,
  })
  outputs!: unknown

  @OutputField(() => Boolean, { description: 'True if its user can go back to a screen before.', example: false })
  canGoBack!: boolean

  @OutputField(() => FlowInterviewError, { nullable: true, description: 'FAILED: why; otherwise null.' })
  error!: FlowInterviewError | null

  @NamesRecord('user')
  @OutputField(() => ID, {
    description: 'Id of the user who started it, as whom it acts.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  })
  startedById!: string

  @OutputField(() => Int, {
    description: 'Its version, which `next` and `back` must name: 1 at the start, increased by 1 with each step.',
    example: 1,
  })
  version!: number

  @OutputField(() => DateTime, { description: 'When it was started.', example: aTime })
  createdAt!: string

  @OutputField(() => DateTime, { description: 'When it last went on.', example: aTime })
  updatedAt!: string

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'RUNNING: the end of a WAIT; null if it goes on at once, and otherwise.',
    example: null,
  })
  resumesAt!: string | null

  @OutputField(() => DateTime, {
    description: 'When it expires unless it goes on or ends before: 7 days after the last step or the end of a WAIT.',
    example: '2026-11-09T08:15:00.000Z',
  })
  expiresAt!: string

  @OutputField(() => DateTime, { nullable: true, description: 'When it ended; null before.', example: null })
  endedAt!: string | null
}

export const FlowInterviewPage = pageRequiring('FlowInterviewPage', FlowInterview as never, memberScope)

@ArgsType()
export class FlowInterviewListArgs extends NewestFirstArgs {
  @Field(() => ID, { nullable: true, description: 'Only interviews of this flow; null: all.' })
  flowId?: string | null

  @Field(() => FlowInterviewStatus, { nullable: true, description: 'Only interviews with this status; null: all.' })
  status?: FlowInterviewStatus | null

  @Field(() => ID, { nullable: true, description: 'Only interviews that this user has started; null: all.' })
  startedById?: string | null
}

@InputType({ description: 'What an interview is started with.' })
export class FlowInterviewStartInput {
  @InputField(() => Json, {
    nullable: true,
    description:
      'Values of the input variables of the flow by name, at most 65,536 characters as JSON; null for none. A variable without a value has its default.',
    example: { source: 'fair' },
  })
  inputs?: unknown
}

@InputType({ description: 'What a user has entered.' })
export class FlowInterviewNextInput {
  @InputField(() => Int, {
    minimum: 1,
    description:
      'The `version` of the interview whose screen was answered. Another one is refused with VERSION_CONFLICT.',
    example: 1,
  })
  version!: number

  @InputField(() => Json, {
    nullable: true,
    description: 'Values of the fields of the screen by name, at most 65,536 characters as JSON; null for none.',
    example: { company: 'Nordwind GmbH' },
  })
  values?: unknown
}

@InputType({ description: 'From where a user goes back.' })
export class FlowInterviewBackInput {
  @InputField(() => Int, {
    minimum: 1,
    description: 'The `version` of the interview. Another one is refused with VERSION_CONFLICT.',
    example: 1,
  })
  version!: number
}

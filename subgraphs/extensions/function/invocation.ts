import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { pageRequiring } from '../../kernel/record/inputs.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { InvocationStatus, InvocationTrigger, LogLevel } from './function.enumerations.ts'
import { NewestFirstArgs } from '../../kernel/record/newest-first.ts'

@ObjectType({ description: 'An error that ended an invocation of a function.' })
export class FunctionError {
  @OutputField(() => String, { description: 'Name of the error.', example: 'TypeError' })
  name!: string

  @OutputField(() => String, {
    description: 'What it says. Values of secrets are replaced.',
    example: "Cannot read properties of undefined (reading 'includes')",
  })
  message!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'Where it was thrown, by lines and columns of the source; null if that is not known.',
    example: '    at default (index.ts:1:70)',
  })
  stack!: string | null
}

@ObjectType({ description: 'A line that a function wrote to its log.' })
export class FunctionLogLine {
  @OutputField(() => DateTime, { description: 'When it was written.', example: '2026-11-02T08:15:00.012Z' })
  at!: string

  @Field(() => LogLevel, { simple: true, description: 'How important it is.' })
  level!: LogLevel

  @OutputField(() => String, { description: 'The line. Values of secrets are replaced.', example: 'score 90' })
  text!: string
}

@ObjectType()
abstract class InvocationParts {
  @OutputField(() => ID, { description: 'Id of the invocation.', example: '019a0c61-3c10-7d52-b7a9-0f4e6c1d2a83' })
  id!: string

  @NamesRecord('serverless_function')
  @OutputField(() => ID, { description: 'Id of the function.', example: '019a0c5e-7f00-7e52-9b13-4d7c2a9e6f05' })
  functionId!: string

  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the version that ran; null for a source that was not saved.',
    example: '019a0c5e-7f00-7f10-8a44-3b6d1e8c2f07',
  })
  versionId!: string | null

  @OutputField(() => InvocationTrigger, { description: 'What started it.', example: 'HTTP' })
  trigger!: InvocationTrigger

  @OutputField(() => InvocationStatus, { description: 'How it ended.', example: 'SUCCEEDED' })
  status!: InvocationStatus

  @OutputField(() => FunctionError, {
    nullable: true,
    description: 'The error that ended it; null if it succeeded.',
  })
  error!: FunctionError | null

  @OutputField(() => Int, {
    description: 'How many lines of its log were left out, because it wrote more than 1,000 or 64 KB.',
    example: 0,
  })
  droppedLogs!: number

  @OutputField(() => Int, {
    description: 'How many automations have started one another up to this one: 0 for a call by a client.',
    example: 0,
  })
  depth!: number

  @OutputField(() => Int, {
    description:
      'How many invocations this entry stands for. THROTTLED ones of a second have one entry, every other invocation its own.',
    example: 1,
  })
  count!: number

  @OutputField(() => String, {
    nullable: true,
    description: 'Id of the event that started it, `evt_...`; null if none did.',
    example: null,
  })
  eventId!: string | null

  @OutputField(() => Int, { description: 'Milliseconds from its start to its end.', example: 12 })
  durationMs!: number

  @OutputField(() => Int, { description: 'Milliseconds of CPU that it used.', example: 3 })
  cpuMs!: number

  @OutputField(() => Int, { description: 'Megabytes of memory that it used at most.', example: 9 })
  memoryMb!: number

  @OutputField(() => DateTime, { description: 'When it started.', example: '2026-11-02T08:15:00.000Z' })
  startedAt!: string
}

@ObjectType({ description: 'An invocation of a function, without its input, output and log. It is kept for 30 days.' })
@RequiresScope('FUNCTIONS')
export class ServerlessFunctionInvocationSummary extends InvocationParts {}

@ObjectType({ description: 'An invocation of a function. It is kept for 30 days.' })
@RequiresScope('FUNCTIONS')
export class ServerlessFunctionInvocation extends InvocationParts {
  @OutputField(() => Json, {
    nullable: true,
    description: 'What the handler got. Values of secrets are replaced.',
    example: { title: 'Chief Engineer' },
  })
  input!: unknown

  @OutputField(() => Json, {
    nullable: true,
    description:
      'What the handler returned, nested at most 64 levels deep; null unless it succeeded. Values of secrets are replaced.',
    example: { score: 90 },
  })
  output!: unknown

  @OutputField(() => FunctionLogLine, {
    list: true,
    maxItems: 1_000,
    description: 'What it wrote to its log, in order.',
  })
  logs!: FunctionLogLine[]
}

export const ServerlessFunctionInvocationPage = pageRequiring(
  'ServerlessFunctionInvocationPage',
  ServerlessFunctionInvocationSummary,
  'READ_FUNCTIONS',
)

@ObjectType({ description: 'What an invocation of a function answers.' })
@RequiresScopes('INVOKE_FUNCTIONS')
export class ServerlessFunctionInvokeResult {
  @OutputField(() => ID, {
    description: 'Id of the invocation, by which the log has it.',
    example: '019a0c61-3c10-7d52-b7a9-0f4e6c1d2a83',
  })
  invocationId!: string

  @Field(() => InvocationStatus, { simple: true, description: 'How it ended. THROTTLED is a refusal instead.' })
  status!: InvocationStatus

  @OutputField(() => Json, {
    nullable: true,
    description: 'What the handler returned, nested at most 64 levels deep; null unless it succeeded.',
    example: { score: 90 },
  })
  output!: unknown

  @OutputField(() => FunctionError, { nullable: true, description: 'The error that ended it; null if it succeeded.' })
  error!: FunctionError | null

  @OutputField(() => Int, { description: 'Milliseconds from its start to its end.', example: 12 })
  durationMs!: number
}

@ArgsType()
export class InvocationListArgs extends NewestFirstArgs {
  @Field(() => InvocationStatus, { nullable: true, description: 'Only invocations that ended so; null: all.' })
  status?: InvocationStatus | null

  @Field(() => InvocationTrigger, { nullable: true, description: 'Only invocations that this started; null: all.' })
  trigger?: InvocationTrigger | null
}

import { Arg, Args, Ctx, Field, ID, Info, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import { depthHeader } from '../../kernel/automation/depth.ts'
import { InputField, OutputField, ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { Limits } from '../../kernel/subgraph/limits.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { sourceMax } from './bounds.ts'
import { functionFailures } from './failure.events.ts'
import type { FunctionContext } from './function.context.ts'
import { FunctionLanguage, InvocationStatus } from './function.enumerations.ts'
import { FunctionArg } from './function.inputs.ts'
import { functionRoles } from './function.resolver.ts'
import { invokeFunction, readInvocation, readInvocations, testFunction } from './invocation.actions.ts'
import { invocationJobs } from './invocation.jobs.ts'
import { invocationRunAs, invocationTable } from './invocation.migrations.ts'
import {
  FunctionError,
  FunctionLogLine,
  InvocationListArgs,
  ServerlessFunctionInvocation,
  ServerlessFunctionInvocationPage,
  ServerlessFunctionInvokeResult,
} from './invocation.ts'

/** A function waits up to 30 s for its turn, and runs up to 30 s. */
const deadlineMs = 65_000

const inputText = 'What the handler gets: an object with at most 262,144 bytes as JSON; null for an empty object.'

@InputType({ description: 'What an invocation of a function gets.' })
class ServerlessFunctionInvokeInput {
  @InputField(() => Json, { nullable: true, description: inputText, example: { title: 'Chief Engineer' } })
  input?: unknown
}

@InputType({ description: 'A test run of a function.' })
class ServerlessFunctionTestInput {
  @InputField(() => Json, { nullable: true, description: inputText, example: { title: 'Chief Engineer' } })
  input?: unknown

  @InputField(() => String, {
    nullable: true,
    max: sourceMax,
    filled: true,
    description: 'A source that is not saved, to run; null for a version. Not together with `versionId`.',
    example: 'export default (input) => { console.log(input.title); return { characters: input.title.length } }',
  })
  source?: string | null

  @Field(() => FunctionLanguage, {
    nullable: true,
    description: 'Language of `source`; null for that of the function.',
  })
  language?: FunctionLanguage | null

  @InputField(() => ID, {
    nullable: true,
    description: 'Id of the version to run; null for the one that is deployed.',
    example: null,
  })
  versionId?: string | null
}

@ObjectType({ description: 'What a test run of a function did.' })
@RequiresScope('FUNCTIONS')
class ServerlessFunctionTestResult {
  @OutputField(() => ID, {
    description: 'Id of the invocation, by which the log has it.',
    example: '019a0c61-3c10-7d52-b7a9-0f4e6c1d2a83',
  })
  invocationId!: string

  @Field(() => InvocationStatus, { simple: true, description: 'How it ended. THROTTLED is a refusal instead.' })
  status!: InvocationStatus

  @OutputField(() => Json, {
    nullable: true,
    description:
      'What the handler returned, nested at most 64 levels deep; null unless it succeeded. Values of secrets are replaced.',
    example: { characters: 14 },
  })
  output!: unknown

  @OutputField(() => FunctionError, { nullable: true, description: 'The error that ended it; null if it succeeded.' })
  error!: FunctionError | null

  @OutputField(() => FunctionLogLine, { list: true, maxItems: 1_000, description: 'What it wrote to its log.' })
  logs!: FunctionLogLine[]

  @OutputField(() => Int, { description: 'How many lines of its log were left out.', example: 0 })
  droppedLogs!: number

  @OutputField(() => Int, { description: 'Milliseconds from its start to its end.', example: 12 })
  durationMs!: number

  @OutputField(() => Int, { description: 'Milliseconds of CPU that it used.', example: 3 })
  cpuMs!: number

  @OutputField(() => Int, { description: 'Megabytes of memory that it used at most.', example: 9 })
  memoryMb!: number
}

const throttled =
  'FUNCTION_THROTTLED if the functions of the organization have run 600 times or used 60 s of CPU within a minute, or too many of them wait.'

@Resolver(() => ServerlessFunctionInvocation)
export class FunctionInvocationResolver {
  @Query(() => ServerlessFunctionInvocationPage, {
    description:
      'The invocations of a function in the last 30 days, newest first, without inputs, outputs and logs. `error` is without its text for callers who do not see all records and fields, unless it acted as them. `total` and `totalPages` are null if there are more than 10,000. For owners and admins.',
  })
  @RequiresScopes('READ_FUNCTIONS')
  serverlessFunctionInvocationList(
    @FunctionArg() id: string,
    @Args(() => InvocationListArgs) args: InvocationListArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readInvocations(ctx, id, args, info)
  }

  @Query(() => ServerlessFunctionInvocation, {
    nullable: true,
    description:
      'One invocation of a function with its input, output and log, for 30 days. Callers who do not see all records and fields get them, and the text of its error, only of invocations that acted as them. For owners and admins.',
  })
  @RequiresScopes('READ_FUNCTIONS')
  serverlessFunctionInvocation(
    @FunctionArg() id: string,
    @ValueArg('invocationId', () => ID, { description: 'Id of the invocation.' }) invocationId: string,
    @Ctx() ctx: RequestContext,
  ) {
    return readInvocation(ctx, id, invocationId)
  }

  @Mutation(() => ServerlessFunctionTestResult, {
    description: `Runs a function with a sample input, also one that is turned off, and answers its log: the deployed version, another version, or a source that is not saved. What it writes and sends is real. ${throttled} For owners and admins; a function that acts as an owner only for owners.`,
  })
  @RequiresScope('FUNCTIONS')
  @Limits({ bodyBytes: 2_097_152, deadlineMs })
  serverlessFunctionTest(
    @FunctionArg() id: string,
    @Arg('input', () => ServerlessFunctionTestInput, {
      nullable: true,
      description: 'What is run; null for the deployed version with an empty input.',
    })
    input: ServerlessFunctionTestInput | null,
    @Ctx() ctx: FunctionContext,
  ) {
    return testFunction(ctx, id, input ?? {})
  }

  @Mutation(() => ServerlessFunctionInvokeResult, {
    description: `Runs the deployed version of a function and waits for its end. \`status\` says how it ended: a function that fails is no error of the operation. NOT_FOUND unless \`httpEnabled\`, INVALID_STATE while it is turned off or has no version, DEPTH_EXCEEDED beyond a depth of 5. ${throttled}`,
  })
  @RequiresScopes('INVOKE_FUNCTIONS')
  @Limits({ deadlineMs })
  serverlessFunctionInvoke(
    @FunctionArg() id: string,
    @ValueArg('depth', () => Int, {
      minimum: 0,
      description:
        'How many functions have called one another up to this call: 0 for a client. The platform adds it to every request that a function sends.',
      example: 0,
    })
    depth: number,
    @Arg('input', () => ServerlessFunctionInvokeInput, {
      nullable: true,
      description: 'What it gets; null for an empty input.',
    })
    input: ServerlessFunctionInvokeInput | null,
    @Ctx() ctx: FunctionContext,
  ) {
    return invokeFunction(ctx, id, depth, input?.input)
  }
}

export const functionInvocationResource: Resource = {
  resolver: FunctionInvocationResolver,
  announces: [functionFailures],
  migrations: [invocationTable, invocationRunAs],
  jobs: invocationJobs,
  operations: [
    operation('POST /v1/functions/{id}/test', 'serverlessFunctionTest', {
      summary: 'Test a function',
      answers: 'What the run did.',
      roles: functionRoles,
      example: {
        input: { title: 'Chief Engineer' },
        source: 'export default (input) => { console.log(input.title); return { characters: input.title.length } }',
        language: 'javascript',
      },
    }),
    operation('POST /v1/functions/{id}/invoke', 'serverlessFunctionInvoke', {
      summary: 'Invoke a function',
      answers: 'What the function answered.',
      headers: { [depthHeader]: 'depth' },
      refusals: [422],
    }),
    operation('GET /v1/functions/{id}/invocations', 'serverlessFunctionInvocationList', {
      summary: 'List the invocations of a function',
      answers: 'The invocations, newest first, without inputs, outputs and logs.',
      roles: functionRoles,
    }),
    operation('GET /v1/functions/{id}/invocations/{invocationId}', 'serverlessFunctionInvocation', {
      summary: 'Get an invocation of a function',
      answers: 'The invocation with its input, output and log.',
      roles: functionRoles,
    }),
  ],
}

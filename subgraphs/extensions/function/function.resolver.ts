import { Ctx, Info, Mutation, Query, Resolver } from 'type-graphql'
import { ExpectedVersionArg, InputArg } from '../../kernel/record/args.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { Limits } from '../../kernel/subgraph/limits.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { functionComponent } from './function.component.ts'
import { functionsMax } from './bounds.ts'
import { createFunction, deleteFunction, readFunction, readFunctions, updateFunction } from './function.actions.ts'
import type { FunctionContext } from './function.context.ts'
import {
  FunctionArg,
  ServerlessFunctionCreateInput,
  ServerlessFunctionDeletion,
  ServerlessFunctionUpdateInput,
  type FunctionInput,
} from './function.inputs.ts'
import { automationConsumer } from '../subscription/automation-consumer.ts'
import { scheduleJobs } from '../subscription/schedule.jobs.ts'
import { startJobs, startQueue } from '../subscription/start-queue.ts'
import { subscriptionTables } from '../subscription/subscription.migrations.ts'
import { functionTestTable } from '../function-test/function-test.migrations.ts'
import { functionRequiredSecrets, functionTables } from './function.migrations.ts'
import { serverlessFunction } from './function.record.ts'
import { ServerlessFunction } from './function.ts'

const who = 'For owners and admins; a function that acts as an owner only for owners.'

@Resolver(() => ServerlessFunction)
export class FunctionResolver {
  @Query(() => [ServerlessFunction], {
    description: `The functions of the organization by \`apiName\`, at most ${functionsMax}. For owners and admins.`,
  })
  @RequiresScopes('READ_FUNCTIONS')
  serverlessFunctionList(@Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return readFunctions(ctx, info)
  }

  @Query(() => ServerlessFunction, {
    nullable: true,
    description: 'One function, with the names of its secrets. For owners and admins.',
  })
  @RequiresScopes('READ_FUNCTIONS')
  serverlessFunction(@FunctionArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return readFunction(ctx, id, info)
  }

  @Mutation(() => ServerlessFunction, {
    description: `Creates a function. With \`source\`, version 1 is compiled and deployed; a source that does not compile is COMPILE_ERROR, with its line and column. An organization has at most ${functionsMax} functions. ${who}`,
  })
  @RequiresScope('FUNCTIONS')
  @Limits({ bodyBytes: 2_097_152 })
  async serverlessFunctionCreate(
    @InputArg(() => ServerlessFunctionCreateInput) input: FunctionInput & { source?: string | null },
    @Ctx() ctx: FunctionContext,
    @Info() info: SelectionInfo,
  ) {
    return readFunction(ctx, await createFunction(ctx, input), info)
  }

  @Mutation(() => ServerlessFunction, {
    description: `Changes the settings of a function. Invocations that run keep those with which they began. ${who} Every admin may set \`isActive\` to false.`,
  })
  @RequiresScope('FUNCTIONS')
  async serverlessFunctionUpdate(
    @FunctionArg() id: string,
    @InputArg(() => ServerlessFunctionUpdateInput) input: FunctionInput,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readFunction(ctx, await updateFunction(ctx, id, input, expectedVersion), info)
  }

  @Mutation(() => ServerlessFunctionDeletion, {
    description:
      'Deletes a function with its versions, its secrets and its schedule. It cannot be restored. For owners and admins.',
  })
  @RequiresScope('FUNCTIONS')
  serverlessFunctionDelete(
    @FunctionArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return deleteFunction(ctx, id, expectedVersion)
  }
}

export const functionRoles = ['OWNER', 'ADMIN'] as const

export const functionResource: Resource = {
  resolver: FunctionResolver,
  component: functionComponent,
  announces: [serverlessFunction],
  migrations: [functionTables, subscriptionTables, functionRequiredSecrets, functionTestTable],
  consumers: [automationConsumer],
  queues: [startQueue],
  jobs: [...startJobs, ...scheduleJobs],
  operations: [
    operation('GET /v1/functions', 'serverlessFunctionList', {
      summary: 'List functions',
      answers: 'The functions of the organization by `apiName`.',
      roles: functionRoles,
    }),
    operation('POST /v1/functions', 'serverlessFunctionCreate', {
      summary: 'Create a function',
      answers: 'The new function.',
      status: 201,
      hasLocation: true,
      roles: functionRoles,
      example: {
        apiName: 'score_lead',
        name: 'Score a lead',
        source: 'export default (input: { title: string }) => ({ score: input.title.includes("Chief") ? 90 : 40 })',
        language: 'typescript',
        httpEnabled: true,
      },
    }),
    operation('GET /v1/functions/{id}', 'serverlessFunction', {
      summary: 'Get a function',
      answers: 'The function.',
      roles: functionRoles,
    }),
    operation('PATCH /v1/functions/{id}', 'serverlessFunctionUpdate', {
      summary: 'Change a function',
      answers: 'The function as changed.',
      roles: functionRoles,
      example: { timeoutMs: 5000, httpEnabled: true },
    }),
    operation('DELETE /v1/functions/{id}', 'serverlessFunctionDelete', {
      summary: 'Delete a function',
      answers: 'That the function was deleted.',
      roles: functionRoles,
    }),
  ],
}

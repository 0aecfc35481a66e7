import { Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { Limits } from '../../kernel/subgraph/limits.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { noteMax, sourceMax, versionsMax } from './bounds.ts'
import { readFunction } from './function.actions.ts'
import type { FunctionContext } from './function.context.ts'
import { FunctionLanguage } from './function.enumerations.ts'
import { NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { FunctionArg } from './function.inputs.ts'
import { functionRoles } from './function.resolver.ts'
import { ServerlessFunction } from './function.ts'
import { createVersion, deployVersion, readVersion, readVersions, rollBack } from './version.actions.ts'
import {
  ServerlessFunctionVersion,
  ServerlessFunctionVersionPage,
  ServerlessFunctionVersionSummary,
} from './version.ts'

const who = 'For owners and admins; of a function that acts as an owner only for owners.'
const VersionIdArg = () => ValueArg('versionId', () => ID, { description: 'Id of a version of the function.' })

@Resolver(() => ServerlessFunctionVersion)
export class FunctionVersionResolver {
  @Query(() => ServerlessFunctionVersionPage, {
    description: 'The versions of a function, newest first, without their sources. For owners and admins.',
  })
  @RequiresScopes('READ_FUNCTIONS')
  serverlessFunctionVersionList(
    @FunctionArg() id: string,
    @Args(() => NewestFirstArgs) args: NewestFirstArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readVersions(ctx, id, args, info)
  }

  @Query(() => ServerlessFunctionVersion, {
    nullable: true,
    description: 'One version of a function with its source. For owners and admins.',
  })
  @RequiresScopes('READ_FUNCTIONS')
  serverlessFunctionVersion(@FunctionArg() id: string, @VersionIdArg() versionId: string, @Ctx() ctx: RequestContext) {
    return readVersion(ctx, id, versionId)
  }

  @Mutation(() => ServerlessFunctionVersionSummary, {
    description: `Compiles a source and saves it as the next version of a function, which never changes. A source that does not compile is COMPILE_ERROR, with its line and column. A function has at most ${versionsMax} versions. ${who}`,
  })
  @RequiresScope('FUNCTIONS')
  @Limits({ bodyBytes: 2_097_152 })
  serverlessFunctionVersionCreate(
    @FunctionArg() id: string,
    @ValueArg('source', () => String, {
      max: sourceMax,
      filled: true,
      description:
        'The source: one ES module whose default export is the handler, a function of `input` and `context`. It cannot import other modules.',
      example: 'export default (input, context) => ({ greeting: `Hello ${input.name}` })',
    })
    source: string,
    @ValueArg('language', () => FunctionLanguage, {
      description: 'Language of the source.',
      example: 'javascript',
    })
    language: FunctionLanguage,
    @ValueArg('note', () => String, {
      nullable: true,
      max: noteMax,
      description: 'What is different in it; null for no note.',
      example: 'Greets by name.',
    })
    note: string | null,
    @ValueArg('deploy', () => Boolean, {
      default: false,
      description: 'True to deploy it at once.',
      example: true,
    })
    deploy: boolean,
    @Ctx() ctx: FunctionContext,
  ) {
    return createVersion(ctx, id, { source, language, note: note ?? null, deploy })
  }

  @Mutation(() => ServerlessFunction, {
    description: `Deploys a version of a function: the invocations from then on run it. ${who}`,
  })
  @RequiresScope('FUNCTIONS')
  async serverlessFunctionDeploy(
    @FunctionArg() id: string,
    @VersionIdArg() versionId: string,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readFunction(ctx, await deployVersion(ctx, id, versionId), info)
  }

  @Mutation(() => ServerlessFunction, {
    description: `Deploys the version with the number before the one that is deployed; INVALID_STATE if there is none. ${who}`,
  })
  @RequiresScope('FUNCTIONS')
  async serverlessFunctionRollback(@FunctionArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return readFunction(ctx, await rollBack(ctx, id), info)
  }
}

export const functionVersionResource: Resource = {
  resolver: FunctionVersionResolver,
  operations: [
    operation('GET /v1/functions/{id}/versions', 'serverlessFunctionVersionList', {
      summary: 'List the versions of a function',
      answers: 'The versions, newest first, without their sources.',
      roles: functionRoles,
    }),
    operation('POST /v1/functions/{id}/versions', 'serverlessFunctionVersionCreate', {
      summary: 'Save a version of a function',
      answers: 'The new version, without its source.',
      status: 201,
      hasLocation: true,
      roles: functionRoles,
    }),
    operation('GET /v1/functions/{id}/versions/{versionId}', 'serverlessFunctionVersion', {
      summary: 'Get a version of a function',
      answers: 'The version with its source.',
      roles: functionRoles,
    }),
    operation('POST /v1/functions/{id}/deploy', 'serverlessFunctionDeploy', {
      summary: 'Deploy a version of a function',
      answers: 'The function with the version deployed.',
      roles: functionRoles,
    }),
    operation('POST /v1/functions/{id}/rollback', 'serverlessFunctionRollback', {
      summary: 'Roll back a function',
      answers: 'The function with the version before deployed.',
      roles: functionRoles,
    }),
  ],
}

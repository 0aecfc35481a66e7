import { Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { notFound } from '../../kernel/errors.ts'
import { IdArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { Port, RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { Limits } from '../../kernel/subgraph/limits.ts'
import { OnePerRequest } from '../../kernel/subgraph/one-per-request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { runMsMax, runTestsMax } from '../function-test/bounds.ts'
import { testPorts } from '../function-test/run-tests.ts'
import { bodyBytesMax, retrievedBytesMax } from './bounds.ts'
import {
  cancelDeployment,
  readDeployment,
  readDeployments,
  requestDeployment,
  requireExpectedVersion,
  requireTestNames,
} from './deployment.actions.ts'
import { metadataDeployments } from './deployment.events.ts'
import { MetadataTestLevel } from './deployment.enumerations.ts'
import { deploymentTables, deploymentTests } from './deployment.migrations.ts'
import { deploymentJobs, deploymentQueue } from './deployment.queue.ts'
import { MetadataDeployment, MetadataDeploymentPage, MetadataSourceInput } from './deployment.types.ts'
import { MetadataSchemaType } from './metadata-type.ts'
import { MetadataRetrieval, MetadataRetrieveArgs } from './retrieval.types.ts'
import { retrieve } from './retrieve.ts'
import { fileSchemaOf } from './schemas.ts'
import { testMetadata, type TestContext } from './test-metadata.ts'
import { MetadataTestReport } from './test-report.types.ts'

const who = 'For owners and admins.'

@Resolver()
export class MetadataResolver {
  @Query(() => MetadataRetrieval, {
    description: `What the organization has defined, as files of the metadata format: those of all types, or of some. The same definitions give the same files. Secrets are in no file. ${who}`,
  })
  @RequiresScopes('MANAGE_METADATA')
  @Limits({ answerBytes: retrievedBytesMax })
  metadataRetrieve(@Args(() => MetadataRetrieveArgs) args: MetadataRetrieveArgs, @Ctx() ctx: RequestContext<'work'>) {
    return retrieve(ctx, args)
  }

  @Query(() => Json, {
    description: `The JSON Schema (draft-07) of one kind of file of the metadata format, for \`$schema\` of files. A deployment checks files with it. ${who}`,
  })
  @RequiresScopes('MANAGE_METADATA')
  metadataSchema(
    @ValueArg('schemaType', () => String, {
      max: 64,
      filled: true,
      description:
        'The kind of file: a type of components, such as CUSTOM_FIELD, FUNCTION_TEST for tests of functions, PROJECT or DESTRUCTIVE_CHANGES for the files of a project, or APP for the manifest of an app.',
      example: 'CUSTOM_FIELD',
    })
    schemaType: string,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    if (!Object.hasOwn(MetadataSchemaType, schemaType)) throw notFound('The schema')
    return fileSchemaOf(schemaType as MetadataSchemaType).schema
  }

  @Query(() => MetadataDeployment, { nullable: true, description: `One deployment by id. ${who}` })
  @RequiresScopes('MANAGE_METADATA')
  metadataDeployment(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    requireAdministrator(ctx)
    return readDeployment(ctx, id)
  }

  @Query(() => MetadataDeploymentPage, {
    description: `The deployments of the last 90 days, newest first, without their components. ${who}`,
  })
  @RequiresScopes('MANAGE_METADATA')
  metadataDeploymentList(
    @Args(() => NewestFirstArgs) args: NewestFirstArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readDeployments(ctx, args, info)
  }

  @Mutation(() => MetadataDeployment, {
    description: `Deploys the files of a project: afterwards each of its components is as its file says, or, if anything is refused, nothing has changed. The answer is the deployment as it waits; \`metadataDeployment\` shows what becomes of it. Properties that a file does not have get the value of a new component. Components without files stay, except those in \`destructiveChanges.json\`. You must be allowed to do each of the changes by itself, with this credential. ${who}`,
  })
  @RequiresScopes('MANAGE_METADATA')
  @Limits({ bodyBytes: bodyBytesMax })
  metadataDeploy(
    @ValueArg('source', () => MetadataSourceInput, { description: 'The files.' }) source: MetadataSourceInput,
    @ValueArg('checkOnly', () => Boolean, {
      default: false,
      description: 'True to check the deployment with all its changes, and to take them back.',
      example: true,
    })
    checkOnly: boolean,
    @ValueArg('allowDestructive', () => Boolean, {
      default: false,
      description: 'Whether it may delete the components that `destructiveChanges.json` names.',
      example: false,
    })
    allowDestructive: boolean,
    @ValueArg('expectedVersion', () => String, {
      nullable: true,
      max: 64,
      description:
        'The `version` of a retrieval or a deployment: if anything has changed since, the deployment is refused with VERSION_CONFLICT, or fails with it if others are under way. Null: no check.',
      example: null,
    })
    expectedVersion: string | null,
    @ValueArg('testLevel', () => MetadataTestLevel, {
      default: 'NONE',
      description:
        'Which tests of functions run before anything is changed, with `checkOnly` too: as `metadataTest` runs them. If one does not pass, the deployment fails.',
      example: 'ALL',
    })
    testLevel: MetadataTestLevel,
    @ValueArg('tests', () => String, {
      nullable: true,
      list: true,
      max: 113,
      maxItems: runTestsMax,
      description:
        'The tests of the `testLevel` SPECIFIED: `apiName` of a function of the source for all of its tests, `apiName/name` for one. Null with the other levels.',
      example: null,
    })
    tests: string[] | null,
    @Ctx() ctx: RequestContext<'work'>,
  ) {
    const options = {
      checkOnly,
      allowDestructive,
      expectedVersion: expectedVersion ?? null,
      testLevel,
      tests: tests ?? null,
    }
    requireExpectedVersion(options.expectedVersion)
    requireTestNames(options)
    return requestDeployment(ctx, source, options)
  }

  @Mutation(() => MetadataTestReport, {
    description: `Runs the tests of functions: those of the files that are sent, or of the functions of the organization, at most ${runTestsMax} within ${runMsMax / 1000} seconds. Each function acts as its user, with its scopes, on what the organization has; its requests are answered from the file of the test, and what it changes by \`context.api\` is tried and rolled back, so nothing is changed and nothing is sent. Their time and CPU count as those of invocations. You must be allowed to save the functions, with this credential. ${who}`,
  })
  @RequiresScopes('MANAGE_METADATA')
  @OnePerRequest()
  @Limits({ bodyBytes: bodyBytesMax, answerBytes: 8_388_608, deadlineMs: runMsMax + 10_000 })
  metadataTest(
    @ValueArg('source', () => MetadataSourceInput, {
      nullable: true,
      description: 'The files of a project. Null: the tests of what the organization has.',
    })
    source: MetadataSourceInput | null,
    @ValueArg('functions', () => String, {
      nullable: true,
      list: true,
      max: 113,
      maxItems: runTestsMax,
      description:
        'Which tests run: `apiName` of a function for all of its tests, `apiName/name` for one. Null: those of all functions.',
      example: ['grade_inspection'],
    })
    functions: string[] | null,
    @Ctx() ctx: TestContext,
  ) {
    return testMetadata(ctx, { source: source ?? null, functions: functions ?? null })
  }

  @Mutation(() => MetadataDeployment, {
    description: `Cancels a deployment that has not ended: one that waits ends at once, one that is carried out before it takes effect, unless it does so first. ${who}`,
  })
  @RequiresScopes('MANAGE_METADATA')
  metadataDeploymentCancel(
    @ValueArg('id', () => ID, { description: 'Id of the deployment.' }) id: string,
    @Ctx() ctx: RequestContext,
  ) {
    return cancelDeployment(ctx, id)
  }
}

const roles = ['OWNER', 'ADMIN']

/** Archives are packed and unpacked in threads; the others run tests. */
export const metadataPorts = ['work', ...testPorts] as const satisfies Port[]

export const metadataResource: Resource = {
  resolver: MetadataResolver,
  announces: [metadataDeployments],
  migrations: [deploymentTables, deploymentTests],
  queues: [deploymentQueue as never],
  jobs: deploymentJobs,
  operations: [
    operation('POST /v1/metadata/retrieve', 'metadataRetrieve', {
      summary: 'Retrieve metadata',
      answers: 'The files.',
      roles,
      example: { types: ['CUSTOM_OBJECT', 'CUSTOM_FIELD'], format: 'FILES' },
    }),
    operation('GET /v1/metadata/schemas/{schemaType}', 'metadataSchema', {
      summary: 'Get the schema of a kind of file',
      answers: 'The JSON Schema.',
      roles,
    }),
    operation('POST /v1/metadata/deploy', 'metadataDeploy', {
      summary: 'Deploy metadata',
      answers: 'The deployment, which is carried out after the answer.',
      status: 202,
      roles,
      example: {
        source: {
          files: {
            'service.project.json': '{"formatVersion": 1, "name": "sales"}',
            'src/fields/ACCOUNT.tier.field.json':
              '{"entity": "ACCOUNT", "name": "tier", "label": "Tier", "fieldType": "TEXT"}',
          },
        },
        checkOnly: true,
        testLevel: 'ALL',
      },
    }),
    operation('POST /v1/metadata/tests', 'metadataTest', {
      summary: 'Run tests of functions',
      answers: 'What became of the tests.',
      roles,
      example: {
        source: {
          files: {
            'src/functions/grade_inspection/function.json': '{"name": "Grade an inspection"}',
            'src/functions/grade_inspection/index.js':
              'export default ({ score }) => ({ grade: score >= 80 ? "A" : "B" })',
            'src/functions/grade_inspection/tests/best_grade.json':
              '{"input": {"score": 91}, "expect": {"output": {"grade": "A"}}}',
          },
        },
      },
    }),
    operation('GET /v1/metadata/deployments', 'metadataDeploymentList', {
      summary: 'List deployments',
      answers: 'The deployments, newest first, without their components.',
      roles,
    }),
    operation('GET /v1/metadata/deployments/{id}', 'metadataDeployment', {
      summary: 'Get a deployment',
      answers: 'The deployment with its components and problems.',
      roles,
    }),
    operation('POST /v1/metadata/deployments/{id}/cancel', 'metadataDeploymentCancel', {
      summary: 'Cancel a deployment',
      answers: 'The deployment.',
      roles,
    }),
  ],
}

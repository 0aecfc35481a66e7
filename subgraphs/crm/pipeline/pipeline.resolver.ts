import { Args, Ctx, Info, Mutation, Query, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import type { PageArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { restArea } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { PipelineCreateInput, PipelinePage, PipelinePageArgs, PipelineUpdateInput } from './pipeline.inputs.ts'
import { pipelineTable } from './pipeline.migrations.ts'
import { pipeline } from './pipeline.record.ts'
import { Pipeline } from './pipeline.ts'

const pipelines = recordsOf(pipeline)

@Resolver(() => Pipeline)
export class PipelineResolver {
  @Query(() => Pipeline, { nullable: true })
  pipeline(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return pipelines.one(ctx, id, info)
  }

  @Query(() => PipelinePage)
  pipelineList(@Args(() => PipelinePageArgs) args: PageArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return pipelines.page(ctx, args, info)
  }

  @Mutation(() => Pipeline, {
    description: 'Creates a pipeline. An organization has at most 500. For owners and admins.',
  })
  @RequiresScope('OPPORTUNITIES')
  pipelineCreate(@InputArg(() => PipelineCreateInput) input: RecordInput<Pipeline>, @Ctx() ctx: RequestContext) {
    requireAdministrator(ctx)
    return pipelines.create(ctx, input)
  }

  @Mutation(() => Pipeline, {
    description:
      'Changes a pipeline: renames, adds, reorders and retires stages, retires the pipeline or makes it the default. Opportunities are not changed. For owners and admins.',
  })
  @RequiresScope('OPPORTUNITIES')
  pipelineUpdate(
    @IdArg() id: string,
    @InputArg(() => PipelineUpdateInput) input: RecordInput<Pipeline>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return pipelines.update(ctx, id, input, expectedVersion)
  }
}

export const pipelineResource: Resource = {
  resolver: PipelineResolver,
  entities: { Pipeline: pipeline },
  migrations: [pipelineTable],
  rest: restArea(pipeline, { path: 'pipelines', filters: ['isDefault', 'isActive', 'externalId'] }),
}

import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Sequence } from '../sequence/sequence.ts'
import { enrollments } from './delivery.ts'
import { SequenceEnrollmentConnection, SequenceEnrollmentConnectionArgs } from './enrollment.inputs.ts'

@Resolver(() => Sequence)
export class SequenceEnrollmentsResolver {
  @FieldResolver(() => SequenceEnrollmentConnection, {
    description: 'Enrollments in the sequence that the caller sees, newest first by default.',
  })
  enrollments(
    @Root() root: Sequence,
    @Args(() => SequenceEnrollmentConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return enrollments.children(ctx, 'sequenceId', root.id, args, info)
  }
}

export const sequenceEnrollmentsResource: Resource = { resolver: SequenceEnrollmentsResolver }

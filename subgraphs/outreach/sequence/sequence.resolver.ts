import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { DeletedPageArgs } from '../../kernel/record/list-args.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { withoutUnused, type FilterInput } from '../../kernel/record/filter-input.ts'
import { StatsFilterArg } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { attemptTotals } from './attempt-totals.job.ts'
import {
  archiveSequence,
  deleteSequence,
  duplicateSequence,
  sequenceActions,
  toggleSequence,
} from './sequence.actions.ts'
import { createSequence } from './create-sequence.ts'
import type { StepContext } from './new-steps.ts'
import { figuresOfSequence, SequenceFigures } from './sequence-figures.ts'
import { sequenceTypes as types } from './sequence.inputs.ts'
import { sequenceTables } from './sequence.migrations.ts'
import { sequence } from './sequence.record.ts'
import { SequenceStats, sequenceStats } from './sequence.stats.ts'
import { Sequence } from './sequence.ts'
import { sequenceWork } from './sequence-work.ts'
import { SequenceStep } from './sequence-step.ts'
import { stepsOfSequence } from './steps-of-sequence.ts'

type Version = number | null

const sequences = recordsOf(sequence, sequenceActions)

const ForceArg = () =>
  Arg('force', () => Boolean, {
    defaultValue: false,
    description:
      'Whether running enrollments end; if false and there are some, the call is refused with HAS_DEPENDENTS.',
  })

@Resolver(() => Sequence)
export class SequenceResolver {
  @Query(() => Sequence, { nullable: true })
  sequence(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return sequences.one(ctx, id, info)
  }

  @Query(() => types.Page)
  sequenceList(@Args(() => types.PageArgs) args: PageArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return sequences.page(ctx, args, info)
  }

  @Query(() => types.Connection)
  sequenceConnection(
    @Args(() => types.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return sequences.connection(ctx, args, info)
  }

  @Query(() => [Sequence], { description: 'Deleted sequences, most recently deleted first.' })
  sequenceListDeleted(
    @Args(() => DeletedPageArgs) args: DeletedPageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return sequences.deleted(ctx, args, info)
  }

  @Query(() => SequenceStats)
  sequenceStats(@StatsFilterArg(sequence, types.Filter) filter: FilterInput | null, @Ctx() ctx: RequestContext) {
    return sequenceStats(ctx, withoutUnused(filter ?? null))
  }

  @FieldResolver(() => [SequenceStep], {
    description: 'The steps in their order. At most 20 sequences of one request can be read with their steps.',
  })
  steps(@Root() { id }: Sequence, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return stepsOfSequence(ctx, id, info)
  }

  @FieldResolver(() => SequenceFigures, { description: 'Figures of the enrollments of all times.' })
  stats(@Root() { id }: Sequence, @Ctx() ctx: RequestContext) {
    return figuresOfSequence(ctx, id)
  }

  @Mutation(() => Sequence, { description: 'Creates a sequence in the status DRAFT, with its steps or without.' })
  @RequiresScope('SEQUENCES')
  sequenceCreate(@InputArg(() => types.CreateInput) input: object, @Ctx() ctx: StepContext) {
    return createSequence(ctx, input)
  }

  @Mutation(() => Sequence, {
    description:
      'Changes a sequence, whatever its status but ARCHIVED. Who is enrolled stays enrolled, also if `entityTypes` loses its type.',
  })
  @RequiresScope('SEQUENCES')
  sequenceUpdate(
    @IdArg() id: string,
    @InputArg(() => types.UpdateInput) input: object,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return sequences.update(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description:
      'Deletes a sequence. It can be restored, as PAUSED if it was ACTIVE; until then only `sequenceListDeleted` returns it. Its running enrollments end and stay ended.',
  })
  @RequiresScope('SEQUENCES')
  sequenceDelete(
    @IdArg() id: string,
    @ForceArg() force: boolean,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return deleteSequence(ctx, id, force, expectedVersion)
  }

  @Mutation(() => Sequence)
  @RequiresScope('SEQUENCES')
  sequenceRestore(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: Version, @Ctx() ctx: RequestContext) {
    return sequences.restore(ctx, id, expectedVersion)
  }

  @Mutation(() => Sequence, {
    description:
      'Copies a sequence that the caller sees, with its steps under new ids. The copy belongs to the caller, is called `Copy of` and the name, and is a DRAFT without enrollments.',
  })
  @RequiresScope('SEQUENCES')
  sequenceDuplicate(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return duplicateSequence(ctx, id)
  }

  @Mutation(() => Sequence, {
    description:
      'Starts a DRAFT or PAUSED sequence, and pauses an ACTIVE one. It starts with at least one active step, and if the templates of its active steps are ACTIVE. A pause stops the clocks of all enrollments: what is left of each delay counts on when the sequence goes on.',
  })
  @RequiresScope('SEQUENCES')
  sequenceToggle(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: Version, @Ctx() ctx: RequestContext) {
    return toggleSequence(ctx, id, expectedVersion)
  }

  @Mutation(() => Sequence, {
    description: 'Archives a sequence for good. Its running enrollments end. A copy of it can be used again.',
  })
  @RequiresScope('SEQUENCES')
  sequenceArchive(
    @IdArg() id: string,
    @ForceArg() force: boolean,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return archiveSequence(ctx, id, force, expectedVersion)
  }
}

export const sequenceResource: Resource = {
  resolver: SequenceResolver,
  entities: { Sequence: sequence },
  migrations: [sequenceTables],
  jobs: [sequenceWork, attemptTotals],
  rest: restArea(sequence, {
    path: 'sequences',
    filters: ['status', 'ownerId', 'externalId', createdAfter, updatedAfter],
    derivedFields: ['stats'],
  }),
}

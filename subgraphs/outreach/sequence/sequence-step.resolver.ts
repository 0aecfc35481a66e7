import { Arg, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, InputArg } from '../../kernel/record/args.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { restArea } from '../../kernel/record/rest-area.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import type { StepContext } from './new-steps.ts'
import { figuresOfStep, SequenceStepFigures } from './sequence-figures.ts'
import { SequenceStepCreateInput, SequenceStepUpdateInput } from './sequence.inputs.ts'
import { sequenceStep } from './sequence.record.ts'
import { Sequence } from './sequence.ts'
import { SequenceStep } from './sequence-step.ts'
import { addStep, changeStep, removeStep, reorderSteps } from './step.actions.ts'

type Version = number | null

const SequenceIdArg = () => Arg('id', () => ID, { description: 'Id of the sequence, a UUID.' })
const StepIdArg = () => Arg('stepId', () => ID, { description: 'Id of the step, a UUID.' })

@Resolver(() => SequenceStep)
export class SequenceStepResolver {
  @FieldResolver(() => SequenceStepFigures, { description: 'Figures of its executions of all times.' })
  stats(@Root() step: SequenceStep, @Ctx() ctx: RequestContext) {
    return figuresOfStep(ctx, step)
  }

  @Mutation(() => SequenceStep, {
    description:
      'Adds a step to a sequence, at its end or at `position`. Who is enrolled comes to it if its position is still ahead.',
  })
  @RequiresScope('SEQUENCES')
  sequenceStepAdd(
    @SequenceIdArg() id: string,
    @InputArg(() => SequenceStepCreateInput) input: object,
    @Ctx() ctx: StepContext,
  ) {
    return addStep(ctx, id, input)
  }

  @Mutation(() => SequenceStep, {
    description:
      'Changes a step. What it says and does applies to every execution from then on; a change of its delay does not move the times of those for whom it is scheduled. When the time of an inactive step comes, the first active step after it is executed instead.',
  })
  @RequiresScope('SEQUENCES')
  sequenceStepChange(
    @SequenceIdArg() id: string,
    @StepIdArg() stepId: string,
    @InputArg(() => SequenceStepUpdateInput) input: object,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: StepContext,
  ) {
    return changeStep(ctx, id, stepId, input, expectedVersion)
  }

  @Mutation(() => Sequence, {
    description:
      'Removes a step from a sequence. Who is in it goes on with the step that took its place, at the time when the removed one was due. A step to which a condition leads is refused with HAS_DEPENDENTS. Statistics of the sequence keep its executions.',
  })
  @RequiresScope('SEQUENCES')
  sequenceStepRemove(
    @SequenceIdArg() id: string,
    @StepIdArg() stepId: string,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return removeStep(ctx, id, stepId, expectedVersion)
  }

  @Mutation(() => Sequence, {
    description:
      'Puts the steps of a sequence in another order. Who is enrolled stays in the current step and goes on in the new order; a step that was executed is not executed again, unless a condition leads back to it.',
  })
  @RequiresScope('SEQUENCES')
  sequenceStepReorder(
    @SequenceIdArg() id: string,
    @Arg('stepIds', () => [ID], { description: 'Ids of all steps, each once, in the new order.' })
    stepIds: string[],
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return reorderSteps(ctx, id, stepIds, expectedVersion)
  }
}

export const sequenceStepResource: Resource = {
  resolver: SequenceStepResolver,
  entities: { SequenceStep: sequenceStep },
  rest: restArea(sequenceStep, {
    path: 'sequences/steps',
    folder: 'sequence-steps',
    derivedFields: ['stats'],
  }),
}

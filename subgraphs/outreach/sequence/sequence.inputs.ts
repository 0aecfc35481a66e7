import { field } from '../../kernel/record/declared-class.ts'
import { createInputOf, updateInputOf } from '../../kernel/record/inputs.ts'
import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { sequence } from './sequence.record.ts'
import { stepsMax, SequenceStep } from './sequence-step.ts'

export const sequenceTypes = operationTypes(sequence, 'SEQUENCES')

export const SequenceStepCreateInput = createInputOf('SequenceStepCreateInput', SequenceStep)
export const SequenceStepUpdateInput = updateInputOf('SequenceStepUpdateInput', SequenceStep)

field(sequenceTypes.CreateInput, 'steps', () => [SequenceStepCreateInput], {
  nullable: true,
  description: `The steps in their order, at most ${stepsMax}; empty if absent. Each follows the rules of \`sequenceStepAdd\`, and one that is refused refuses the sequence. A condition leads to a step by the \`id\` that the input of that step chooses.`,
})

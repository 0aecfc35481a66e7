import { createInputOf, updateInputOf } from '../../kernel/record/inputs.ts'
import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { sequence } from './sequence.record.ts'
import { SequenceStep } from './sequence-step.ts'

export const sequenceTypes = operationTypes(sequence, '*')

export const SequenceStepCreateInput = createInputOf('SequenceStepCreateInput', SequenceStep)
export const SequenceStepUpdateInput = updateInputOf('SequenceStepUpdateInput', SequenceStep)

import { enumeration } from '../../kernel/record/column.ts'

export const DuplicateLogic = enumeration('DuplicateLogic', 'How several matchers of a rule are combined.', {
  ALL: 'Records are duplicates if all matchers find them equal.',
  ANY: 'Records are duplicates if one of the matchers finds them equal.',
})
export type DuplicateLogic = keyof typeof DuplicateLogic

export const DuplicateAction = enumeration('DuplicateAction', 'What follows from a duplicate.', {
  BLOCK:
    'A change that makes a record the duplicate of another one which the caller sees is refused with 409 `DUPLICATE_DETECTED`, unless the caller allows duplicates.',
  REPORT: 'Duplicates are only found where they are asked for.',
})
export type DuplicateAction = keyof typeof DuplicateAction

export const DuplicateRuleState = enumeration(
  'DuplicateRuleState',
  'Whether a rule of duplicates compares all records.',
  {
    BUILDING:
      'The keys of older records are being written in the background: what was written since the change of the rule is compared already, older records as far as they have their keys.',
    READY: 'All records are compared.',
    INACTIVE: 'The rule is turned off.',
  },
)
export type DuplicateRuleState = keyof typeof DuplicateRuleState

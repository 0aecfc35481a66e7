import { createInputOf, filterOf, pageRequiring, updateInputOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { DuplicateRule } from './duplicate-rule.ts'

export const DuplicateRuleCreateInput = createInputOf('DuplicateRuleCreateInput', DuplicateRule)
export const DuplicateRuleUpdateInput = updateInputOf('DuplicateRuleUpdateInput', DuplicateRule)
export const DuplicateRulePage = pageRequiring('DuplicateRulePage', DuplicateRule, 'READ_DUPLICATE_RULES')
export const DuplicateRulePageArgs = pageArgs(
  filterOf('DuplicateRuleFilter', DuplicateRule),
  orderOf('DuplicateRuleOrder', DuplicateRule),
)

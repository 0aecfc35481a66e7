import { createInputOf, filterOf, pageRequiring, updateInputOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { ValidationRule } from './validation-rule.ts'

export const ValidationRuleCreateInput = createInputOf('ValidationRuleCreateInput', ValidationRule)
export const ValidationRuleUpdateInput = updateInputOf('ValidationRuleUpdateInput', ValidationRule)
export const ValidationRulePage = pageRequiring('ValidationRulePage', ValidationRule, 'READ_VALIDATION_RULES')
export const ValidationRulePageArgs = pageArgs(
  filterOf('ValidationRuleFilter', ValidationRule),
  orderOf('ValidationRuleOrder', ValidationRule),
)

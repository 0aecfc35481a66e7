import { createInputOf, filterOf, pageRequiring, updateInputOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { AfterSaveTrigger } from './trigger.ts'

export const TriggerCreateInput = createInputOf('AfterSaveTriggerCreateInput', AfterSaveTrigger)
export const TriggerUpdateInput = updateInputOf('AfterSaveTriggerUpdateInput', AfterSaveTrigger)
export const TriggerPage = pageRequiring('AfterSaveTriggerPage', AfterSaveTrigger, 'READ_HOOKS')
export const TriggerPageArgs = pageArgs(
  filterOf('AfterSaveTriggerFilter', AfterSaveTrigger),
  orderOf('AfterSaveTriggerOrder', AfterSaveTrigger),
)

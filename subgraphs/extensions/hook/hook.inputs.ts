import { createInputOf, filterOf, pageRequiring, updateInputOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { BeforeSaveHook } from './hook.ts'

export const HookCreateInput = createInputOf('BeforeSaveHookCreateInput', BeforeSaveHook)
export const HookUpdateInput = updateInputOf('BeforeSaveHookUpdateInput', BeforeSaveHook)
export const HookPage = pageRequiring('BeforeSaveHookPage', BeforeSaveHook, 'READ_HOOKS')
export const HookPageArgs = pageArgs(
  filterOf('BeforeSaveHookFilter', BeforeSaveHook),
  orderOf('BeforeSaveHookOrder', BeforeSaveHook),
)

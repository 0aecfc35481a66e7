import { createInputOf, filterOf, pageRequiring, updateInputOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { CustomEventType } from './custom-event-type.ts'

export const CustomEventTypeCreateInput = createInputOf('CustomEventTypeCreateInput', CustomEventType)
export const CustomEventTypeUpdateInput = updateInputOf('CustomEventTypeUpdateInput', CustomEventType)
export const CustomEventTypePage = pageRequiring('CustomEventTypePage', CustomEventType, 'READ_CUSTOM_EVENT_TYPES')
export const CustomEventTypeFilter = filterOf('CustomEventTypeFilter', CustomEventType)
export const CustomEventTypePageArgs = pageArgs(CustomEventTypeFilter, orderOf('CustomEventTypeOrder', CustomEventType))

import { createInputOf, filterOf, pageRequiring, updateInputOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { CustomField } from './custom-field.ts'

export const CustomFieldCreateInput = createInputOf('CustomFieldCreateInput', CustomField)
export const CustomFieldUpdateInput = updateInputOf('CustomFieldUpdateInput', CustomField)
export const CustomFieldPage = pageRequiring('CustomFieldPage', CustomField, 'READ_CUSTOM_FIELDS')
export const CustomFieldFilter = filterOf('CustomFieldFilter', CustomField)
export const CustomFieldPageArgs = pageArgs(CustomFieldFilter, orderOf('CustomFieldOrder', CustomField))

import { createInputOf, filterOf, pageRequiring, updateInputOf } from '../../kernel/record/inputs.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { Layout } from './layout.ts'

export const LayoutCreateInput = createInputOf('LayoutCreateInput', Layout)
export const LayoutUpdateInput = updateInputOf('LayoutUpdateInput', Layout)
export const LayoutPage = pageRequiring('LayoutPage', Layout, 'READ_LAYOUTS')
export const LayoutPageArgs = pageArgs(filterOf('LayoutFilter', Layout), orderOf('LayoutOrder', Layout))

import { createInputOf, filterOf, pageRequiring, updateInputOf } from '../../kernel/record/inputs.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { Page } from './page.ts'

export const PageCreateInput = createInputOf('PageCreateInput', Page)
export const PageUpdateInput = updateInputOf('PageUpdateInput', Page)
export const PagePage = pageRequiring('PagePage', Page, 'READ_PAGES')
export const PagePageArgs = pageArgs(filterOf('PageFilter', Page), orderOf('PageOrder', Page))

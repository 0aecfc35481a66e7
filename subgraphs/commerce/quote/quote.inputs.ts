import { connectionArgs, pageArgs } from '../../kernel/record/list-args.ts'
import { connectionOf, createInputOf, filterOf, orderOf, pageOf, updateInputOf } from '../../kernel/record/inputs.ts'
import { quote } from './quote.record.ts'
import { Quote } from './quote.ts'

export const QuoteCreateInput = createInputOf('QuoteCreateInput', Quote)
export const QuoteUpdateInput = updateInputOf('QuoteUpdateInput', Quote)
export const QuoteFilter = filterOf('QuoteFilter', Quote, quote.relations)
export const QuoteOrder = orderOf('QuoteOrder', Quote)
export const QuotePage = pageOf('QuotePage', Quote, 'QUOTES')
export const QuotePageArgs = pageArgs(QuoteFilter, QuoteOrder)
export const QuoteConnection = connectionOf('Quote', Quote, 'QUOTES')
export const QuoteConnectionArgs = connectionArgs(QuoteFilter, QuoteOrder)

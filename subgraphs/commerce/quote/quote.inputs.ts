import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { quote } from './quote.record.ts'

export const quoteTypes = operationTypes(quote, 'QUOTES')

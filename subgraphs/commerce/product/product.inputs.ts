import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { product } from './product.record.ts'

export const productTypes = operationTypes(product, 'PRODUCTS')

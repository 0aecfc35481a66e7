import { connectionArgs, pageArgs } from '../../kernel/record/list-args.ts'
import { connectionOf, createInputOf, filterOf, orderOf, pageOf, updateInputOf } from '../../kernel/record/inputs.ts'
import { Product } from './product.ts'

export const ProductCreateInput = createInputOf('ProductCreateInput', Product)
export const ProductUpdateInput = updateInputOf('ProductUpdateInput', Product)
export const ProductFilter = filterOf('ProductFilter', Product)
export const ProductOrder = orderOf('ProductOrder', Product)
export const ProductPage = pageOf('ProductPage', Product, 'PRODUCTS')
export const ProductPageArgs = pageArgs(ProductFilter, ProductOrder)
export const ProductConnection = connectionOf('Product', Product, 'PRODUCTS')
export const ProductConnectionArgs = connectionArgs(ProductFilter, ProductOrder)

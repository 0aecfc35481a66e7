import { bulkItemFrom, connectionOf, filterOf, inputFrom, orderOf, pageOf } from '../../kernel/record/inputs.ts'
import { Product } from './product.ts'

const changeable = [
  'ownerId',
  'externalId',
  'tags',
  'metadata',
  'customFields',
  'description',
  'type',
  'category',
  'unitPrice',
  'costPrice',
  'currency',
  'billingFrequency',
  'isActive',
  'features',
] as const

export const ProductCreateInput = inputFrom('ProductCreateInput', Product, {
  required: ['name', 'sku', 'listPrice'],
  optional: ['id', ...changeable],
})
export type ProductCreateInput = InstanceType<typeof ProductCreateInput>

export const ProductUpdateInput = inputFrom('ProductUpdateInput', Product, {
  optional: ['name', 'sku', 'listPrice', ...changeable],
})
export type ProductUpdateInput = InstanceType<typeof ProductUpdateInput>

export const ProductBulkUpdateItem = bulkItemFrom('ProductBulkUpdateItem', Product, {
  optional: ['name', 'sku', 'listPrice', ...changeable],
})
export type ProductBulkUpdateItem = InstanceType<typeof ProductBulkUpdateItem>

export const ProductFilter = filterOf('ProductFilter', Product)
export const ProductOrder = orderOf('ProductOrder', Product)
export const ProductPage = pageOf('ProductPage', Product, 'PRODUCTS')
export const ProductConnection = connectionOf('Product', Product, 'PRODUCTS')

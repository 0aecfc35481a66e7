import { activeUsers } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { productEvents } from './product.events.ts'
import { hasCurrency } from '../../kernel/values/currency.ts'
import { isPayable } from './product.rules.ts'
import { Product } from './product.ts'

export const product: RecordDefinition<Product> = defineRecord(Product, {
  object: 'product',
  table: 'commerce.product',
  isCustomizable: true,
  visibleBy: [],
  searchable: ['name', 'sku', 'description'],
  hasSearchText: true,
  references: { ownerId: activeUsers },
  unique: { product_sku_live: 'sku' },
  totals: {
    by: ['type', 'category', 'billingFrequency', 'isActive', 'currency'],
    measures: { listPrice: { sum: 'listPrice' }, withListPrice: { count: 'listPrice' } },
  },
  amounts: { columns: ['listPrice', 'unitPrice', 'costPrice'], currency: 'currency' },
  events: productEvents,
  invariants: (next, previous) => [...hasCurrency(next, previous), ...isPayable(next, previous)],
})

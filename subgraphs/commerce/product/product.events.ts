import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Product } from './product.ts'

export const productEvents: RecordEvents<Product> = {
  types: {
    'product.created': { operation: 'CREATE', description: 'A product was created.' },
    'product.updated': {
      operation: 'UPDATE',
      description:
        'A product was edited; previous holds the record before the change and changedFields lists the changed fields.',
      before: { listPrice: 449, unitPrice: 410 },
    },
    'product.deleted': {
      operation: 'DELETE',
      description: 'A product was deleted; it can be restored while no live product has its SKU.',
    },
    'product.restored': { operation: 'RESTORE', description: 'A deleted product was restored.' },
  },
}

import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Quote } from './quote.ts'

export const quoteEvents: RecordEvents<Quote> = {
  types: {
    'quote.created': { operation: 'CREATE', description: 'A quote was created, or revised: then revisionOfId is set.' },
    'quote.updated': {
      operation: 'UPDATE',
      description:
        'A quote was changed; previous holds the record before the change and changedFields lists the changed fields.',
      before: { name: 'Dock scheduling', paymentTerms: 'NET_15' },
    },
    'quote.deleted': { operation: 'DELETE', description: 'A quote was deleted; it can be restored.' },
    'quote.restored': { operation: 'RESTORE', description: 'A deleted quote was restored.' },
  },
}

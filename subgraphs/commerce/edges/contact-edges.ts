import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import { extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { creditNoteTypes } from '../credit-note/credit-note.inputs.ts'
import { creditNote } from '../credit-note/credit-note.record.ts'
import { invoiceTypes } from '../invoice/invoice.inputs.ts'
import { invoice } from '../invoice/invoice.record.ts'
import { orderTypes } from '../order/order.inputs.ts'
import { order } from '../order/order.record.ts'
import { quoteTypes } from '../quote/quote.inputs.ts'
import { quote } from '../quote/quote.record.ts'

export const Contact = extendedEntity('Contact')

/** Edges of contacts. They are nullable, so that contacts can be read while this subgraph is unavailable. */
export const contactEdges: readonly Resource[] = [
  edgeToMany(Contact, 'quotes', {
    records: quote,
    types: quoteTypes,
    by: 'contactId',
    nullable: true,
    description: 'Live quotes of the contact that the caller sees; null while they cannot be read.',
  }),
  edgeToMany(Contact, 'orders', {
    records: order,
    types: orderTypes,
    by: 'contactId',
    nullable: true,
    description: 'Live orders of the contact that the caller sees; null while they cannot be read.',
  }),
  edgeToMany(Contact, 'invoices', {
    records: invoice,
    types: invoiceTypes,
    by: 'contactId',
    nullable: true,
    description: 'Live invoices of the contact that the caller sees; null while they cannot be read.',
  }),
  edgeToMany(Contact, 'creditNotes', {
    records: creditNote,
    types: creditNoteTypes,
    by: 'contactId',
    nullable: true,
    description: 'Live credit notes of the contact that the caller sees; null while they cannot be read.',
  }),
]

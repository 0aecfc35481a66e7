import type { LoggedEvent } from '../../../kernel/outbox/event-feed.ts'
import { channels, said, words, type NotificationKind, type Values } from './notification-kind.ts'

const quote = { category: 'QUOTES_AND_ORDERS', to: ['ownerId'], nameField: 'name', groupsByRecord: true } as const
const invoice = {
  category: 'QUOTES_AND_ORDERS',
  to: ['ownerId'],
  nameField: 'invoiceNumber',
  groupsByRecord: true,
} as const
const order = {
  category: 'QUOTES_AND_ORDERS',
  to: ['ownerId'],
  nameField: 'orderNumber',
  groupsByRecord: true,
} as const

/** The approval status that a change of a quote has set; null if it set none. */
function newApproval({ data }: LoggedEvent): unknown {
  const { record, previous } = data as { record?: Values; previous?: Values | null }
  const status = record?.['approvalStatus']
  return status === previous?.['approvalStatus'] ? null : status
}

export const quotesAndOrders: readonly NotificationKind[] = [
  {
    ...quote,
    key: 'quote.viewed',
    on: ['quote.viewed'],
    title: 'A customer opened a quote',
    description: 'The page of a quote that you own was opened for the first time.',
    priority: 'LOW',
    channels: channels.list,
  },
  {
    ...quote,
    key: 'quote.accepted',
    on: ['quote.accepted'],
    title: 'A customer accepted a quote',
    description: 'A quote that you own was accepted.',
    priority: 'HIGH',
    channels: channels.all,
    body: ({ record }) => [said('Accepted by', record['acceptedByName'])],
  },
  {
    ...quote,
    key: 'quote.rejected',
    on: ['quote.rejected'],
    title: 'A customer rejected a quote',
    description: 'A quote that you own was rejected.',
    priority: 'NORMAL',
    channels: channels.all,
    body: ({ record }) => [said('Reason:', record['rejectionReason'])],
  },
  {
    ...quote,
    key: 'quote.expired',
    on: ['quote.expired'],
    title: 'A quote expired',
    description: 'A quote that you own passed its date without an answer of the customer.',
    priority: 'NORMAL',
    channels: channels.listAndPush,
    isForActor: true,
  },
  {
    ...quote,
    key: 'quote.approval_requested',
    on: ['quote.updated'],
    title: 'A quote waits for your approval',
    description: 'Somebody in a team that you manage submitted a quote for approval.',
    priority: 'HIGH',
    channels: channels.all,
    to: [],
    others: 'MANAGERS_OF_OWNER',
    when: (event) => newApproval(event) === 'PENDING',
    body: ({ event, nameOf }) => {
      const name = nameOf(event.actorId)
      return [name && `Submitted by ${name}.`]
    },
  },
  {
    ...quote,
    key: 'quote.approval_decided',
    on: ['quote.updated'],
    title: 'The approval of a quote was decided',
    description: 'A quote that you own was approved, or was not.',
    priority: 'NORMAL',
    channels: channels.all,
    when: (event) => ['APPROVED', 'REJECTED'].includes(String(newApproval(event))),
    body: ({ record }) => [`It was ${words(record['approvalStatus'])}.`, said('Comment:', record['reviewComment'])],
  },
  {
    ...quote,
    key: 'quote.mail_failed',
    on: ['quote.mail_failed'],
    title: 'The mail with a quote was not delivered',
    description: 'The mail with the link to a quote that you own was not delivered.',
    priority: 'HIGH',
    channels: channels.all,
    body: ({ record }) => [said('Reason:', record['mailFailure'])],
  },
  {
    ...invoice,
    key: 'invoice.mail_failed',
    on: ['invoice.mail_failed'],
    title: 'The mail with an invoice was not delivered',
    description: 'A mail with an invoice or a reminder that you own was not delivered.',
    priority: 'HIGH',
    channels: channels.all,
    body: ({ record }) => [said('Reason:', record['mailFailure'])],
  },
  {
    ...order,
    key: 'order.confirmed',
    on: ['order.confirmed'],
    title: 'An order was confirmed',
    description: 'Somebody confirmed an order that you own.',
    priority: 'NORMAL',
    channels: channels.list,
  },
  {
    ...order,
    key: 'order.fulfilled',
    on: ['order.fulfilled'],
    title: 'An order was fulfilled',
    description: 'The last quantities of an order that you own were delivered.',
    priority: 'NORMAL',
    channels: channels.list,
  },
  {
    ...order,
    key: 'order.cancelled',
    on: ['order.cancelled'],
    title: 'An order was cancelled',
    description: 'Somebody cancelled an order that you own.',
    priority: 'NORMAL',
    channels: channels.all,
    body: ({ record }) => [said('Reason:', record['cancelReason'])],
  },
  {
    ...order,
    key: 'order.returned',
    on: ['order.returned'],
    title: 'An order was returned',
    description: 'The customer returned an order that you own.',
    priority: 'NORMAL',
    channels: channels.all,
    body: ({ record }) => [said('Reason:', record['returnReason'])],
  },
]

import { amountOf, changedBy, channels, words, type NotificationKind } from './notification-kind.ts'

export const deals: readonly NotificationKind[] = [
  {
    key: 'opportunity.stage_changed',
    on: ['opportunity.stage_changed'],
    category: 'DEALS',
    title: 'An opportunity of yours moved to another stage',
    description: 'Somebody moved an opportunity that you own to another open stage.',
    priority: 'LOW',
    channels: channels.list,
    to: ['ownerId'],
    // Won and lost are kinds of their own.
    when: ({ data }) => (data['record'] as { isClosed?: unknown }).isClosed !== true,
    groupsByRecord: true,
    nameField: 'name',
    body: (told) => [`Stage ${words(told.record['stage'])}.`, changedBy(told)],
  },
  {
    key: 'opportunity.won',
    on: ['opportunity.won'],
    category: 'DEALS',
    title: 'An opportunity of yours was won',
    description: 'Somebody else closed an opportunity that you own as won.',
    priority: 'NORMAL',
    channels: channels.all,
    to: ['ownerId'],
    nameField: 'name',
    body: (told) => [amountOf(told.record) && `Amount ${amountOf(told.record)}.`, changedBy(told)],
  },
  {
    key: 'opportunity.lost',
    on: ['opportunity.lost'],
    category: 'DEALS',
    title: 'An opportunity of yours was lost',
    description: 'Somebody else closed an opportunity that you own as lost.',
    priority: 'NORMAL',
    channels: channels.all,
    to: ['ownerId'],
    nameField: 'name',
    body: (told) => [told.record['lossReason'] ? `Reason ${words(told.record['lossReason'])}.` : null, changedBy(told)],
  },
  {
    key: 'lead.converted',
    on: ['lead.converted'],
    category: 'DEALS',
    title: 'A lead of yours was converted',
    description: 'Somebody else converted a lead that you own.',
    priority: 'NORMAL',
    channels: channels.list,
    mailedBy: 'the conversion itself, with `notifyOwner`',
    to: ['ownerId'],
    nameField: 'name',
    body: ({ event, nameOf }) => {
      const name = nameOf(event.actorId)
      return [name && `Converted by ${name}.`]
    },
  },
]

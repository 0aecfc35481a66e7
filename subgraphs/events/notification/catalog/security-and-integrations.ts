import { channels, dueOn, type NotificationKind } from './notification-kind.ts'

const ownKey = {
  category: 'SECURITY',
  to: ['ownerId'],
  nameField: 'name',
  isOwnRecord: true,
  groupsByRecord: true,
} as const

export const securityAndIntegrations: readonly NotificationKind[] = [
  {
    ...ownKey,
    key: 'api_key.rotated',
    on: ['api_key.rotated'],
    title: 'An API key of yours was rotated',
    description: 'Somebody else gave an API key of yours a new secret.',
    priority: 'NORMAL',
    channels: channels.all,
    body: ({ record }) => [dueOn(record['previousSecretExpiresAt'], 'The former secret works until')],
  },
  {
    ...ownKey,
    key: 'api_key.revoked',
    on: ['api_key.revoked', 'api_key.deleted'],
    title: 'An API key of yours no longer works',
    description: 'Somebody else revoked or deleted an API key of yours.',
    priority: 'HIGH',
    channels: channels.all,
  },
  {
    key: 'webhook.disabled',
    on: ['webhook.disabled'],
    category: 'INTEGRATIONS',
    title: 'A webhook of yours was turned off',
    description: 'Ten events in a row failed every attempt, or somebody else turned the webhook off.',
    priority: 'HIGH',
    channels: channels.all,
    to: ['ownerId'],
    isOwnRecord: true,
    groupsByRecord: true,
    nameField: 'name',
    body: ({ record }) => [
      record['disabledReason'] === 'FAILURES'
        ? 'Ten events in a row failed every attempt. Turn it on again when it works.'
        : null,
    ],
  },
]

import { channels, dueOn, said, type NotificationKind } from './notification-kind.ts'

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
    ...ownKey,
    key: 'api_key.expiring',
    on: ['api_key.expiring'],
    title: 'An API key of yours expires soon',
    description: 'An API key of yours expires within 7 days.',
    priority: 'NORMAL',
    channels: channels.all,
    body: ({ record }) => [dueOn(record['expiresAt'], 'It expires on'), 'Rotate it or give it a later date.'],
  },
  {
    key: 'session.started',
    on: ['session.started'],
    category: 'SECURITY',
    title: 'A new sign-in to your account',
    description:
      'Somebody signed in as you without the device token of an earlier sign-in, with an address and a program that no session of yours had together in the last 30 days.',
    priority: 'HIGH',
    channels: channels.all,
    to: ['userId'],
    when: ({ data }) => (data['record'] as { isUnfamiliar?: boolean }).isUnfamiliar === true,
    isForActor: true,
    isOwnRecord: true,
    nameField: null,
    body: ({ record }) => [
      said('Address:', record['ip']),
      said('Program:', record['userAgent']),
      'If this was not you, change your password: that ends all sessions.',
    ],
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

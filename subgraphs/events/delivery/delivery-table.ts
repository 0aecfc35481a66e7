/** The queue as its table and indexes need it. */
export const described = {
  name: 'webhook_delivery',
  table: 'events.delivery_queue',
  shares: { organization: 'organization_id', key: 'webhook_id', perKeyMax: 128 },
} as const

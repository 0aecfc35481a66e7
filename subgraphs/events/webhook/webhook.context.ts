import type { Port, RequestContext } from '../../kernel/request.ts'

/** The services that the operations of webhooks use in addition to the database. */
export const webhookPorts = ['vault', 'outbound', 'credentials', 'graph'] as const satisfies Port[]

export type WebhookContext = RequestContext<(typeof webhookPorts)[number]>

import type { Port, RequestContext } from '../kernel/request.ts'

/** The services that the resolvers of this subgraph use in addition to the database. */
export const identityPorts = ['vault', 'keys', 'counters', 'outbound', 'rest', 'events'] as const satisfies Port[]

export type IdentityContext = RequestContext<(typeof identityPorts)[number]>

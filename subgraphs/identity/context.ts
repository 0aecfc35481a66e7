import type { Port, RequestContext } from '../kernel/request.ts'

/** What the resolvers of this subgraph use beside the database. */
export const identityPorts = ['vault', 'keys', 'counters', 'outbound'] as const satisfies Port[]

export type IdentityContext = RequestContext<(typeof identityPorts)[number]>

import type { Port, RequestContext } from '../../kernel/request.ts'

/** The services that functions use in addition to the database. */
export const functionPorts = [
  'vault',
  'sandbox',
  'outbound',
  'credentials',
  'graph',
  'rest',
  'counters',
] as const satisfies Port[]

export type FunctionContext = RequestContext<(typeof functionPorts)[number]>

/** Actions also write while no transaction is open. */
export const actionPorts = [...functionPorts, 'tenants'] as const satisfies Port[]

export type ActionContext = RequestContext<(typeof actionPorts)[number]>

import type { ServerResponse } from 'node:http'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import type { Counted } from '../../subgraphs/kernel/credentials/public.ts'

/** Reported to the usage sink when the response has been sent. The code that resolves the operation sets `operation`. */
export interface RequestUsage {
  readonly counted: Counted
  readonly startedMs: number
  operation: string
  isReported: boolean
}

/** The status that access logs use for a client that closed the connection before the response was sent. */
const clientClosedRequest = 499

/** Null for anonymous callers, whose requests are not counted. `appId` is the app of an access token. */
export function usageOf(caller: Caller, startedMs: number, appId: string | null = null): RequestUsage | null {
  const counted = countedOf(caller, appId)
  return counted && { counted, startedMs, operation: 'unknown', isReported: false }
}

function countedOf({ kind, credentialId, userId, organizationId }: Caller, appId: string | null): Counted | null {
  switch (kind) {
    case 'API_KEY':
      return { kind, id: credentialId, organizationId, userId }
    case 'SESSION':
      return { kind, id: userId, organizationId, userId }
    case 'OAUTH':
      return appId === null ? null : { kind: 'OAUTH_APP', id: appId, organizationId, userId }
    default:
      return null
  }
}

export const statusSent = (res: ServerResponse): number => (res.writableFinished ? res.statusCode : clientClosedRequest)

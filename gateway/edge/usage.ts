import type { ServerResponse } from 'node:http'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import type { Counted } from '../../subgraphs/kernel/credential.ts'

/** What is told of a request when its answer is out. Whoever learns which operation it is says so in `operation`. */
export interface RequestUsage {
  readonly counted: Counted
  readonly startedMs: number
  operation: string
  isTold: boolean
}

/** A client that goes away before its answer is out, in the words of access logs. */
const clientClosedRequest = 499

/** Null for strangers, for whom nothing is counted. `appId` is the app of an access token. */
export function usageOf(caller: Caller, startedMs: number, appId: string | null = null): RequestUsage | null {
  const counted = countedOf(caller, appId)
  return counted && { counted, startedMs, operation: 'unknown', isTold: false }
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

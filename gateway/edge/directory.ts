import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { noUserId } from '../../subgraphs/kernel/context.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { looksLikeScimToken, scimTokenHash, type ScimTokenRecord } from '../../subgraphs/kernel/credentials/public.ts'
import type { IncomingRequest } from './address.ts'
import type { Admission, Edge } from './edge.ts'
import { exchangeOf } from './exchange.ts'
import { setResponseOwner } from './unsent.ts'
import { statusSent } from './usage.ts'

/** Finds the current record of a SCIM token by the SHA-256 of the presented token. */
export type FindScimToken = (hash: string) => Promise<ScimTokenRecord | null>

const bearer = /^bearer +(\S+)$/i

const tokenIn = ({ authorization = '' }: IncomingHttpHeaders): string => bearer.exec(authorization)?.[1] ?? ''

/** Whether the request is authenticated by a SCIM token. An API key takes precedence, as over every bearer token. */
export const presentsScimToken = (headers: IncomingHttpHeaders): boolean =>
  headers['x-api-key'] === undefined && looksLikeScimToken(tokenIn(headers))

/** Admits the directory of an organization by its SCIM token. The token acts without a user; only routes that call this accept it. */
export async function admitDirectory(
  edge: Pick<Edge, 'admit' | 'finished'>,
  findToken: FindScimToken,
  { headers, socket, originalUrl = '/' }: IncomingRequest,
  res: ServerResponse,
): Promise<Admission> {
  const startedMs = performance.now()
  const { authorization: _token, cookie: _cookie, ...others } = headers
  const anonymousAdmission = await edge.admit({ headers: others, socket, originalUrl }, res)
  const hash = scimTokenHash(tokenIn(headers))
  const record = hash === null ? null : await findToken(hash)
  if (!record)
    throw new Refusal(
      'UNAUTHENTICATED',
      'The SCIM token must be the current one of the organization; it may have been replaced or revoked.',
    )
  if (record.organizationSuspended) throw new Refusal('ORGANIZATION_SUSPENDED', 'The organization is suspended.')
  const { id, organizationId } = record
  const counted = { kind: 'SCIM_TOKEN', id, organizationId, userId: noUserId } as const
  const acting = { organizationId, userId: noUserId, role: 'ADMIN', visibility: 'ALL', ownerIds: null } as const
  const admission: Admission = {
    ...anonymousAdmission,
    usage: { counted, operation: 'unknown', startedMs, isReported: false },
    caller: { ...anonymousAdmission.caller, ...acting, kind: 'SCIM', credentialId: id },
  }
  setResponseOwner(res, organizationId)
  const exchange = exchangeOf(res)
  if (exchange) exchange.caller = admission.caller
  res.once('close', () => edge.finished(admission, statusSent(res)))
  return admission
}

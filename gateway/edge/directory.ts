import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { nobody } from '../../subgraphs/kernel/context.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { looksLikeScimToken, scimTokenHash, type ScimTokenRecord } from '../../subgraphs/kernel/scim-token.ts'
import type { Arrival } from './address.ts'
import type { Admission, Edge } from './edge.ts'
import { noteSharer } from './unsent.ts'
import { statusSent } from './usage.ts'

/** The token as it stands now, by the SHA-256 of what was presented. */
export type FindScimToken = (hash: string) => Promise<ScimTokenRecord | null>

const bearer = /^bearer +(\S+)$/i

const tokenIn = ({ authorization = '' }: IncomingHttpHeaders): string => bearer.exec(authorization)?.[1] ?? ''

/** A key beats it, as it beats every bearer token. */
export const presentsScimToken = (headers: IncomingHttpHeaders): boolean =>
  headers['x-api-key'] === undefined && looksLikeScimToken(tokenIn(headers))

/** Lets in the directory of an organization by its token, which acts as nobody and is good where it is asked for alone. */
export async function admitDirectory(
  edge: Pick<Edge, 'admit' | 'finished'>,
  findToken: FindScimToken,
  { headers, socket, originalUrl = '/' }: Arrival,
  res: ServerResponse,
): Promise<Admission> {
  const startedMs = performance.now()
  const { authorization: _token, cookie: _cookie, ...others } = headers
  const stranger = await edge.admit({ headers: others, socket, originalUrl }, res)
  const hash = scimTokenHash(tokenIn(headers))
  const record = hash === null ? null : await findToken(hash)
  if (!record)
    throw new Refusal('UNAUTHENTICATED', 'The SCIM token is not valid; it may have been replaced or revoked.')
  if (record.organizationSuspended) throw new Refusal('ORGANIZATION_SUSPENDED', 'The organization is suspended.')
  const { id, organizationId } = record
  const counted = { kind: 'SCIM_TOKEN', id, organizationId, userId: nobody } as const
  const acting = { organizationId, userId: nobody, role: 'ADMIN', visibility: 'ALL', ownerIds: null } as const
  const admission: Admission = {
    ...stranger,
    usage: { counted, operation: 'unknown', startedMs, isTold: false },
    caller: { ...stranger.caller, ...acting, kind: 'SCIM', credentialId: id },
  }
  noteSharer(res, organizationId)
  res.once('close', () => edge.finished(admission, statusSent(res)))
  return admission
}

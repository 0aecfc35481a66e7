import type { Request, Response } from 'express'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { isJsonObject } from '../../subgraphs/kernel/json/exact-number.ts'
import type { OAuthPort, OpenRegistration } from '../../subgraphs/kernel/credentials/public.ts'
import { parseBody, readBody, refuseOtherThanJson } from '../edge/body.ts'
import type { Edge } from '../edge/edge.ts'
import { metadataOf } from './adapter.ts'

export interface OpenRegistrationOptions {
  readonly edge: Pick<Edge, 'enforceRouteLimits'>
  readonly port: Pick<OAuthPort, 'registerOpen'>
}

const bodyBytesMax = 16_384
/** Counted besides `IP_LIMITS`, and also when those are off. */
const limits = [{ max: 20, windowMs: 3_600_000 }]

class MetadataError extends Error {
  constructor(
    readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata',
    message: string,
  ) {
    super(message)
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** What is kept of the metadata of a client (RFC 7591, section 2). Other members are ignored, and it becomes a public client. */
function registrationOf(metadata: unknown): OpenRegistration {
  if (!isJsonObject(metadata)) throw new MetadataError('invalid_client_metadata', 'The body must be a JSON object.')
  const { client_name: name, redirect_uris: redirectUris, scope = '', grant_types: grantTypes } = metadata
  if (!isTexts(redirectUris))
    throw new MetadataError('invalid_redirect_uri', 'redirect_uris must be an array of texts.')
  if (name !== undefined && typeof name !== 'string')
    throw new MetadataError('invalid_client_metadata', 'client_name must be a text.')
  if (typeof scope !== 'string') throw new MetadataError('invalid_client_metadata', 'scope must be a text.')
  if (grantTypes !== undefined && !(isTexts(grantTypes) && grantTypes.includes('authorization_code')))
    throw new MetadataError('invalid_client_metadata', 'grant_types must contain authorization_code.')
  return { name: name ?? '', redirectUris, scopes: scope.split(' ').filter(Boolean) }
}

/** A refusal as an error of RFC 7591. */
function errorOf(thrown: unknown): { readonly status: number; readonly error: string; readonly message: string } {
  if (thrown instanceof MetadataError) return { status: 400, error: thrown.code, message: thrown.message }
  if (!(thrown instanceof Refusal)) throw thrown
  const { status, message } = thrown
  if (status === 429 || status === 503) return { status, error: 'temporarily_unavailable', message }
  const problems = (thrown.extensions['errors'] ?? []) as readonly { readonly path: string; readonly message: string }[]
  const isRedirect = problems.some(({ path }) => path.startsWith('redirectUris'))
  const told = problems.map((problem) => problem.message).join(' ') || message
  return { status, error: isRedirect ? 'invalid_redirect_uri' : 'invalid_client_metadata', message: told }
}

/** Registers a client that has no credential. */
export async function registerOpenly(
  { edge, port }: OpenRegistrationOptions,
  req: Request,
  res: Response,
): Promise<void> {
  res.setHeader('Cache-Control', 'no-store')
  try {
    refuseOtherThanJson(req.headers)
    await edge.enforceRouteLimits(req, 'oauth-registration', limits)
    const client = await port.registerOpen(registrationOf(parseBody(await readBody(req, '', bodyBytesMax))))
    res.status(201).json({ ...metadataOf(client), client_id_issued_at: Math.floor(Date.now() / 1000) })
  } catch (thrown) {
    const { status, error, message } = errorOf(thrown)
    const retryAfter = thrown instanceof Refusal ? thrown.extensions['retryAfter'] : undefined
    if (retryAfter !== undefined) res.setHeader('Retry-After', Number(retryAfter))
    res.status(status).json({ error, error_description: message })
  }
}

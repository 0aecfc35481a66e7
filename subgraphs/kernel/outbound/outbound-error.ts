/** A request that could not be sent or was not answered correctly. The message reveals nothing about the internal network. */
export class OutboundError extends Error {
  readonly reason: 'ADDRESS_REFUSED' | 'TIMEOUT' | 'TOO_LARGE' | 'UNREACHABLE'

  constructor(reason: OutboundError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

export const refusedAddress = (): OutboundError => new OutboundError('ADDRESS_REFUSED', 'The address must be public.')

const noHttp = 'The answer is no valid HTTP.'

const messages: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The name of the host does not exist.',
  EAI_AGAIN: 'The name of the host could not be resolved.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before the answer was complete.',
  EPIPE: 'The connection was closed before the answer was complete.',
  UND_ERR_SOCKET: 'The connection was closed before the answer was complete.',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The connection was closed before the answer was complete.',
  EHOSTUNREACH: 'The host is not reachable.',
  ENETUNREACH: 'The host is not reachable.',
  UND_ERR_CONNECT_TIMEOUT: 'No connection was made in time.',
  ETIMEDOUT: 'No connection was made in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too long.',
  UND_ERR_INVALID_ARG: 'The request has an invalid header.',
}

/** What Node or undici reports, as a reason that the owner of the receiver can act on. */
export function outboundErrorOf(error: Error): OutboundError {
  if (error instanceof OutboundError) return error
  const cause = error instanceof AggregateError ? (error.errors[0] as Error) : error
  const { code = '' } = cause as { code?: unknown } as { code?: string }
  // undici does not set the code of every error of its parser.
  const message = cause.name === 'HTTPParserError' && !(code in messages) ? noHttp : messageOf(code)
  return new OutboundError('UNREACHABLE', message, { cause: error })
}

function messageOf(code: string): string {
  const message = messages[code]
  if (message) return message
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(code))
    return `The TLS connection was not accepted (${code}).`
  if (code.startsWith('HPE_')) return noHttp
  return 'The connection failed.'
}

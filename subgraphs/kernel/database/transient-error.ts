import { Refusal } from '../errors.ts'

/**
 * Codes of transient errors: deadlock, serialization failure, lock or statement timeout, a server that stops, starts or has no
 * free connection, a disk that is full or fails, a connection that is lost or cannot be opened.
 */
const codes = new Set([
  '40P01',
  '40001',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '08006',
  '08001',
  '53100',
  '53200',
  '53300',
  '58030',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** Connection errors that pg throws without a code. */
const connectionMessages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** The refusal for a transient error of the database, after which a retry may succeed; null for any other error. */
export function transientError(error: unknown): Refusal | null {
  const { code, message, syscall } = error as { code?: unknown; message?: unknown; syscall?: unknown }
  // The socket file of a stopped server is missing. A missing file in any other call is a defect.
  const isSocketGone = code === 'ENOENT' && syscall === 'connect'
  if (!(typeof code === 'string' ? codes.has(code) || isSocketGone : connectionMessages.test(String(message))))
    return null
  return new Refusal('UNAVAILABLE', 'The database is busy or restarting; retry in 1 s.', { retryAfter: 1 })
}

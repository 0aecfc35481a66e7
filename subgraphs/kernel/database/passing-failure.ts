import { Refusal } from '../errors.ts'

/**
 * Deadlock, serialization, lock or statement timeout, a server that ends, begins or is full, a disk that is full or fails, a
 * connection lost or not made.
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

/** What pg says without a code. */
const words =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** A failure of the database that passes by itself, as a refusal; null for any other. */
export function passingFailure(error: unknown): Refusal | null {
  const { code, message, syscall } = error as { code?: unknown; message?: unknown; syscall?: unknown }
  // The socket file of a server that is away; any other file that is missing is a defect.
  const isSocketGone = code === 'ENOENT' && syscall === 'connect'
  if (!(typeof code === 'string' ? codes.has(code) || isSocketGone : words.test(String(message)))) return null
  return new Refusal('UNAVAILABLE', 'The service is busy; try again.', { retryAfter: 1 })
}

/** The database, or the disk that it and this process write to, as errors name them by code. */
const prefixes = ['08', '53', '57', '58', 'XX'] as const
const codes = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'EPIPE',
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // Deadlock, serialization, lock timeout.
  '40P01',
  '40001',
  '55P03',
])

/** What pg says without a code. */
const words =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

interface Failure {
  readonly code?: unknown
  readonly message?: unknown
  readonly syscall?: unknown
  readonly cause?: unknown
  readonly previous?: unknown
  readonly errors?: unknown
}

function isOutside({ code, message, syscall }: Failure): boolean {
  if (typeof code !== 'string') return words.test(String(message))
  if (codes.has(code) || (code === 'ENOENT' && syscall === 'connect')) return true
  return code.length === 5 && prefixes.some((prefix) => code.startsWith(prefix))
}

/**
 * Why something failed that needs the database or the disk, in one line: the reason may lie under what libraries wrap around
 * it. Null for a defect of our own.
 */
export function failureReason(thrown: unknown): string | null {
  if (typeof thrown !== 'object' || thrown === null) return null
  const failure = thrown as Failure
  const inner = [
    failure.cause,
    failure.previous,
    ...(Array.isArray(failure.errors) ? (failure.errors as unknown[]) : []),
  ]
  for (const each of inner) {
    const reason = failureReason(each)
    if (reason !== null) return reason
  }
  return isOutside(failure) ? String(failure.message).split('\n')[0]! : null
}

/** Classes of PostgreSQL error codes for failures of the database or its disk. */
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

/** Connection errors that pg throws without a code. */
const connectionMessages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

interface Failure {
  readonly code?: unknown
  readonly message?: unknown
  readonly syscall?: unknown
  readonly cause?: unknown
  readonly previous?: unknown
  readonly errors?: unknown
}

function isInfrastructureFailure({ code, message, syscall }: Failure): boolean {
  if (typeof code !== 'string') return connectionMessages.test(String(message))
  if (codes.has(code) || (code === 'ENOENT' && syscall === 'connect')) return true
  return code.length === 5 && prefixes.some((prefix) => code.startsWith(prefix))
}

/**
 * The reason of a failure of the database or the disk, in one line. Looks through the errors that libraries wrap around it. Null
 * when the error is a defect in our own code.
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
  return isInfrastructureFailure(failure) ? String(failure.message).split('\n')[0]! : null
}

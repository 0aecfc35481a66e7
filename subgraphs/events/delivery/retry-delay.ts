const hourMs = 3_600_000
const delayMaxMs = 6 * hourMs
const retryAfterMaxMs = 24 * hourMs
const jitterShare = 0.1

/** The delay after a failed attempt: doubled for each one, plus up to a tenth at random, at most 6 hours. */
export function retryDelayMs(retryDelaySeconds: number, attempts: number, random = Math.random()): number {
  const delayMs = retryDelaySeconds * 1000 * 2 ** Math.min(attempts - 1, 30)
  return Math.min(Math.round(delayMs * (1 + random * jitterShare)), delayMaxMs)
}

/** The delay that a receiver asks for with 429 or 503, at most 24 hours; 0 for none, or one that cannot be read. */
export function requestedDelayMs(status: number, retryAfter: string | string[] | undefined, now: Date): number {
  if ((status !== 429 && status !== 503) || typeof retryAfter !== 'string') return 0
  const text = retryAfter.trim()
  const delayMs = /^\d+$/.test(text) ? Number(text) * 1000 : timeOf(text) - now.getTime()
  return delayMs > 0 ? Math.min(delayMs, retryAfterMaxMs) : 0
}

/** The three forms of an HTTP date (RFC 9110); the oldest one, of asctime, names no time zone. NaN for another text. */
function timeOf(text: string): number {
  if (!/^[A-Z][a-z]+,? /.test(text)) return NaN
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
}

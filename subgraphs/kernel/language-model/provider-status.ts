import type { Refusal } from '../errors.ts'
import { modelFailed, modelUnavailable } from './model-error.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Seconds in Retry-After, which may also be a date. */
function retryAfterOf(headers: Headers, now: Date): number {
  const text = String(headers['retry-after'] ?? '')
  if (/^\d+$/.test(text)) return Number(text)
  const until = Date.parse(text)
  return Number.isNaN(until) ? 5 : (until - now.getTime()) / 1000
}

/** What the client is told when the provider answers with another status than success. */
export function refusalOfStatus(status: number, headers: Headers, now: Date): Refusal {
  if (status === 429) return modelUnavailable('has too many requests', retryAfterOf(headers, now))
  if (status >= 500) return modelUnavailable('does not answer', retryAfterOf(headers, now))
  return modelFailed(`refused the request with status ${status}`)
}

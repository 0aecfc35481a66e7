import { createHash } from 'node:crypto'
import type { FlowElement } from '../flow/flow-parts.ts'
import type { StoredInterview } from './interview-store.ts'

/**
 * Identifies what an element does outside of the platform. It is the same when the work runs again after an external call, and when a request is repeated
 * because a process was killed: it follows from what the user has sent (`cause`), and not from what elements have found, which may differ each time.
 */
export function effectKey({ id }: StoredInterview, executed: number, { name }: FlowElement, cause: unknown): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([name, cause]))
    .digest('base64url')
  return `flow:${id}:${executed}:${digest}`
}

import { createHash } from 'node:crypto'
import type { Config } from '../flow/elements/element-type.ts'
import type { FlowElement } from '../flow/flow-parts.ts'
import type { StoredInterview } from './interview-store.ts'

/**
 * Identifies what an element does outside of the platform. It is the same when the element does the same again: after an external call, or when a killed
 * process had executed it.
 */
export function effectKey({ id }: StoredInterview, executed: number, { name }: FlowElement, input: Config): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([name, input]))
    .digest('base64url')
  return `flow:${id}:${executed}:${digest}`
}

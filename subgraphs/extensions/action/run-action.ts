import type { Caller } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { portsOf, requestContext, type Services } from '../../kernel/request.ts'
import { actionPorts } from '../function/function.context.ts'
import { executeAction } from './execute-action.ts'
import type { ActionOutcome } from './outcome.ts'

export type { ActionOutcome }

export interface ActionRunStart {
  readonly organizationId: string
  /** Either of them names the action. */
  readonly actionId?: string
  readonly apiName?: string
  readonly recordId: string | null
  readonly input: unknown
  /** As whom it runs, with its origin; the caller must see the record. */
  readonly caller: Caller
  readonly depth: number
  /** The same for all attempts of one cause. */
  readonly idempotencyKey: string
}

/**
 * Runs an action for an automation of this subgraph. Must not be called in a transaction. Throws the refusals that a client would get; a run that
 * failed is an outcome.
 */
export async function runAction(services: Services, start: ActionRunStart): Promise<ActionOutcome> {
  const { organizationId, actionId, apiName, recordId, input, depth, idempotencyKey } = start
  await services.shapes.load(organizationId)
  await services.extensions.load(organizationId)
  const { caller } = start
  const operation = { caller, requestId: newId(), idempotency: null }
  const ctx = requestContext(operation, services, { ports: portsOf(services, actionPorts) })
  return executeAction(ctx, { key: actionId ?? apiName ?? '', recordId, input, depth, idempotencyKey })
}

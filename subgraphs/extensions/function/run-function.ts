import type { Services } from '../../kernel/request.ts'
import { portsOf, requestContext, systemContext } from '../../kernel/request.ts'
import { requireDepth } from '../../kernel/automation/depth.ts'
import { functionPorts } from './function.context.ts'
import { prepareRun, type FunctionStart } from './prepare.ts'
import { recordInvocation } from './record-invocation.ts'
import { run, type FunctionOutcome } from './run.ts'

export type { FunctionStart, FunctionOutcome }

/**
 * Runs a function for what starts it without a client, and logs the invocation; null if it was deleted, or has no version to run. A process that ends
 * meanwhile leaves no entry: whoever starts functions attempts it again, with the same `effectKey`.
 */
export async function runFunction(
  services: Services,
  start: FunctionStart,
): Promise<(FunctionOutcome & { readonly invocationId: string }) | null> {
  requireDepth(start.depth)
  const { organizationId } = start
  const prepared = await prepareRun(services.tenants.of(organizationId), services.clock.now(), start)
  if (!prepared) return null
  const outcome = await run({ ...portsOf(services, functionPorts), clock: services.clock }, prepared)
  const { caller, invocationId } = prepared
  // The log counts as what the organization writes, unless nobody may act for it.
  const ctx = caller
    ? requestContext({ caller, requestId: invocationId, idempotency: null }, services)
    : systemContext(services, organizationId)
  await recordInvocation(ctx, prepared, outcome)
  return { ...outcome, invocationId }
}

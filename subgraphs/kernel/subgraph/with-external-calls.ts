import { ExternalCalls } from '../outbound/external-calls.ts'
import { requestContext, type RequestContext } from '../request.ts'
import type { SubgraphResult } from './endpoint.ts'
import type { KeyedRequest } from './idempotency.ts'
import { refused, RolledBack, rollBackUnlessWhole } from './whole-answer.ts'

/**
 * Runs a mutation without an idempotency key in one transaction, and again until every external call in it has a result: as with a key, but no
 * answer is stored. An atomic mutation commits only if its answer has no error.
 */
export async function runWithExternalCalls(
  { services, ports, request }: Omit<KeyedRequest, 'kinds'>,
  run: (ctx: RequestContext) => Promise<SubgraphResult>,
): Promise<SubgraphResult> {
  const { context } = request
  const { organizationId } = context.caller
  const externalCalls = new ExternalCalls()
  for (;;) {
    externalCalls.beginRound()
    try {
      await services.vault.load(organizationId)
      return await services.tenants.of(organizationId, context).transaction(async (db) => {
        const answer = await run(requestContext(context, services, { ports, db, externalCalls }))
        rollBackUnlessWhole(answer, externalCalls, context)
        return answer
      })
    } catch (error) {
      if (await externalCalls.callRegistered()) continue
      if (error instanceof RolledBack) return error.answer
      return refused(error)
    }
  }
}

import type { GraphQuery } from '../../kernel/graph-port/graph-port.ts'
import { notInDryRun } from '../../kernel/dry-run.ts'
import { externalCall, pureCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireWrite, shapeOf, typeOf } from '../tool/records.ts'
import { performAction } from './confirm-action.ts'
import {
  asAnswer,
  beginProposal,
  endProposal,
  executorOf,
  isPassing,
  outcomeOfRefusal,
  refusalOf,
  requireOpen,
  requireWriter,
  type Confirming,
} from './decide.ts'
import type { Proposal } from './proposal.types.ts'
import { isOfAction, mutationName, proposalOf, readProposal, requireProposal, type ProposalRow } from './stored.ts'

const costMax = 1_000

function mutationOf(row: ProposalRow): GraphQuery {
  const type = typeOf(shapeOf(row.object))
  const name = mutationName(row)
  if (row.action === 'create')
    return {
      document: `mutation ($input: ${type}CreateInput!) { result: ${name}(input: $input) { id } }`,
      variables: { input: { ...row.input, id: row.recordId } },
      costMax,
    }
  return {
    document: `mutation ($id: ID!, $input: ${type}UpdateInput!, $expectedVersion: Int) {
      result: ${name}(id: $id, input: $input, expectedVersion: $expectedVersion) { id }
    }`,
    variables: { id: row.recordId, input: row.input, expectedVersion: row.expectedVersion },
    costMax,
  }
}

/**
 * Performs the change as the user, with the version that was read. It has one idempotency key for all confirmations: of two at the same time, and
 * after `kill -9` at any line, it is made once.
 */
async function perform(ctx: Confirming, id: string): Promise<void> {
  const { caller, clock, graph, requestId } = ctx
  const row = requireOpen(await requireProposal(ctx.db, caller, id), clock.now())
  if (isOfAction(row)) return performAction(ctx, row)
  requireWrite(caller, row.object)
  await beginProposal(ctx, row)
  const refusal = await graph
    .execute(mutationOf(row), executorOf(ctx, row), { requestId, idempotencyKey: row.id })
    .catch(asAnswer)
    .then(refusalOf)
  if (refusal && isPassing(refusal)) throw refusal
  await endProposal(ctx, row, refusal ? outcomeOfRefusal(refusal) : { status: 'CONFIRMED', error: null })
  if (refusal) throw refusal
}

/** Tries the change that was proposed. What an action answers is known only when it has run. */
async function tryProposal(inner: Confirming, id: string): Promise<Proposal> {
  const { caller, clock, db, graph, requestId } = inner
  const row = requireOpen(await requireProposal(db, caller, id), clock.now())
  if (isOfAction(row)) throw notInDryRun('An action')
  requireWrite(caller, row.object)
  const refusal = await pureCall(inner, `confirm ${id}`, () => {
    const mutation = mutationOf(row)
    const executor = executorOf(inner, row)
    return Promise.resolve(async () =>
      refusalOf(await graph.execute(mutation, executor, { requestId, dryRun: 'CHANGES' }).catch(asAnswer)),
    )
  })
  if (refusal) throw refusal
  await endProposal(inner, row, { status: 'CONFIRMED', error: null })
  return readProposal(inner, id)
}

/** Makes the change that was proposed, once. */
export async function confirmProposal(ctx: Confirming, id: string): Promise<Proposal> {
  requireWriter(ctx)
  if (ctx.dryRun) return transactionWithExternalCalls(ctx, (inner) => tryProposal(inner, id))
  return transactionWithExternalCalls(ctx, async (inner) => {
    await externalCall(inner, `confirm ${id}`, async () => {
      // The transaction of the request is over when the change is made.
      const outside = { ...inner, externalCalls: null, db: inner.tenants.of(inner.caller.organizationId) }
      return () => perform(outside, id)
    })
    return readProposal(inner, id)
  })
}

export async function rejectProposal(ctx: RequestContext, id: string): Promise<Proposal> {
  requireWriter(ctx)
  return inTransaction(ctx, async (inner) => {
    const { db, caller, clock } = inner
    const now = clock.now()
    const row = requireOpen(await requireProposal(db, caller, id, true), now)
    if (row.begunAt !== null) throw refusalInSituation('The proposal is being confirmed.')
    await db.query(
      `update assistant.proposal set status = 'REJECTED', decided_at = $3 where organization_id = $1 and id = $2`,
      [caller.organizationId, row.id, now.toISOString()],
      'WRITE',
    )
    return proposalOf(caller, await requireProposal(db, caller, row.id), now)
  })
}

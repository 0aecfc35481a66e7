import { notFound } from '../../kernel/errors.ts'
import { transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { inTransaction, withoutEffect, type RequestContext } from '../../kernel/request.ts'
import { operationEvents, type OperationEvent } from './operation-events.ts'
import { referredByOthers } from './referred-by-others.ts'
import { selectionOf } from './selection.ts'
import { createUndoJob, operationOfUndo, shownUndoJob, type StoredUndoJob } from './stored-undo-job.ts'
import { UndoRecords } from './undo-records.ts'
import { notUndoneMax, type UndoInput, type UndoResult } from './undo.types.ts'

/** Takes back what an operation did, as far as the caller sees and may write it: at once, or by a job if that is too much for one transaction. */
export async function undo(ctx: RequestContext, input: UndoInput): Promise<UndoResult> {
  requireWritableRole(ctx)
  const selection = await selectionOf(ctx, input)
  const { onConflict, dryRun } = input
  return transactionWithExternalCalls(ctx, async (inner) => {
    const events = await operationEvents(inner, selection)
    const result = events && (await resultAtOnce(inner, input, events))
    return result ?? inBackground(await createUndoJob(inner, { selection, onConflict, dryRun }))
  })
}

/** More stays than an answer lists. Nothing of the undo is kept. */
class TooMuchLeft extends Error {}

/** The result of an undo in this transaction; null if it would leave more than an answer lists, and then nothing is undone. */
async function resultAtOnce(
  ctx: RequestContext,
  input: UndoInput,
  events: readonly OperationEvent[],
): Promise<UndoResult | null> {
  try {
    if (!input.dryRun) return await inTransaction(ctx, (inner) => undoAtOnce(inner, input, events))
    const tried = { ...ctx, dryRun: ctx.dryRun ?? ('CHANGES' as const) }
    return await withoutEffect(tried, (inner) => undoAtOnce(inner, input, events))
  } catch (error) {
    if (error instanceof TooMuchLeft) return null
    throw error
  }
}

const inBackground = (job: StoredUndoJob): UndoResult => ({
  operationId: operationOfUndo(job.id),
  dryRun: job.dryRun,
  undone: [],
  notUndone: [],
  isComplete: false,
  job: shownUndoJob(job),
})

async function undoAtOnce(
  ctx: RequestContext,
  { onConflict, dryRun }: UndoInput,
  events: readonly OperationEvent[],
): Promise<UndoResult> {
  const records = new UndoRecords(ctx)
  const plans = await records.plansOf(events)
  if (plans.length === 0 && records.left.length === 0) throw notFound('A change that you see of this operation')
  await records.lock(plans)
  const [created, others] = [plans.filter(({ plan }) => plan.isCreated), plans.filter(({ plan }) => !plan.isCreated)]
  // What came last is undone first: children before their parents, and references to created records before these.
  await records.take(others.toReversed())
  const referred = await referredByOthers(
    ctx,
    created.map(({ plan }) => plan),
  )
  await records.take(created.toReversed(), referred)
  // Until the hooks have answered, what they refuse is not known.
  ctx.externalCalls?.requireNoneWaiting()
  if (onConflict === 'REFUSE' && records.conflicts.length > 0) throw records.refusal()
  if (records.notUndone.length > notUndoneMax) throw new TooMuchLeft()
  return {
    operationId: ctx.operationId ?? ctx.requestId,
    dryRun: dryRun || ctx.dryRun !== undefined,
    undone: records.undone,
    notUndone: records.notUndone,
    isComplete: true,
    job: null,
  }
}

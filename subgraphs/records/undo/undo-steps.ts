import { transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { nameOf } from '../../kernel/record/describe.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { eventsAt } from './operation-events.ts'
import { referredByOthers } from './referred-by-others.ts'
import { isUnfinished, readUndoJob, type StoredUndoJob, type UndoPhase } from './stored-undo-job.ts'
import { isItem, listItems, markItems, nextItems, type UndoItem } from './undo-items.ts'
import { contextOf, EventsWaiting, JobEnded, JobFailure, requireUnfinished, type Turn } from './undo-lease.ts'
import { endJob, storeProgress, type Progress } from './undo-progress.ts'
import { UndoRecords, type PlannedRecord } from './undo-records.ts'
import { storeUndoResults } from './undo-results.ts'

const nothingSeen = () => new JobFailure('NOT_FOUND', 'The user who created the job sees no change of this operation.')

const phaseAfter: Readonly<Record<UndoPhase, UndoPhase | null>> = {
  LIST: 'COMPARE',
  COMPARE: 'OTHERS',
  OTHERS: 'CREATED',
  CREATED: null,
}

/** What follows when the records of a phase are done. False if the job has ended. */
async function endPhase(ctx: RequestContext, job: StoredUndoJob): Promise<boolean> {
  const { organizationId } = ctx.caller
  const { id, phase, dryRun, onConflict, conflicts, recordsSeen } = job
  if (phase === 'COMPARE') {
    if (recordsSeen === 0) throw nothingSeen()
    if (onConflict === 'REFUSE' && conflicts > 0) {
      const many = conflicts === 1 ? 'One change' : `${conflicts} changes`
      throw new JobFailure('UNDO_CONFLICT', `${many} of the operation cannot be undone; nothing was undone.`)
    }
  }
  const next = phase === 'COMPARE' && dryRun ? null : phaseAfter[phase]
  if (next === null) {
    await endJob(ctx, organizationId, id, { status: 'SUCCEEDED' })
    return false
  }
  await storeProgress(ctx, job, { phase: next, checkpoint: null })
  return true
}

const countOfRecords = (parts: readonly { object: string; recordId: string }[]): number =>
  new Set(parts.map(({ object, recordId }) => `${object} ${recordId}`)).size

const eventsOf = (ctx: RequestContext, items: readonly UndoItem[]) =>
  eventsAt(
    ctx,
    items.flatMap(({ positions }) => positions),
  )

async function referredBy(ctx: RequestContext, job: StoredUndoJob, plans: readonly PlannedRecord[]) {
  const created = plans.flatMap(({ plan }) => (plan.isCreated ? [plan] : []))
  return referredByOthers(ctx, created, isItem(ctx, job))
}

/** Finds out which records the user sees, and compares them if something may depend on it. Nothing is changed. */
async function compare(
  ctx: RequestContext,
  job: StoredUndoJob,
  items: readonly UndoItem[],
  isUnprocessable: boolean,
): Promise<Progress> {
  const records = new UndoRecords(ctx, true)
  if (isUnprocessable) leaveAll(records, items)
  const plans = isUnprocessable ? [] : await records.plansOf(eventsOf(ctx, items))
  await markItems(
    ctx,
    job,
    plans.map(({ plan }) => plan),
  )
  const isCompared = job.dryRun || job.onConflict === 'REFUSE'
  if (isCompared) await records.take(plans, await referredBy(ctx, job, plans))
  const undone = job.dryRun ? records.undone : []
  const results = await storeUndoResults(ctx, job, { undone, notUndone: records.notUndone })
  return {
    recordsSeen: job.recordsSeen + plans.length + records.left.length,
    recordsProcessed: job.recordsProcessed + (job.dryRun ? plans.length : 0) + records.left.length,
    recordsUndone: job.recordsUndone + undone.length,
    recordsNotUndone: job.recordsNotUndone + countOfRecords(records.notUndone),
    conflicts: job.conflicts + records.conflicts.length,
    results,
  }
}

function leaveAll(records: UndoRecords, items: readonly UndoItem[]): void {
  for (const { object, recordId } of items) {
    const message = `The ${nameOf({ object })} could not be processed.`
    const unknown = { field: null, changedById: null, changedAt: null }
    records.left.push({ object, recordId, reason: 'REFUSED', message, ...unknown })
  }
}

/** Undoes records. A record that nobody could process stays, and is told. */
async function takeBack(
  ctx: RequestContext,
  job: StoredUndoJob,
  items: readonly UndoItem[],
  isUnprocessable: boolean,
): Promise<Progress> {
  const records = new UndoRecords(ctx)
  if (isUnprocessable) leaveAll(records, items)
  else {
    const plans = await records.plansOf(eventsOf(ctx, items))
    await records.lock(plans)
    await records.take(plans, job.phase === 'CREATED' ? await referredBy(ctx, job, plans) : undefined)
  }
  const { undone, notUndone } = records
  return {
    recordsProcessed: job.recordsProcessed + items.length,
    recordsUndone: job.recordsUndone + undone.length,
    recordsNotUndone: job.recordsNotUndone + countOfRecords(notUndone),
    results: await storeUndoResults(ctx, job, { undone, notUndone }),
  }
}

/** One transaction of a job, with its checkpoint. False if the job has ended. */
export async function step(turn: Turn, size: number, isUnprocessable: boolean): Promise<boolean> {
  const { services, organizationId, item } = turn
  const known = await readUndoJob({ db: services.database }, organizationId, item.id)
  if (!known || !isUnfinished(known)) throw new JobEnded()
  return transactionWithExternalCalls(await contextOf(turn, known), async (ctx) => {
    const job = await requireUnfinished(ctx, turn)
    if (job.phase === 'LIST') {
      const listed = await listItems(ctx, job)
      if (listed === 'WAIT') throw new EventsWaiting()
      if (!listed) throw nothingSeen()
      await storeProgress(ctx, job, listed)
      return listed.checkpoint < listed.listThrough || endPhase(ctx, { ...job, ...listed })
    }
    const items = await nextItems(ctx, job, size)
    if (items.length === 0) return endPhase(ctx, job)
    const work = job.phase === 'COMPARE' ? compare : takeBack
    const progress = await work(ctx, job, items, isUnprocessable)
    await storeProgress(ctx, job, { ...progress, checkpoint: items.at(-1)!.number })
    return true
  })
}

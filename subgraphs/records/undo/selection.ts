import { invalid, notFound, type FieldProblem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { recordTypeNamesIn } from '../../kernel/record/custom-object.ts'
import { scopeOf } from '../../kernel/record/requires-scope.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { operationOfKey } from '../../kernel/subgraph/operation-of-key.ts'
import { readJob } from '../bulk-job/stored-job.ts'
import { namedShapes } from '../named-shapes.ts'
import type { Selection } from './operation-events.ts'
import { readUndoJob } from './stored-undo-job.ts'
import type { UndoInput } from './undo.types.ts'
import { undoableNamed } from './undoable.ts'

/** What the input means. Refuses one that names nothing, or several things. */
export async function selectionOf(ctx: RequestContext, input: UndoInput): Promise<Selection> {
  const { operationId, idempotencyKey, userId, from, to, objects } = input
  const given = [operationId, idempotencyKey, userId].filter((value) => value != null)
  if (given.length !== 1)
    throw invalid({
      path: 'operationId',
      code: 'NOT_ALLOWED',
      message: 'Give exactly one of operationId, idempotencyKey and userId.',
    })
  if (userId == null) {
    const problems = Object.entries({ from, to, objects }).flatMap(([path, value]): FieldProblem[] =>
      value == null ? [] : [{ path, code: 'NOT_ALLOWED', message: `${path} must be given with userId only.` }],
    )
    if (problems.length > 0) throw invalid(...problems)
    const found = operationId ?? (await operationOfKey(ctx, idempotencyKey!))
    if (found === null) throw notFound('An operation with this key')
    await requireEnded(ctx, found)
    return { operationId: found }
  }
  if (from == null) throw invalid({ path: 'from', code: 'REQUIRED', message: 'from must be given with userId.' })
  const soon = new Date(ctx.clock.now().getTime() + 1).toISOString()
  const until = to != null && Date.parse(to) < Date.parse(soon) ? to : soon
  if (Date.parse(from) >= Date.parse(until))
    throw invalid({ path: 'from', code: 'OUT_OF_RANGE', message: 'from must be before to.' })
  return { userId, from, to: until, objects: objectsOf(ctx, objects ?? null) }
}

/** Refuses the operation of a job that has not ended: what it will still write would stay. */
async function requireEnded(ctx: RequestContext, operationId: string): Promise<void> {
  const [, kind, id = ''] = /^(bulk|undo):(.+)$/.exec(operationId) ?? []
  if (!isId(id)) return
  const { organizationId } = ctx.caller
  const state =
    kind === 'bulk'
      ? (await readJob(ctx.db, organizationId, id))?.state
      : (await readUndoJob(ctx, organizationId, id))?.status
  if (state !== undefined && ['UPLOAD_COMPLETE', 'IN_PROGRESS', 'QUEUED', 'RUNNING'].includes(state))
    throw refusalInSituation(`The job of the operation is ${state}; it can be undone when it has ended.`, { state })
}

/** The named record types, or all that the caller may change. */
function objectsOf(ctx: RequestContext, names: readonly string[] | null): string[] {
  const all = recordTypeNamesIn(ctx).flatMap((object) => undoableNamed(ctx, object) ?? [])
  if (names === null)
    return all.flatMap(({ definition, scope }) =>
      holdsScope(ctx.caller, scopeOf('WRITE', scope)) ? [definition.object] : [],
    )
  const shapes = all.map(({ definition }) => definition)
  const what = 'whose changes can be undone'
  return namedShapes(ctx.caller, shapes, { names, path: 'objects', what }).map(({ object }) => object)
}

import type { Caller } from '../../kernel/context.ts'
import type { Row } from '../../kernel/database/sql.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import type { Values } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { meets } from '../../kernel/scopes.ts'
import { requireScopes } from '../../kernel/unmet-scopes.ts'
import { changesIn, type Selection } from './operation-events.ts'
import type { UndoJob } from './undo-job.types.ts'
import type { ConflictHandling, UndoJobStatus } from './undo.enumerations.ts'
import { requireRoomForUndo } from './undo-limits.ts'
import { scopesOf } from './undo-records.ts'
import { undoableNamed } from './undoable.ts'

/** LIST: its records are found in the log; COMPARE; OTHERS: those that the operation did not create are undone; CREATED: those that it created are deleted. */
export type UndoPhase = 'LIST' | 'COMPARE' | 'OTHERS' | 'CREATED'

export interface StoredUndoJob {
  readonly id: string
  readonly selection: Selection
  readonly onConflict: ConflictHandling
  readonly dryRun: boolean
  readonly objects: readonly string[]
  readonly scopes: readonly string[]
  readonly createdById: string
  /** The credential that created it; null for jobs of earlier versions. */
  readonly createdWith: Pick<Caller, 'kind' | 'credentialId'> | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly expiresAt: string | null
  readonly status: UndoJobStatus
  readonly phase: UndoPhase
  readonly checkpoint: number | null
  readonly listThrough: number | null
  readonly recordsSeen: number
  readonly recordsProcessed: number
  readonly recordsUndone: number
  readonly recordsNotUndone: number
  readonly conflicts: number
  readonly results: number
  readonly errorCode: string | null
  readonly errorMessage: string | null
}

export const isUnfinished = ({ status }: StoredUndoJob): boolean => status === 'QUEUED' || status === 'RUNNING'

export const undoJobColumns = `j.id, j.selection, j.on_conflict as "onConflict", j.dry_run as "dryRun", j.objects, j.scopes, j.created_by_id as "createdById",
  j.created_with as "createdWith", j.created_at as "createdAt", j.started_at as "startedAt", j.ended_at as "endedAt", j.expires_at as "expiresAt", j.job_status as status, j.phase,
  j.checkpoint::float8 as checkpoint, j.list_through::float8 as "listThrough", j.records_seen as "recordsSeen", j.records_processed as "recordsProcessed",
  j.records_undone as "recordsUndone", j.records_not_undone as "recordsNotUndone", j.conflicts, j.results, j.error_code as "errorCode",
  j.error_message as "errorMessage"`

export async function readUndoJob(
  { db }: Pick<RequestContext, 'db'>,
  organizationId: string,
  id: string,
  { isLocked = false } = {},
): Promise<StoredUndoJob | null> {
  const [job] = await db.query<StoredUndoJob & Row>(
    `select ${undoJobColumns} from records.undo_job j where j.organization_id = $1 and j.id = $2${isLocked ? ' for update' : ''}`,
    [organizationId, id],
    isLocked ? 'WRITE' : 'LOOKUP',
  )
  return job ?? null
}

/** The operation of what a job changes, in events. */
export const operationOfUndo = (id: string): string => `undo:${id}`

const scopesOfTypes = (ctx: RequestContext, objects: readonly string[]) =>
  scopesOf(objects.map((object) => undoableNamed(ctx, object)))

const isAdministrator = ({ role }: Caller): boolean => role === 'OWNER' || role === 'ADMIN'

/** SQL condition that the caller may see the job `j`: users see their own, owners and admins all of them. */
export function visibleUndoJobs({ caller }: RequestContext, values: Values): string {
  const ofOrganization = `j.organization_id = ${values.add(caller.organizationId)}`
  return isAdministrator(caller)
    ? ofOrganization
    : `${ofOrganization} and j.created_by_id = ${values.add(caller.userId)}`
}

/** SQL condition that the credential has the scopes of the job `j`. */
export async function usableUndoJobs(ctx: RequestContext, values: Values): Promise<string> {
  const types = await ctx.db.query<{ object: string }>(
    `select distinct object from records.undo_job j, unnest(j.objects) object where j.organization_id = $1`,
    [ctx.caller.organizationId],
    'LIST',
  )
  const usable = types.flatMap(({ object }) =>
    scopesOfTypes(ctx, [object]).every((needed) => meets(ctx.caller, needed)) ? [object] : [],
  )
  return `j.objects <@ ${values.add(usable)}::text[]`
}

/** Whether the credential lacks a scope of the record types of the job. */
export const lacksScopes = (ctx: RequestContext, { objects }: StoredUndoJob): boolean =>
  !scopesOfTypes(ctx, objects).every((needed) => meets(ctx.caller, needed))

/** A job that the caller sees. 404 if there is none, 403 without the scopes of its record types. */
export async function requireUndoJob(
  ctx: RequestContext,
  id: string,
  options?: { isLocked: boolean },
): Promise<StoredUndoJob> {
  const job = isId(id) ? await readUndoJob(ctx, ctx.caller.organizationId, id.toLowerCase(), options) : null
  if (!job || !(isAdministrator(ctx.caller) || job.createdById === ctx.caller.userId)) throw notFound('The undo job')
  requireScopes(ctx.caller, scopesOfTypes(ctx, job.objects))
  return job
}

/** A job as clients see it. */
export function shownUndoJob({ selection, ...job }: StoredUndoJob): UndoJob {
  const { id, status, onConflict, dryRun, recordsProcessed, recordsUndone, recordsNotUndone } = job
  const { errorCode, errorMessage, createdById, createdAt, startedAt, endedAt, expiresAt } = job
  const isCompared = job.phase === 'OTHERS' || job.phase === 'CREATED' || status === 'SUCCEEDED'
  return {
    id,
    status,
    operationId: operationOfUndo(id),
    undoneOperationId: 'operationId' in selection ? selection.operationId : null,
    undoneUserId: 'userId' in selection ? selection.userId : null,
    onConflict,
    dryRun,
    recordsTotal: isCompared || errorCode === 'UNDO_CONFLICT' ? job.recordsSeen : null,
    recordsProcessed,
    recordsUndone,
    recordsNotUndone,
    errorCode,
    errorMessage,
    createdById,
    createdAt,
    startedAt,
    endedAt,
    expiresAt,
  }
}

interface Undoing {
  readonly selection: Selection
  readonly onConflict: ConflictHandling
  readonly dryRun: boolean
}

/** Creates a job that undoes the selection, in the open transaction. Refuses a caller without the scope of one of the types, or a selection without events. */
export async function createUndoJob(
  ctx: RequestContext,
  { selection, onConflict, dryRun }: Undoing,
): Promise<StoredUndoJob> {
  const { db, caller, clock } = ctx
  const { organizationId, userId, scopes, kind, credentialId } = caller
  const { objects, changes } = await changesIn(ctx, selection)
  if (objects.length === 0) throw notFound('A change that you see of this operation')
  requireScopes(caller, scopesOfTypes(ctx, objects))
  await requireRoomForUndo(ctx, changes)
  const id = newId()
  await db.query(
    `with run as (insert into records.undo_run (organization_id, id) values ($1, $2))
     insert into records.undo_job (organization_id, id, selection, on_conflict, dry_run, objects, scopes, created_by_id, created_at, changes, created_with)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      organizationId,
      id,
      JSON.stringify(selection),
      onConflict,
      dryRun,
      objects,
      scopes,
      userId,
      clock.now().toISOString(),
      changes,
      JSON.stringify({ kind, credentialId }),
    ],
    'WRITE',
  )
  return (await readUndoJob(ctx, organizationId, id))!
}

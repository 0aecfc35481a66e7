import type { Caller } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { customObjectName } from '../../kernel/record/custom-object.ts'
import { loadableIn, loadableNames } from '../../kernel/record/loadable-records.ts'
import type { Values } from '../../kernel/record/predicate.ts'
import { scopeOf } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { requireScopes } from '../../kernel/unmet-scopes.ts'
import type { BulkContentType, BulkJobState, BulkOperation } from './bulk-job.enumerations.ts'
import { defaultOptions, type JobOptions } from './bulk-job.options.ts'
import type { BulkJob, BulkJobError } from './bulk-job.types.ts'
import type { ExportQuery } from './export/export-query.types.ts'
import type { TextEncoding } from './parse/text-encoding.ts'

/** What is known of the file when its upload is complete. */
export interface FileFormat {
  readonly encoding: TextEncoding
  /** Null for NDJSON. */
  readonly delimiter: string | null
  /** The names of the columns of CSV; empty for NDJSON. */
  readonly columns: readonly string[]
  /** The place of the first row. */
  readonly byte: number
  /** Absent of exports, and of jobs of earlier versions. */
  readonly namedBy?: NamedBy
}

/** Whoever completed the upload, and so names the fields of the file (`FieldUsage`). */
export interface NamedBy extends Pick<Caller, 'kind' | 'credentialId' | 'origin'> {
  /** Absent of jobs of earlier versions. */
  readonly queryName?: string | undefined
}

export interface Checkpoint {
  /** The place in the file, all parts together, of the next row. */
  readonly byte: number
  /** The number of the last row before it; rows are numbered from 1. */
  readonly row: number
}

export interface StoredPart {
  readonly part: number
  readonly contentId: string
  readonly bytes: number
  readonly sha256: string
}

/** What is known of the file of an export, or of the parts that an attempt has written. */
export interface ExportedFile {
  /** Files of an attempt that has not ended: they have no owner. */
  readonly written: readonly string[]
  /** Hexadecimal, of all bytes; null until the file is complete. */
  readonly sha256: string | null
  /** The names of the fields that it has. */
  readonly fields: readonly string[]
  /** The fields that were hidden from the user. */
  readonly hidden: readonly string[]
  /** The users whose records the user saw; null: all. */
  readonly ownerIds: readonly string[] | null
}

export interface StoredJob {
  readonly id: string
  readonly object: string
  readonly operation: BulkOperation
  /** The name of the key by which rows name records: `id`, `externalId` or `customFields.<name>`. */
  readonly matchBy: string
  readonly contentType: BulkContentType
  readonly state: BulkJobState
  readonly options: JobOptions
  readonly scopes: readonly string[]
  readonly createdById: string
  /** The credential that created it; null for jobs of earlier versions. */
  readonly createdWith: Pick<Caller, 'kind' | 'credentialId'> | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly completedAt: string | null
  readonly expiresAt: string
  readonly format: FileFormat | null
  readonly bytesTotal: number
  readonly checkpoint: Checkpoint
  readonly recordsTotal: number | null
  readonly recordsSucceeded: number
  readonly recordsFailed: number
  readonly recordsSkipped: number
  readonly errorSummary: readonly BulkJobError[]
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly query: ExportQuery | null
  readonly exported: ExportedFile | null
  readonly parts: readonly StoredPart[]
}

export const jobColumns = `j.id, j.object, j.operation, j.match_by as "matchBy", j.content_type as "contentType", j.job_state as state, j.options, j.scopes,
  j.created_by_id as "createdById", j.created_with as "createdWith", j.created_at as "createdAt", j.started_at as "startedAt", j.completed_at as "completedAt", j.expires_at as "expiresAt",
  j.format, j.bytes_total::float8 as "bytesTotal", j.checkpoint, j.records_total as "recordsTotal", j.records_succeeded as "recordsSucceeded",
  j.records_failed as "recordsFailed", j.records_skipped as "recordsSkipped", j.query, j.exported, j.error_summary as "errorSummary", j.error_code as "errorCode", j.error_message as "errorMessage",
  coalesce((select json_agg(json_build_object('part', p.part, 'contentId', p.content_id, 'bytes', p.bytes, 'sha256', p.sha256) order by p.part)
    from records.bulk_part p where p.organization_id = j.organization_id and p.job_id = j.id), '[]') as parts`

/** A job by its id. It is locked by a statement of its own, because one that waits for a lock would read the parts as they were before it waited. */
export async function readJob(
  db: Sql,
  organizationId: string,
  id: string,
  { isLocked = false } = {},
): Promise<StoredJob | null> {
  const key = [organizationId, id]
  if (isLocked)
    await db.query('select id from records.bulk_job where organization_id = $1 and id = $2 for update', key, 'WRITE')
  const [job] = await db.query<StoredJob & Record<string, unknown>>(
    `select ${jobColumns} from records.bulk_job j where j.organization_id = $1 and j.id = $2`,
    key,
    'WRITE',
  )
  return job ? withAllOptions(job) : null
}

/** A job that was stored before an option existed has its default. */
const withAllOptions = (job: StoredJob): StoredJob => ({ ...job, options: { ...defaultOptions, ...job.options } })

/** The scope that a job needs: to read the records that it exports, to write those that it loads. */
export function jobScope(
  ctx: Pick<RequestContext, 'shapes'>,
  { object, operation }: Pick<StoredJob, 'object' | 'operation'>,
): string {
  const action = operation === 'EXPORT' ? 'READ' : 'WRITE'
  if (customObjectName(object) !== null) return scopeOf(action, 'CUSTOM_OBJECTS')
  return scopeOf(action, loadableIn(ctx, object)?.scope ?? 'CUSTOM_OBJECTS')
}

/** The record types, except custom objects, whose jobs of an operation the caller may use. */
const usableObjects = (ctx: RequestContext, operation: BulkOperation): string[] =>
  loadableNames().filter((object) => holdsScope(ctx.caller, jobScope(ctx, { object, operation })))

const isAdministrator = ({ caller: { role } }: RequestContext): boolean => role === 'OWNER' || role === 'ADMIN'

/** SQL condition that the caller may see the job `j`: users see their own, owners and admins all of them. `$1` is the organization, `$2` the user. */
export const visibleJobs = (ctx: RequestContext): string =>
  `j.organization_id = $1 and ${isAdministrator(ctx) ? '$2::uuid is not null' : 'j.created_by_id = $2'}`

/** SQL condition that the credential has the scope of the job `j`. */
export function usableJobs(ctx: RequestContext, values: Values): string {
  const { caller } = ctx
  const ofScope = (action: 'READ' | 'WRITE', operation: BulkOperation): string => {
    const objects = `j.object = any(${values.add(usableObjects(ctx, operation))}::text[])`
    return holdsScope(caller, scopeOf(action, 'CUSTOM_OBJECTS')) ? `(${objects} or j.object like 'custom:%')` : objects
  }
  return `case when j.operation = 'EXPORT' then ${ofScope('READ', 'EXPORT')} else ${ofScope('WRITE', 'INSERT')} end`
}

/** A job that the caller sees. 404 if there is none, 403 without the scope of its record type. */
export async function requireJob(ctx: RequestContext, id: string, options?: { isLocked: boolean }): Promise<StoredJob> {
  const job = isId(id) ? await readJob(ctx.db, ctx.caller.organizationId, id.toLowerCase(), options) : null
  if (!job || !(isAdministrator(ctx) || job.createdById === ctx.caller.userId)) throw notFound('The bulk job')
  requireScopes(ctx.caller, [[[jobScope(ctx, job)]]])
  return job
}

/** The operation of what a job changes, in events. */
export const operationOf = (id: string): string => `bulk:${id}`

/** A job as clients see it. */
export function shownJob(stored: StoredJob): BulkJob {
  const {
    matchBy,
    scopes: _scopes,
    createdWith: _with,
    format: _format,
    exported: _,
    ...shown
  } = withAllOptions(stored)
  const { checkpoint, parts, ...job } = shown
  const isExport = job.operation === 'EXPORT'
  const { recordsTotal, recordsSucceeded, recordsFailed, recordsSkipped, errorSummary } = job
  const recordsProcessed = recordsSucceeded + recordsFailed + recordsSkipped
  return {
    ...job,
    externalIdField: matchBy,
    operationId: operationOf(job.id),
    recordsProcessed,
    recordsUnprocessed: recordsTotal === null ? null : recordsTotal - recordsProcessed,
    bytesProcessed: isExport ? job.bytesTotal : checkpoint.byte,
    parts: isExport ? [] : parts.map(({ part }) => part),
    errorSummary: [...errorSummary],
  }
}

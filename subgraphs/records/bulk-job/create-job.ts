import { invalid } from '../../kernel/errors.ts'
import { withLatestExtensions } from '../../kernel/extension/current-extensions.ts'
import { newId } from '../../kernel/ids.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { customObjectName } from '../../kernel/record/custom-object.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { requireReadable } from '../../kernel/record/field-security.ts'
import { loadableIn, type LoadableRecords } from '../../kernel/record/loadable-records.ts'
import { noteColumns } from '../../kernel/record/note-fields.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { externalIdName } from '../../kernel/record/upsert/key-field.ts'
import { requireAdministrator, requireEntitlement } from '../../kernel/require.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireScopes } from '../../kernel/unmet-scopes.ts'
import type { BulkContentType, BulkOperation } from './bulk-job.enumerations.ts'
import { keptMs, openMax, waitingMax } from './bulk-job.migrations.ts'
import { defaultOptions, exportOptions, type JobOptions } from './bulk-job.options.ts'
import type { BulkJob } from './bulk-job.types.ts'
import { planExport } from './export/export-query.ts'
import type { ExportQuery } from './export/export-query.types.ts'
import { bulkKeyNamed, type BulkKey } from './bulk-key.ts'
import { requireRoom, type BulkContext } from './job-limits.ts'
import { delimiters } from './parse/csv-fields.ts'
import { jobScope, readJob, shownJob } from './stored-job.ts'

export interface NewJob {
  readonly object: string
  readonly operation: BulkOperation
  readonly contentType: BulkContentType
  readonly externalIdField: string
  readonly options: Partial<JobOptions> | null
  readonly query: Partial<ExportQuery> | null
}

const mappingMax = 1_000

export function mappingOf(mapping: unknown): Record<string, string | null> {
  if (mapping === null || mapping === undefined) return {}
  const isMapping =
    isJsonObject(mapping) &&
    Object.keys(mapping).length <= mappingMax &&
    Object.values(mapping).every((field) => field === null || (typeof field === 'string' && field.length <= 200))
  if (isMapping) return mapping as Record<string, string | null>
  const message = `mapping must be an object with at most ${mappingMax} names of columns, each with the name of a field or null.`
  throw invalid({ path: 'options.mapping', code: 'WRONG_TYPE', message })
}

const createsRecords = (operation: BulkOperation): boolean => operation === 'INSERT' || operation === 'UPSERT'

/** The options with their defaults. */
function optionsOf(ctx: RequestContext, { operation, options: given }: NewJob): JobOptions {
  const named = Object.entries(given ?? {}).filter(([, value]) => value !== null && value !== undefined)
  const options: JobOptions = { ...defaultOptions, ...Object.fromEntries(named) }
  mappingOf(options.mapping)
  if (options.delimiter !== null && !/^[^"\r\n\u0080-\uffff]$/.test(options.delimiter))
    throw invalid({
      path: 'options.delimiter',
      code: 'NOT_ALLOWED',
      message: 'delimiter must be one ASCII character, no quote and no line end.',
    })
  if ((options.duplicateStrategy === 'SKIP' || options.duplicateStrategy === 'UPDATE') && !createsRecords(operation))
    throw invalid({
      path: 'options.duplicateStrategy',
      code: 'NOT_ALLOWED',
      message: `duplicateStrategy must be FAIL or ALLOW, because ${operation} creates no records.`,
    })
  if (!options.runHooks || !options.runAutomations) requireAdministrator(ctx)
  return options
}

const separators: ReadonlySet<string> = new Set(delimiters)

/** Refuses options that mean nothing of an export. */
function requireExportOptions(options: JobOptions): void {
  const names = Object.keys(options) as (keyof JobOptions)[]
  const unused = names.filter((name) => !exportOptions.has(name) && options[name] !== defaultOptions[name])
  if (unused.length > 0)
    throw invalid(
      ...unused.map((name) => ({
        path: `options.${name}`,
        code: 'NOT_ALLOWED',
        message: `${name} is for rows that are loaded; an export has ${[...exportOptions].join(', ')}.`,
      })),
    )
  if (options.delimiter !== null && !separators.has(options.delimiter))
    throw invalid({
      path: 'options.delimiter',
      code: 'NOT_ALLOWED',
      message: 'delimiter of an export must be a comma, a semicolon, a tab or a bar.',
    })
}

/** The query of an export with its absent parts. Refuses one that cannot be executed. */
async function queryOf(
  ctx: BulkContext,
  loadable: LoadableRecords,
  { operation, contentType, query }: NewJob,
  options: JobOptions,
): Promise<ExportQuery | null> {
  if (operation !== 'EXPORT') {
    if (query === null) return null
    throw invalid({ path: 'query', code: 'NOT_ALLOWED', message: 'query is for the operation EXPORT.' })
  }
  requireExportOptions(options)
  const { filter = null, search = null, fields = null, orderBy = null } = query ?? {}
  const whole = { filter, search, fields, orderBy }
  await planExport(ctx, loadable, { query: whole, contentType, options })
  return whole
}

/** The context in which the record type is known: a custom object may have been created a moment ago by another process. */
export async function knowing(ctx: BulkContext, object: string): Promise<BulkContext> {
  return customObjectName(object) === null || loadableIn(ctx, object) ? ctx : withLatestExtensions(ctx)
}

function requireKey(shape: RecordShape, name: string): BulkKey {
  const key = bulkKeyNamed(shape, name)
  if (key) return key
  const own = shape.columns.byName.has(externalIdName) ? `id, ${externalIdName}` : 'id'
  const message = `externalIdField must be ${own} or the name of a unique custom field.`
  throw invalid({ path: 'externalIdField', code: 'NOT_A_KEY', message })
}

export async function createJob(given: BulkContext, job: NewJob): Promise<BulkJob> {
  const { object, operation, contentType, externalIdField } = job
  const isExport = operation === 'EXPORT'
  if (!isExport) requireWritableRole(given)
  const ctx = await knowing(given, object)
  const { caller, clock } = ctx
  if (customObjectName(object) !== null) requireScopes(caller, [[[jobScope(ctx, job)]]])
  const loadable = loadableIn(ctx, object)
  if (!loadable)
    throw invalid({
      path: 'object',
      code: 'NOT_ALLOWED',
      message: 'object must be a record type of bulk jobs, such as account or custom:site_visit.',
    })
  requireScopes(caller, [[[jobScope(ctx, job)]]])
  if (loadable.definition.entitlement) requireEntitlement(ctx, loadable.definition.entitlement)
  const shape = shapeFor(ctx, loadable.definition)
  const key = requireKey(shape, externalIdField)
  if (!isExport && operation !== 'INSERT') requireReadable(caller, shape, key.name)
  const options = optionsOf(ctx, job)
  const query = await queryOf(ctx, loadable, job, options)
  noteColumns(ctx, shape, [...(operation === 'INSERT' ? [] : [key.name]), ...(query?.fields ?? [])])
  const now = clock.now()
  const id = newId()
  const { organizationId } = caller
  const state = isExport ? 'UPLOAD_COMPLETE' : 'OPEN'
  return inTransaction(ctx, async ({ db }) => {
    await requireRoom(db, organizationId, state, isExport ? waitingMax : openMax)
    await db.query(
      `insert into records.bulk_job (organization_id, id, object, operation, match_by, content_type, job_state, options, query, scopes, created_by_id, created_at, expires_at, created_with)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
      [
        organizationId,
        id,
        object,
        operation,
        key.name,
        contentType,
        state,
        JSON.stringify(options),
        query && JSON.stringify(query),
        caller.kind === 'SESSION' ? ['*'] : caller.scopes,
        caller.userId,
        now.toISOString(),
        new Date(now.getTime() + keptMs).toISOString(),
        JSON.stringify({ kind: caller.kind, credentialId: caller.credentialId }),
      ],
      'WRITE',
    )
    if (isExport)
      await db.query(
        'insert into records.bulk_run (organization_id, id) values ($1, $2)',
        [organizationId, id],
        'WRITE',
      )
    return shownJob((await readJob(db, organizationId, id))!)
  })
}

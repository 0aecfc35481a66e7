import { Readable } from 'node:stream'
import { notFound, Refusal } from '../../../kernel/errors.ts'
import type { ByteRange } from '../../../kernel/file/file-store.ts'
import type { OpenedFile } from '../../../kernel/file/sent-files.ts'
import { customFieldKey, customFieldsName } from '../../../kernel/record/custom-field-column.ts'
import type { RecordShape } from '../../../kernel/record/definition.ts'
import { fieldNotReadable, fieldRules, requireWholeParts } from '../../../kernel/record/field-security.ts'
import { loadableIn } from '../../../kernel/record/loadable-records.ts'
import { shapeFor } from '../../../kernel/record/shape-source.ts'
import { refusalInSituation } from '../../../kernel/record/transitions.ts'
import { requireEntitlement } from '../../../kernel/require.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { fileType } from '../file-type.ts'
import type { BulkContext } from '../job-limits.ts'
import { bytesFrom } from '../read-file.ts'
import { requireJob, type ExportedFile, type StoredJob } from '../stored-job.ts'

/** Whether a user can see records, or values of formulas, that no other user sees, whatever the visibility. */
const isPersonal = ({ privateUnless, visibleThroughRelated, columns }: RecordShape): boolean =>
  privateUnless !== undefined || visibleThroughRelated !== undefined || columns.hasLive

/** Refuses a user who may read less now than the file has. */
function requireRights(ctx: RequestContext, definition: RecordShape, { fields, hidden, ownerIds }: ExportedFile): void {
  if (definition.entitlement) requireEntitlement(ctx, definition.entitlement)
  requireWholeParts(ctx.caller, definition)
  const { caller } = ctx
  const seen = caller.ownerIds && new Set(caller.ownerIds)
  if (seen && !(ownerIds ?? [null]).every((id) => id !== null && seen.has(id)))
    throw new Refusal('PERMISSION_DENIED', 'You see fewer records now than this export may have; create another one.')
  const before = new Set(hidden)
  const has = (name: string): boolean =>
    fields.includes(name) || (customFieldKey(name) !== null && fields.includes(customFieldsName))
  const lost = [...(fieldRules(caller, definition)?.hidden ?? [])].filter((name) => !before.has(name) && has(name))
  if (lost.length > 0) throw fieldNotReadable(lost)
}

async function* within(source: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count
  for await (const bytes of source) {
    yield bytes.subarray(0, left)
    left -= bytes.length
    if (left <= 0) return
  }
}

/** The file of an export, for whoever sees the job, and as much as its user saw. */
export async function openExport(ctx: BulkContext, id: string): Promise<OpenedFile> {
  const job: StoredJob = await requireJob(ctx, id)
  const { organizationId, userId } = ctx.caller
  if (job.operation !== 'EXPORT')
    throw refusalInSituation(
      `The bulk job is of the operation ${job.operation}; only an EXPORT has a file to download.`,
    )
  if (job.state !== 'JOB_COMPLETE' || !job.exported?.sha256)
    throw refusalInSituation(`The bulk job is ${job.state}; its file is there when it is JOB_COMPLETE.`, {
      state: job.state,
    })
  const loadable = loadableIn(ctx, job.object)
  if (!loadable) throw refusalInSituation(`The record type ${job.object} does not exist any more.`)
  const definition = shapeFor(ctx, loadable.definition)
  if (job.createdById !== userId && isPersonal(definition))
    throw new Refusal(
      'PERMISSION_DENIED',
      'Only the user who created this export may download it: it has what nobody else sees.',
    )
  requireRights(ctx, definition, job.exported)
  const { files } = ctx
  const [first] = job.parts
  if (first && !(await files.has(organizationId, first.contentId))) throw notFound('The file of the export')
  return {
    ...fileType(job, 'export'),
    bytes: job.bytesTotal,
    sha256: job.exported.sha256,
    read({ start, end }: ByteRange = { start: 0, end: job.bytesTotal - 1 }) {
      return Promise.resolve(Readable.from(within(bytesFrom(files, organizationId, job.parts, start), end - start + 1)))
    },
  }
}

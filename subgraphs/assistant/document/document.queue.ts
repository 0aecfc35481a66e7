import type { Sql } from '../../kernel/database/sql.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../kernel/queue/queue.ts'
import type { Services } from '../../kernel/request.ts'
import type { DocumentFormat, DocumentStatus } from './document.enumerations.ts'
import { describedDocumentRuns } from './document.migrations.ts'
import { ParseFailure } from './parse/block.ts'
import { parseDocument } from './parse-document.ts'
import { deletePassages, storePassages } from './store-passages.ts'

interface Run extends QueuedItem {
  readonly documentId: string
}

const attemptsMax = 3

/** Reads the text of documents, and forgets that of deleted ones: one at a time of an organization in each process, two of all. */
export const documentQueue: Queue<Run> = {
  ...describedDocumentRuns,
  columns: 'document_id as "documentId"',
  leaseMs: 90_000,
  attemptMsMax: 60_000,
  lanes: { fresh: 2, retry: 1 },
  attemptsMax: () => attemptsMax + 1,
  retryAfterMs: ({ attempts }) => 5_000 * 4 ** (attempts - 1),
  retentionMs: 86_400_000,
  attempt,
}

interface Found extends Record<string, unknown> {
  readonly format: DocumentFormat
  readonly status: DocumentStatus
  readonly fileId: string | null
  readonly isDeleted: boolean
}

const done: Outcome = { end: 'DONE' }

async function attempt(services: Services, item: Leased<Run>, signal: AbortSignal): Promise<Outcome> {
  const organizationId = item.organization!
  const db = services.tenants.of(organizationId)
  const [found] = await db.query<Found>(
    `select format, status, file_id as "fileId", deleted_at is not null as "isDeleted" from assistant.document where organization_id = $1 and id = $2`,
    [organizationId, item.documentId],
  )
  if (!found) return done
  const of = { organizationId, documentId: item.documentId }
  if (found.isDeleted) {
    await db.transaction(async (sql) => {
      if (!(await isLeased(sql, organizationId, item))) return
      await deletePassages(sql, of)
      await sql.query(
        'delete from assistant.document where organization_id = $1 and id = $2',
        [organizationId, item.documentId],
        'WRITE',
      )
    })
    return done
  }
  if (found.status !== 'PROCESSING' || !found.fileId) return done
  const store = (change: (sql: Sql) => Promise<void>): Promise<void> =>
    db.transaction(async (sql) => {
      if (await isLeased(sql, organizationId, item)) await change(sql)
    })
  const fail = async ({ code, message }: Pick<ParseFailure, 'code' | 'message'>): Promise<Outcome> => {
    await store((sql) =>
      finish(sql, of, { status: 'FAILED', code, message, pages: null, passages: null }, services.clock.now()),
    )
    return done
  }
  if (item.attempts > attemptsMax)
    return fail({ code: 'INTERRUPTED', message: 'Reading the document was interrupted repeatedly.' })
  try {
    const content = await services.files.read(organizationId, found.fileId)
    const { passages, pages } = await parseDocument(found.format, content, signal)
    await services.storedBytes.count(
      organizationId,
      passages.reduce((sum, { text }) => sum + 2 * text.length, 0),
    )
    await store(async (sql) => {
      await storePassages(sql, of, passages)
      await finish(
        sql,
        of,
        { status: 'READY', code: null, message: null, pages, passages: passages.length },
        services.clock.now(),
      )
    })
    return done
  } catch (error) {
    if (error instanceof ParseFailure) return fail(error)
    return { retry: (error as Error).message }
  }
}

/** Whether this attempt still has the lease; until the transaction ends, no other attempt gets it. */
async function isLeased(db: Sql, organizationId: string, { id, token }: Leased<Run>): Promise<boolean> {
  const rows = await db.query(
    `select 1 from assistant.document_run where organization_id = $1 and id = $2 and lease_token = $3 and state = 'QUEUED' for update`,
    [organizationId, id, token],
    'WRITE',
  )
  return rows.length > 0
}

interface Result {
  readonly status: 'READY' | 'FAILED'
  readonly code: string | null
  readonly message: string | null
  readonly pages: number | null
  readonly passages: number | null
}

async function finish(
  db: Sql,
  { organizationId, documentId }: { readonly organizationId: string; readonly documentId: string },
  { status, code, message, pages, passages }: Result,
  now: Date,
): Promise<void> {
  await db.query(
    `update assistant.document set status = $3, failure_code = $4, failure_message = $5, page_count = $6, passage_count = $7, updated_at = $8
     where organization_id = $1 and id = $2`,
    [organizationId, documentId, status, code, message, pages, passages, now.toISOString()],
    'WRITE',
  )
}

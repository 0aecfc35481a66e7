import { Readable } from 'node:stream'
import type { OperationContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import type { JobFiles } from '../../kernel/file/sent-files.ts'
import { portsOf, requestContext, type Services } from '../../kernel/request.ts'
import { triedContext } from '../../kernel/subgraph/tried-context.ts'
import type { BulkContext } from './job-limits.ts'
import { receiveBulkPart } from './receive-part.ts'
import { openExport } from './export/open-export.ts'
import { fileType } from './file-type.ts'
import { readResults, resultKinds, type ResultKind } from './results/read-results.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { requireJob } from './stored-job.ts'

/** The bytes of bulk jobs, for the process that has the connection to the client. */
export function bulkJobFiles(services: Services): JobFiles {
  const contextOf = async (operation: OperationContext): Promise<BulkContext> => {
    await services.shapes.load(operation.caller.organizationId)
    const ctx = requestContext(operation, services, { ports: portsOf(services, ['files']) })
    return triedContext(ctx, operation.triedEvents)
  }
  return {
    async uploadPart(operation, id, part, sent) {
      return receiveBulkPart(await contextOf(operation), id, part, sent)
    },
    async download(operation, id) {
      return openExport(await contextOf(operation), id)
    },
    async results(operation, id, kind) {
      const ctx = await contextOf(operation)
      const job = await requireJob(ctx, id)
      if (!(resultKinds as readonly string[]).includes(kind)) throw notFound('The kind of results')
      if (job.operation === 'EXPORT')
        throw refusalInSituation('An EXPORT has no results of rows; its file is at /v1/bulk/jobs/{id}/download.')
      return {
        ...fileType(job, kind),
        content: Readable.from(readResults(ctx, services.files, job, kind as ResultKind)),
      }
    },
  }
}

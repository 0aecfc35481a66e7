import { Refusal } from '../subgraphs/kernel/errors.ts'
import type { JobFiles } from '../subgraphs/kernel/file/sent-files.ts'
import { announcedBytes, bytesOf, digestOf, dispositionOf, received, sendContent, sendFile } from './file-content.ts'
import type { CustomCall, CustomHandler } from './custom-handler.ts'

const partTypes = ['text/csv', 'application/x-ndjson', 'application/octet-stream'] as const

/** Takes the files of bulk jobs in parts, and sends their results while they are read, so that none is in memory as a whole. */
export const bulkHandlers = (bulk: JobFiles): ReadonlyMap<string, CustomHandler> =>
  new Map<string, CustomHandler>([
    ['bulkJobPartUpload', (call) => uploadPart(bulk, call)],
    ['bulkJobDownload', (call) => download(bulk, call)],
    ['bulkJobResults', (call) => sendResults(bulk, call)],
  ])

const withoutClient = () => {
  throw new Refusal('PERMISSION_DENIED', 'The data of a bulk job need the connection of a client.')
}

/** For callers without a connection, such as functions. */
export const refusingBulkHandlers = bulkHandlers({
  uploadPart: withoutClient,
  download: withoutClient,
  results: withoutClient,
})

const uploadPart = (bulk: JobFiles, { req, context, path, query }: CustomCall): Promise<unknown> => {
  const taking = async () => {
    const sent = { source: bytesOf(req, partTypes), announced: announcedBytes(req), sha256: digestOf(req) }
    return bulk.uploadPart(context, String(path['id']), Number(query['part'] ?? 1), sent)
  }
  return received(req, taking())
}

async function download(bulk: JobFiles, { req, res, context, path }: CustomCall): Promise<void> {
  await sendFile(await bulk.download(context, String(path['id'])), req, res)
}

async function sendResults(bulk: JobFiles, { req, res, context, path }: CustomCall): Promise<void> {
  const { name, mediaType, content } = await bulk.results(context, String(path['id']), String(path['kind']))
  res.writeHead(200, {
    'Cache-Control': 'no-store',
    'Content-Type': mediaType,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Content-Disposition': dispositionOf(name),
  })
  if (req.method === 'HEAD') {
    content.destroy()
    return void res.end()
  }
  await sendContent(content, res)
}

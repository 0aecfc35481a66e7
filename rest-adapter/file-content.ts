import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isMatch } from '../gateway/edge/entity-tag.ts'
import { invalid, Refusal } from '../subgraphs/kernel/errors.ts'
import { fileName } from '../subgraphs/kernel/file/file-name.ts'
import type { OpenedFile, SentFiles } from '../subgraphs/kernel/file/sent-files.ts'
import { byteRange } from './byte-range.ts'
import type { CustomCall, CustomHandler } from './custom-handler.ts'

/** The record types with bytes, by the prefix of their operations; the composition root passes what their subgraphs offer. */
export type FilesByType = Readonly<Record<string, SentFiles>>

/** How long a client may take to read what was sent. */
const readWithinMs = 20_000

/** Takes and sends files as they are, in parts, so that none is in memory as a whole. */
export const fileHandlers = (filesByType: FilesByType): ReadonlyMap<string, CustomHandler> =>
  new Map<string, CustomHandler>(
    Object.entries(filesByType).flatMap(([type, files]): [string, CustomHandler][] => [
      [`${type}Upload`, (call) => upload(files, call)],
      [`${type}Download`, (call) => download(files, call)],
      ...(files.uploadPart
        ? [[`${type}PartUpload`, (call: CustomCall) => uploadPart(files.uploadPart!, call)] as [string, CustomHandler]]
        : []),
    ]),
  )

const withoutClient = () => {
  throw new Refusal('PERMISSION_DENIED', 'A file needs the connection of a client.')
}

/** For callers without a connection, such as functions. */
export const refusingFileHandlers: ReadonlyMap<string, CustomHandler> = fileHandlers({
  knowledgeDocument: { upload: withoutClient, open: withoutClient },
  file: { upload: withoutClient, open: withoutClient, uploadPart: withoutClient },
})

const upload = (files: SentFiles, { req, context, path }: CustomCall): Promise<unknown> =>
  received(req, files.upload(context, String(path['id']), bytesOf(req), announcedBytes(req)))

const uploadPart = (
  take: NonNullable<SentFiles['uploadPart']>,
  { req, context, path }: CustomCall,
): Promise<unknown> => {
  const taking = async () => {
    const sent = { source: bytesOf(req), announced: announcedBytes(req), sha256: digestOf(req) }
    return take(context, String(path['id']), Number(path['part']), sent)
  }
  return received(req, taking())
}

export const announcedBytes = ({ headers }: IncomingMessage): number | null =>
  headers['content-length'] === undefined ? null : Number(headers['content-length'])

/** The SHA-256 of Content-Digest (RFC 9530) in Base64; null without one. */
export function digestOf({ headers }: IncomingMessage): string | null {
  const given = headers['content-digest']
  if (given === undefined) return null
  const digest = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*(?:,|$)/.exec(String(given))?.[1]
  if (digest) return digest
  const message = 'Content-Digest must have the form sha-256=:<SHA-256 in Base64>:.'
  throw invalid({ path: 'Content-Digest', code: 'NOT_A_DIGEST', message })
}

/** What becomes of bytes that arrive. The connection stays open for the refusal of those that are not read to their end. */
export async function received(req: IncomingMessage, taking: Promise<unknown>): Promise<unknown> {
  try {
    return await taking
  } catch (error) {
    req.resume()
    if (req.errored || (req.destroyed && !req.complete))
      throw new Refusal('REQUEST_TIMEOUT', 'The connection closed before all bytes arrived; send them again.')
    throw error
  }
}

/** The body, whose type is checked after the rights of the caller. The connection stays open for the refusal of a file that is not read to its end. */
export async function* bytesOf(
  req: IncomingMessage,
  types: readonly string[] = ['application/octet-stream'],
): AsyncGenerator<Uint8Array> {
  requireFile(req, types)
  yield* req.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
}

/** A page of another origin cannot send these types without a CORS preflight, so the check also protects against cross-site request forgery. */
function requireFile({ headers }: IncomingMessage, types: readonly string[]): void {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (!types.includes(type.trim().toLowerCase()))
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', `Send the bytes of the file with Content-Type: ${types.join(' or ')}.`)
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The file must be sent without Content-Encoding.')
}

async function download(files: SentFiles, { req, res, context, path }: CustomCall): Promise<void> {
  await sendFile(await files.open(context, String(path['id'])), req, res)
}

/** Sends a file as a download, or the part of it that the request asks for. */
export async function sendFile(file: OpenedFile, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const etag = `"${file.sha256}"`
  const common = { ETag: etag, 'Cache-Control': 'no-store' }
  const known = req.headers['if-none-match']
  if (known !== undefined && isMatch(known, etag)) return void res.writeHead(304, common).end()
  const range = byteRange(req.headers, file.bytes, etag)
  if (range === 'UNSATISFIABLE')
    return void res.writeHead(416, { ...common, 'Content-Range': `bytes */${file.bytes}`, 'Content-Length': 0 }).end()
  const headers = {
    ...common,
    'Accept-Ranges': 'bytes',
    // Never shown in the origin of the platform, whatever it contains.
    'Content-Type': file.mediaType,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Content-Disposition': dispositionOf(file.name),
    'Content-Length': range ? range.end - range.start + 1 : file.bytes,
    ...(range && { 'Content-Range': `bytes ${range.start}-${range.end}/${file.bytes}` }),
  }
  // Opened before the headers are sent, so that a file that cannot be read is answered as a failure.
  const content = await file.read(range ?? undefined)
  res.writeHead(range ? 206 : 200, headers)
  if (req.method === 'HEAD') {
    content.destroy()
    return void res.end()
  }
  await sendContent(content, res)
}

/** A name in the form of RFC 6266: what older clients understand, and all of it. */
export function dispositionOf(given: string): string {
  const name = fileName(given)
  const plain = name.replaceAll(/[^!#-[\]-~ ]/gu, '_')
  const whole = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}

/** Closes the connection of a client that reads too slowly. */
export async function sendContent(content: Readable, res: ServerResponse): Promise<void> {
  const timer = setTimeout(() => res.destroy(), readWithinMs)
  content.on('data', () => timer.refresh())
  await pipeline(content, res).catch(() => res.destroy())
  clearTimeout(timer)
}

import type { ServerResponse } from 'node:http'
import { isMatch } from '../gateway/edge/entity-tag.ts'
import { sendFile, sendJson } from '../gateway/edge/send-json.ts'
import { writeDryRunHeaders, type TriedAnswer } from './dry-run.ts'
import type { RestOperation } from './rest-operation.ts'
import { removeUnasked, tagOfExpanded, tagOfUnversioned, type ShapedRead } from './shape/shaped-reads.ts'

/** How a result came about. */
interface Answered {
  /** Whether it was stored for an earlier request with the same `Idempotency-Key`. */
  readonly isReplayed: boolean
  readonly url: string
  /** What the request chose of the result; null: all of it. */
  readonly shaped: ShapedRead | null
  /** The names of the custom fields that change without a new version of their record. */
  readonly keys?: ReadonlySet<string> | undefined
  /** Of a dry run: its kind and what it would have done. */
  readonly dryRun?: TriedAnswer | undefined
}

const none: ReadonlySet<string> = new Set()

/** Sends the result of an operation as its success response in OpenAPI describes. */
export function writeResponse(
  { success, path }: RestOperation,
  answer: unknown,
  { isReplayed, url, shaped, keys = none, dryRun }: Answered,
  res: ServerResponse,
): void {
  if (dryRun) writeDryRunHeaders(dryRun, res)
  if (success.fileType !== null) return writeFile(success.fileType, answer as FileResult, res)
  const { otherwise, property } = success
  const answered = answer as Readonly<Record<string, unknown>>
  const isOther = otherwise !== null && answered[otherwise.property] !== true
  const result = property === null ? answer : answered[property]
  const headers: Record<string, string> = {}
  const record = result as { readonly id?: unknown; readonly version?: number } | null | undefined
  // A version that nobody stored, and the place of a record that does not exist, are not told.
  if (!dryRun && success.headers.has('ETag') && record?.version !== undefined) {
    const values = result as Readonly<Record<string, unknown>>
    const etag = entityTag(record.version, success.unversioned, values, shaped, keys)
    headers['ETag'] = etag
    const known = res.req.headers['if-none-match']
    if (known !== undefined && success.isConditional && isMatch(known, etag)) {
      res.writeHead(304, { ...headers, 'Cache-Control': 'no-store' }).end()
      return
    }
  }
  if (shaped && record) removeUnasked(record, shaped)
  if (!dryRun && success.headers.has('Location') && !isOther && typeof record?.id === 'string') {
    headers['Location'] = `${collectionOf(path, url)}/${encodeURIComponent(record.id)}`
  }
  if (isReplayed) headers['Idempotent-Replayed'] = 'true'
  if (!success.hasBody) {
    res.writeHead(success.status, { ...headers, 'Cache-Control': 'no-store' }).end()
    return
  }
  if (result === undefined) throw new Error(`${path}: the stored document must alias its root field as result.`)
  const status = isOther ? otherwise.status : success.status
  sendJson(res, dryRun ? 200 : status, 'application/json; charset=utf-8', headers, result)
}

/** The path of the records of which one was created: that of the request, without the key of an upsert. */
function collectionOf(path: string, url: string): string {
  const parts = url.split('?', 1)[0]!.replace(/\/$/, '').split('/')
  return (path.endsWith('/by/{field}/{value}') ? parts.slice(0, -3) : parts).join('/')
}

/** A number for a time, a count or a text, which is another one after a change. */
function numberFor(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return 0
  const time = Date.parse(value)
  return Number.isNaN(time) ? [...value].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) | 0, 7) : time
}

/**
 * `"3"`, or `"3-mfyq2yo0-0"` with the times and counts that change without a new version, so that a changed one is no match for
 * `If-None-Match`. Custom fields that do so, and related records in the answer, are last parts. `If-Match` compares the version only.
 */
function entityTag(
  version: number,
  unversioned: readonly string[],
  record: Readonly<Record<string, unknown>>,
  shaped: ShapedRead | null,
  keys: ReadonlySet<string>,
): string {
  const values = unversioned.map((name) => numberFor(record[name]))
  const tags = values.map((value) => `${value < 0 ? 'n' : ''}${Math.abs(value).toString(36)}`)
  const last = [tagOfUnversioned(record, keys), shaped && tagOfExpanded(record, shaped)]
  const parts = [...(values.every((value) => value === 0) ? [] : tags), ...last.filter((part) => part !== null)]
  return `"${[version, ...parts].join('-')}"`
}

interface FileResult {
  readonly filename: string
  /** Base64. */
  readonly content: string
  readonly version: number
  readonly contentHash: string
}

/** The file can change without the record, because it shows other records too; so the ETag is of its content, after the version. */
function writeFile(type: string, { filename, content, version, contentHash }: FileResult, res: ServerResponse): void {
  const etag = `"${version}-${contentHash}"`
  const known = res.req.headers['if-none-match']
  if (known !== undefined && isMatch(known, etag)) {
    res.writeHead(304, { ETag: etag, 'Cache-Control': 'no-store' }).end()
    return
  }
  // Other characters end the text or the header, or are not allowed in one.
  const name = filename.replaceAll(/[^!#-[\]-~]/gu, '_')
  const headers = { ETag: etag, 'Content-Disposition': `attachment; filename="${name}"` }
  sendFile(res, type, headers, Buffer.from(content, 'base64'))
}

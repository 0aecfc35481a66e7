import type { ServerResponse } from 'node:http'
import type { RestOperation } from './contract.ts'

/** Answers with the result of an operation as its success response in OpenAPI describes it. */
export function writeAnswer(
  { success, path }: RestOperation,
  result: unknown,
  isReplayed: boolean,
  url: string,
  res: ServerResponse,
): void {
  const headers: Record<string, string | number> = { 'Cache-Control': 'no-store' }
  const record = result as { readonly id?: unknown; readonly version?: number } | null | undefined
  if (success.headers.has('ETag') && record?.version !== undefined) headers['ETag'] = `"${record.version}"`
  if (success.headers.has('Location') && typeof record?.id === 'string') {
    headers['Location'] = `${url.split('?', 1)[0]!.replace(/\/$/, '')}/${encodeURIComponent(record.id)}`
  }
  if (isReplayed) headers['Idempotent-Replayed'] = 'true'
  if (!success.hasBody) {
    res.writeHead(success.status, headers).end()
    return
  }
  if (result === undefined) throw new Error(`${path}: the stored document has no field called result.`)
  const text = JSON.stringify(result)
  headers['Content-Type'] = 'application/json; charset=utf-8'
  headers['Content-Length'] = Buffer.byteLength(text)
  res.writeHead(success.status, headers).end(text)
}

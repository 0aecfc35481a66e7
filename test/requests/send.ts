import { Agent, request, type IncomingHttpHeaders } from 'node:http'

/** A request that is sent unchanged: nothing is escaped, added or corrected. */
export interface Sent {
  readonly method: string
  /** Path and query, unescaped. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer
  /** True to send the body without Content-Length. */
  readonly chunked?: boolean
  /** Time after which the request fails without a response; `deadlineMs` unless given. */
  readonly withinMs?: number
}

export interface RawResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // Tests check the fields of the body that they expect.
  readonly body: any // oxlint-disable-line typescript/no-explicit-any
}

/** Time after which a request without a response fails its test, in milliseconds. */
export const deadlineMs = 5000

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

export function send(
  baseUrl: string,
  { method, path, headers = {}, body, chunked, withinMs }: Sent,
): Promise<RawResponse> {
  const { hostname, port } = new URL(baseUrl)
  const sent: Record<string, string | string[]> = { ...(headers as Record<string, string>) }
  if (body !== undefined && !chunked) sent['Content-Length'] = String(Buffer.byteLength(body))
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(withinMs ?? deadlineMs)
    const outgoing = request({ agent, hostname, port, method, path, headers: sent, signal }, (answer) => {
      const chunks: Buffer[] = []
      const isStream = answer.headers['content-type']?.startsWith('text/event-stream')
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (!isStream) return
        // A stream of events has no end, so its beginning is the answer.
        resolve({ status: answer.statusCode!, headers: answer.headers, text: chunk.toString(), body: chunk.toString() })
        outgoing.destroy()
      })
      answer.on('error', reject)
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const isJson = /[/+]json/.test(answer.headers['content-type'] ?? '')
        const parsed: unknown = text === '' ? null : isJson ? JSON.parse(text) : text
        resolve({ status: answer.statusCode!, headers: answer.headers, text, body: parsed })
      })
    })
    outgoing.on('error', (error) => reject(new Error(`${method} ${path.slice(0, 200)}: ${error.message}`)))
    outgoing.end(body)
  })
}

/** Runs `work` on every item, a few at a time; results are in the order of the items. */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>, width = 8): Promise<R[]> {
  const answers: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++
      answers[index] = await work(items[index]!)
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return answers
}

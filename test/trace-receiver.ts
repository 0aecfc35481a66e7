import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as a receiver of OTLP decodes it. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  /** Empty for a span without a parent. */
  readonly parentId: string
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number>>
}

export interface TraceReceiver {
  readonly url: string
  readonly spans: ReceivedSpan[]
  close(): void
}

type Fields = ReadonlyMap<number, readonly (Buffer | bigint)[]>

/** The fields of a message of Protocol Buffers, by number. */
function fieldsOf(bytes: Buffer): Fields {
  const fields = new Map<number, (Buffer | bigint)[]>()
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number): Buffer => bytes.subarray(at, (at += length))
  while (at < bytes.length) {
    const tag = Number(varint())
    const wireType = tag & 7
    const value = wireType === 0 ? varint() : wireType === 2 ? take(Number(varint())) : take(wireType === 1 ? 8 : 4)
    const number = tag >> 3
    fields.set(number, [...(fields.get(number) ?? []), value])
  }
  return fields
}

const messages = (fields: Fields, number: number): Fields[] =>
  (fields.get(number) ?? []).map((bytes) => fieldsOf(bytes as Buffer))
const hex = (fields: Fields, number: number): string =>
  ((fields.get(number)?.[0] as Buffer) ?? Buffer.of()).toString('hex')
const text = (fields: Fields, number: number): string => String(fields.get(number)?.[0] ?? '')

function attributesOf(span: Fields): Record<string, string | number> {
  const entries = messages(span, 9).map((attribute) => {
    const [value] = messages(attribute, 2)
    const number = value!.get(3)?.[0]
    return [text(attribute, 1), number === undefined ? text(value!, 1) : Number(number)] as const
  })
  return Object.fromEntries(entries)
}

/** The numbers are those of `opentelemetry/proto/trace/v1/trace.proto`. */
const spansIn = (request: Buffer): ReceivedSpan[] =>
  messages(fieldsOf(request), 1)
    .flatMap((resource) => messages(resource, 2))
    .flatMap((scope) => messages(scope, 2))
    .map((span) => ({
      traceId: hex(span, 1),
      spanId: hex(span, 2),
      parentId: hex(span, 4),
      name: text(span, 5),
      attributes: attributesOf(span),
    }))

/** A receiver of OTLP over HTTP that decodes the spans. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk)
    if (req.url === '/v1/traces') spans.push(...spansIn(Buffer.concat(chunks)))
    res.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    close: () => server.close().closeAllConnections(),
  }
}

import { connect } from 'node:net'

// Runs as a process separate from the measured server and uses as little CPU as possible: keep-alive connections, one request at
// a time on each, requests prepared in advance, and only the status and the length of a response are read.

export interface LoadOrder {
  readonly port: number
  readonly requests: readonly string[]
  readonly connections: number
  readonly durationMs: number
}

export interface LoadReport {
  readonly answers: number
  readonly seconds: number
  readonly medianMs: number
  readonly p95Ms: number
  readonly p99Ms: number
}

const bufferBytes = 65_536

/** Sends requests until `deadline`, then waits for the last response. */
function drive(port: number, nextRequest: () => Buffer, deadline: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let missing = 0
    let head = ''
    let sentAt = 0
    const onChunk = (length: number, chunk: Uint8Array): boolean => {
      if (missing > 0) {
        missing -= length
      } else {
        head += Buffer.from(chunk.buffer, chunk.byteOffset, length).toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return true
        const [, contentLength] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
        if (!head.startsWith('HTTP/1.1 20') || contentLength === undefined) {
          reject(new Error(`A response must have a 20x status and a Content-Length: ${head.slice(0, 600)}`))
          socket.destroy()
          return false
        }
        missing = Number(contentLength) - (head.length - end - 4)
      }
      if (missing === 0) answered()
      return true
    }
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer: Buffer.allocUnsafe(bufferBytes), callback: onChunk },
    })
    const send = (): void => {
      head = ''
      sentAt = performance.now()
      socket.write(nextRequest())
    }
    const answered = (): void => {
      const now = performance.now()
      latencies.push(now - sentAt)
      if (now < deadline) return send()
      socket.end()
      resolve()
    }
    socket.on('error', reject)
    socket.on('connect', send)
    socket.on('close', () => reject(new Error('The server closed a connection.')))
  })
}

async function run({ port, requests, connections, durationMs }: LoadOrder): Promise<LoadReport> {
  const wire = requests.map((text) => Buffer.from(text))
  let turn = 0
  const nextRequest = (): Buffer => wire[turn++ % wire.length]!
  const latencies: number[] = []
  const startedAt = performance.now()
  const deadline = startedAt + durationMs
  await Promise.all(Array.from({ length: connections }, () => drive(port, nextRequest, deadline, latencies)))
  const seconds = (performance.now() - startedAt) / 1000
  latencies.sort((a, b) => a - b)
  const at = (part: number): number => latencies[Math.floor(latencies.length * part)] ?? 0
  return { answers: latencies.length, seconds, medianMs: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }
}

process.on('message', (order: LoadOrder) => {
  run(order).then(
    (report) => process.send!({ report }),
    (error: unknown) => process.send!({ failure: (error as Error).message }),
  )
})

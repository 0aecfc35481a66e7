import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A fast receiver of webhooks. It sends its port, and on each message the times from the event to the arrival of its request in ms. */
let latencies: number[] = []
const server = createServer((req, res) => {
  const arrivedAt = Date.now()
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    res.writeHead(204).end()
    const at = /"occurredAt":"([^"]+)"/.exec(Buffer.concat(chunks).toString())?.[1]
    latencies.push(arrivedAt - Date.parse(at ?? ''))
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
process.on('message', () => {
  process.send!({ latencies })
  latencies = []
})

import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { SoakRequest, RequestKind } from './request-kinds.ts'

const connections = 4
/** Maximum number of attempts: a request that an overloaded platform refuses as UNAVAILABLE is sent again. */
const attemptsMax = 5
const agent = new Agent({ keepAlive: true, maxSockets: connections })
let addresses = 0

/** A different client address for every request. */
function nextAddress(): string {
  const number = ++addresses
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
}

function send(port: number, { path, headers, body }: SoakRequest): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sending = request(
      {
        port,
        host: '127.0.0.1',
        path,
        agent,
        method: body === null ? 'GET' : 'POST',
        headers: { ...headers, 'x-forwarded-for': nextAddress() },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text = text.length < 1000 ? text + chunk : text))
        response.on('end', () => resolve({ status: response.statusCode!, text })).on('error', reject)
      },
    )
    sending.on('error', reject).end(body ?? undefined)
  })
}

async function answered(port: number, sent: SoakRequest): Promise<{ status: number; text: string }> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send(port, sent)
    if (!answer.text.includes('"UNAVAILABLE"') || attempt === attemptsMax) return answer
    await delay(1000)
  }
}

/** Sends `count` requests, starting with number `first`; throws if a response has an unexpected status. */
export async function sendAll(port: number, requestKind: RequestKind, first: number): Promise<void> {
  let next = first
  const end = first + requestKind.count
  const worker = async (): Promise<void> => {
    while (next < end) {
      const sent = requestKind.of(next++)
      const { status, text } = await answered(port, sent)
      const isRefused = status === 200 && text.startsWith('{"errors"')
      if (requestKind.expected.includes(status) && !isRefused) continue
      const what = (sent.body ?? sent.path).slice(0, 500)
      throw new Error(`${requestKind.name}: ${what} returned the unexpected status ${status}: ${text.slice(0, 500)}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

export const closeConnections = (): void => agent.destroy()

import { Agent, get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import type { WatchedRequest } from './watchdog.ts'

const { url, headers, everyMs, fromManyAddresses } = workerData as WatchedRequest & { readonly everyMs: number }
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const waits: number[] = []
let failed = 0
let open = 0
let asked = 0

/** Sends one request, even if earlier ones are still in progress. */
function ask(): void {
  const begin = performance.now()
  open += 1
  const end = (isGood: boolean): void => {
    open -= 1
    waits.push(performance.now() - begin)
    if (!isGood) failed += 1
  }
  asked += 1
  const from = fromManyAddresses && { 'X-Forwarded-For': `10.0.${(asked >> 8) & 255}.${asked & 255}` }
  get(url, { agent, headers: { ...headers, ...from } }, (response) => {
    response.resume().once('end', () => end(response.statusCode === 200))
  }).once('error', () => end(false))
}

// Starts with the first response, so that the watchdog runs before an attack begins.
get(url, { agent, headers }, (response) => {
  response.resume().once('end', () => parentPort!.postMessage('watching'))
})
const timer = setInterval(ask, everyMs)

parentPort!.once('message', () => {
  clearInterval(timer)
  const settle = setInterval(() => {
    if (open > 0) return
    clearInterval(settle)
    agent.destroy()
    parentPort!.postMessage({ waits, failed })
  }, 1)
})

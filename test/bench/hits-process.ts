import { setTimeout as delay } from 'node:timers/promises'

/** Opens and clicks of mails, in turn. */
export interface HitsOrder {
  readonly port: number
  readonly paths: readonly string[]
  readonly perSecond: number
}

const person = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0'

// Started as a separate process, so that the clients of one measurement do not delay each other. It sends hits at a steady rate from
// an order until null, and then the times in ms; a slow answer does not delay the next hit.
let sending = new AbortController()
let number = 0

async function hit(url: string, times: number[]): Promise<void> {
  const began = performance.now()
  const answer = await fetch(url, { headers: { 'user-agent': person }, redirect: 'manual' })
  await answer.arrayBuffer()
  times.push(performance.now() - began)
  if (answer.status !== 200 && answer.status !== 302) throw new Error(`${url} answered ${answer.status}.`)
}

async function send({ port, paths, perSecond }: HitsOrder, { signal }: AbortController): Promise<number[]> {
  const times: number[] = []
  const failures: unknown[] = []
  const running = new Set<Promise<unknown>>()
  for (; !signal.aborted; number++) {
    const sent: Promise<unknown> = hit(`http://127.0.0.1:${port}${paths[number % paths.length]}`, times)
      .catch((error: unknown) => failures.push(error))
      .finally(() => running.delete(sent))
    running.add(sent)
    await delay(1000 / perSecond)
  }
  await Promise.all(running)
  if (failures.length > 0) throw failures[0]
  return times
}

process.on('message', (order: HitsOrder | null) => {
  if (!order) return sending.abort()
  sending = new AbortController()
  send(order, sending).then(
    (times) => process.send!({ times }),
    (error: unknown) => process.send!({ failure: String(error) }),
  )
})

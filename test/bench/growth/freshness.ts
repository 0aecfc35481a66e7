import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { atMost, type Finding } from '../report.ts'
import { get, post } from '../scenarios.ts'
import type { Client } from './client.ts'

const created = 200
const goalMs = 1000
const foundWithinMs = 30_000
const pauseMs = 5

/** How long after the answer to its creation a record is found by a word of its name. */
export async function measureFreshness(client: Client): Promise<Finding> {
  const times: number[] = []
  for (let index = 0; index < created; index++) {
    // A word with digits is not corrected, so a search that is too early is cheap.
    const word = `fresh${randomBytes(8).toString('hex')}`
    const answer = await client.send(post('/v1/accounts', { name: `${word} Trading` }))
    if (answer.refusal) throw new Error(`The create of an account was refused: ${answer.refusal}`)
    times.push(await foundAfter(client, word))
  }
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(created * 0.99)]!
  const p50 = times.toSorted((a, b) => a - b)[created / 2]!
  return atMost(
    'Search: from the answer of a create to being found, p99',
    p99,
    goalMs,
    ' ms',
    `p50 ${p50.toFixed(0)} ms`,
  )
}

async function foundAfter(client: Client, word: string): Promise<number> {
  const start = performance.now()
  for (;;) {
    const { body, refusal } = await client.send(get(`/v1/search?q=${word}`))
    const after = performance.now() - start
    if (refusal) throw new Error(`The search was refused: ${refusal}`)
    if ((body as unknown as { results: readonly unknown[] }).results.length > 0) return after
    if (after > foundWithinMs) throw new Error(`A new record was not found within ${foundWithinMs} ms.`)
    await delay(pauseMs)
  }
}

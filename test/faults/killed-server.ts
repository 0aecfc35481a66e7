import { expect, onTestFinished, vi } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Member, Platform } from '../platform.ts'
import { aSecondProcess, type Process } from '../processes.ts'
import { patience } from './killed-worker.ts'

export interface KeyedRequest {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: object
}

const atOnce = 6

/**
 * Sends requests, each under an Idempotency-Key of its own, to a server that is killed whenever `progress` has passed the next of `parts`, until each has
 * been answered. Then repeats each, and returns the first answers and the repeated ones.
 */
export async function sendDespiteKills(
  platform: Platform,
  member: Member,
  requests: readonly KeyedRequest[],
  {
    parts,
    progress,
    restarted,
  }: { parts: readonly number[]; progress: () => Promise<number>; restarted?: () => Promise<unknown> },
): Promise<{ first: unknown[]; repeated: unknown[] }> {
  const server = await aSecondProcess(platform)
  onTestFinished(() => server.kill())
  const keys = requests.map(() => newId())
  const answers = new Map<number, unknown>()

  /** Null if the server has not answered, or cannot now. */
  async function send(to: Process, index: number): Promise<unknown> {
    const { path, headers, body } = requests[index]!
    const all = { ...member.headers, ...headers, 'content-type': 'application/json', 'Idempotency-Key': keys[index]! }
    const init = { method: 'POST', headers: all, body: JSON.stringify(body) }
    const answer = await fetch(to.url + path, init).catch(() => null)
    const text = await answer?.text().catch(() => null)
    if (answer?.status !== 200 || text == null) return null
    return JSON.parse(text)
  }
  async function sendUnanswered(): Promise<void> {
    const waiting = requests.flatMap((_, index) => (answers.has(index) ? [] : [index]))
    const sender = async () => {
      for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
        const answer = await send(server, index)
        if (answer !== null) answers.set(index, answer)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, sender))
  }

  for (const part of parts) {
    await restarted?.()
    await server.start()
    const sending = sendUnanswered()
    await vi.waitFor(async () => expect(await progress()).toBeGreaterThan(part), patience)
    await server.kill()
    await sending
  }
  // Or the test has interrupted nothing.
  expect(answers.size).toBeLessThan(requests.length)
  await restarted?.()
  await server.start()
  await vi.waitFor(async () => {
    await sendUnanswered()
    expect(answers.size).toBe(requests.length)
  }, patience)
  const repeated = []
  for (const index of requests.keys()) repeated.push(await send(server, index))
  return { first: [...requests.keys()].map((index) => answers.get(index)), repeated }
}

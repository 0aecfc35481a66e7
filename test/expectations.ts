import { expect } from 'vitest'
import { validateEvents, type StoredEvent } from './contract/validate-events.ts'
import { objectNames } from '../subgraphs/kernel/record/known-records.ts'
import type { Platform } from './platform.ts'
import type { Answer } from './rest-client.ts'
import { storedEvents } from './stored-events.ts'

/** The answer to a call that may not change anything, after it was shown that it did not. */
export async function unchanged<A = Answer>(platform: Platform, call: () => Promise<A>): Promise<A> {
  const before = await platform.fingerprint()
  const answer = await call()
  expect(await platform.fingerprint()).toBe(before)
  return answer
}

/** Status and code of a call that is refused and changes nothing. */
export async function refused(
  platform: Platform,
  call: () => Promise<Answer>,
): Promise<[status: number, code: string]> {
  const { status, body } = await unchanged(platform, call)
  return [status, body.code as string]
}

/** The same with the inputs that are named: `[status, code, 'path CODE', ...]`. */
export async function refusedInputs(platform: Platform, call: () => Promise<Answer>): Promise<(string | number)[]> {
  const { status, body } = await unchanged(platform, call)
  const problems = (body.errors ?? []) as { path: string; code: string }[]
  return [status, body.code as string, ...problems.map(({ path, code }) => `${path} ${code}`)]
}

/** Every event that the tests of a file left behind fits the schema of its type. */
export async function expectValidEvents(platform: Pick<Platform, 'query'>): Promise<void> {
  const rows = await storedEvents<StoredEvent>(
    platform.query.bind(platform),
    `select type, version, data from kernel.event where object = any($1)`,
    [objectNames()],
  )
  expect(rows.length).not.toBe(0)
  expect(validateEvents(rows)).toEqual([])
}

/** Field values of the records of a list answer. */
export const values = (answer: Answer, name: string): unknown[] =>
  (answer.body.data as Record<string, unknown>[]).map((record) => record[name])

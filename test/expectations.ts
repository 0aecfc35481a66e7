import { expect } from 'vitest'
import { validateEvents, type StoredEvent } from './contract/validate-events.ts'
// Registers the record types, also in a test file that imports only one domain.
import '../subgraphs/all.ts'
import { recordTypeNames } from '../subgraphs/kernel/record/record-registry.ts'
import type { Platform } from './platform.ts'
import type { Answer } from './rest-client.ts'
import { storedEvents } from './stored-events.ts'

/** Returns the response of a call, after checking that the call changed nothing. */
export async function unchanged<A = Answer>(platform: Platform, call: () => Promise<A>): Promise<A> {
  const before = await platform.fingerprint()
  const answer = await call()
  expect(await platform.fingerprint()).toBe(before)
  return answer
}

/** Status and code of a call, after checking that the call changed nothing. */
export async function refused(
  platform: Platform,
  call: () => Promise<Answer>,
): Promise<[status: number, code: string]> {
  const { status, body } = await unchanged(platform, call)
  return [status, body.code as string]
}

/** Like `refused`, with the refused inputs: `[status, code, 'path CODE', ...]`. */
export async function refusedInputs(platform: Platform, call: () => Promise<Answer>): Promise<(string | number)[]> {
  const { status, body } = await unchanged(platform, call)
  const problems = (body.errors ?? []) as { path: string; code: string }[]
  return [status, body.code as string, ...problems.map(({ path, code }) => `${path} ${code}`)]
}

/** Checks that every stored event of a record is valid for the schema of its type. */
export async function expectValidEvents(platform: Pick<Platform, 'query'>): Promise<void> {
  const rows = await storedEvents<StoredEvent>(
    platform.query.bind(platform),
    `select type, version, data from kernel.event where object = any($1)`,
    [recordTypeNames()],
  )
  expect(rows.length).not.toBe(0)
  expect(validateEvents(rows)).toEqual([])
}

/** The values of one field in the records of a list response. */
export const values = (answer: Answer, name: string): unknown[] =>
  (answer.body.data as Record<string, unknown>[]).map((record) => record[name])

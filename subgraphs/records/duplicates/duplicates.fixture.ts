import { expect } from 'vitest'
import type { Member, Platform } from '../../../test/platform.ts'
import { duplicateKeyQueue } from '../../extensions/duplicate-rule/duplicate-keys.queue.ts'
import { consumeNext } from '../../kernel/outbox/consume-events.ts'
import { drain } from '../../kernel/queue/queue.fixture.ts'
import { searchConsumer } from '../../kernel/search/search-consumer.ts'

export interface Rule {
  readonly id: string
  readonly version: number
  readonly [name: string]: unknown
}

/** Creates a rule that blocks contacts with the same email address, or with these values, and returns it. */
export async function duplicateRule(by: Member, values: object = {}): Promise<Rule> {
  const rule = {
    object: 'contact',
    name: 'Same mailbox',
    matchers: [{ field: 'email', method: 'EMAIL' }],
    action: 'BLOCK',
  }
  const { status, body } = await by.rest['duplicateRuleCreate']!({ body: { ...rule, ...values } } as never)
  expect(status, JSON.stringify(body)).toBe(201)
  return body as Rule
}

/** Writes and removes the keys of older records. */
export async function settleDuplicateKeys(platform: Platform): Promise<void> {
  const open = () => platform.query(`select from extensions.duplicate_keys where state = 'QUEUED' limit 1`)
  while ((await open()).length > 0) await drain(duplicateKeyQueue, platform.services)
}

/** The search knows all records that were written. */
export async function consumeSearch(platform: Platform, organizationId: string): Promise<void> {
  await platform.query('select kernel.assign_event_positions(100000)')
  while (await consumeNext(platform.services, searchConsumer, organizationId));
}

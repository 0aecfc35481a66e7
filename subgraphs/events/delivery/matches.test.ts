import { describe, expect, it } from 'vitest'
import { customEventObject, type VisibleEvent } from '../envelope/envelope.ts'
import { isUpdate, wants } from './matches.ts'
import type { ActiveSubscription } from './subscriptions.ts'

const subscription = {
  ownerId: 'owner',
  owner: { fields: null },
  skipOwn: false,
  fields: ['level'],
  conditions: [{ field: 'level', operator: 'GREATER_THAN', value: 5 }],
  logic: 'AND',
} as unknown as ActiveSubscription

const custom = (data: VisibleEvent['data']) =>
  ({ object: customEventObject, occurredAt: '2027-02-01T09:00:00.000Z', data }) as VisibleEvent

describe('a custom event whose payload looks like that of a record', () => {
  const [high, low] = [{ level: 9 }, { level: 1 }]

  it.each([
    [{ level: 9, record: low, previous: high }, true],
    [{ level: 1, record: high, previous: low }, false],
  ])('is compared by its payload: %j', (data, isWanted) => {
    expect(wants(subscription, custom(data), null)).toBe(isWanted)
  })

  it('is no update that may be merged with another one', () => {
    expect(isUpdate(custom({ record: high, previous: low }))).toBe(false)
    expect(isUpdate({ object: 'account', data: { record: high, previous: low } })).toBe(true)
  })
})

describe('`skipOwn`', () => {
  const own = { ...subscription, skipOwn: true, fields: [], conditions: [] } as unknown as ActiveSubscription
  const event = { ...custom({}), actorId: 'owner', depth: 0, origin: null }
  const origin = { kind: 'FUNCTION', id: 'function', runId: 'run' }

  it.each([
    ['what the owner does', {}, false],
    ['what others do', { actorId: 'other' }, true],
    ['what a function that the owner calls does', { origin }, true],
    ['what a request of an automation with the key of the owner does', { depth: 1 }, true],
  ])('%s: %j', (_, given, isWanted) => {
    expect(wants(own, { ...event, ...given }, null)).toBe(isWanted)
  })
})

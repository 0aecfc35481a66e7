import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { schemaPath } from '../../subgraphs/kernel/paths.ts'
import { eventsOf } from '../../subgraphs/kernel/record/record-events.ts'
import { announcing, printedEvents } from './printed-events.ts'
import { validateEvents } from './validate-events.ts'

const files = globSync('**/*.json', { cwd: schemaPath('events') }).map((path) => `events/${path}`)
const declared = announcing.flatMap(({ events }) => Object.keys(events!.types))
const read = (path: string): unknown => JSON.parse(readFileSync(schemaPath(path), 'utf8'))

describe('event types', () => {
  it('are declared once', () => {
    expect(declared.filter((type, index) => declared.indexOf(type) !== index)).toEqual([])
  })

  it('are declared for every operation that a record names its own type for', () => {
    const operations = announcing.flatMap(({ events, eventTypes = {} }) =>
      Object.values(eventTypes).filter((type) => !events!.types[type]),
    )
    expect(operations).toEqual([])
  })

  it('have schema and sample, and there is no file beside them', async () => {
    expect(files.toSorted()).toEqual((await printedEvents()).map(([path]) => path).toSorted())
  })

  it.each(declared)('%s has a sample that its schema accepts', (type) => {
    const data = read(`events/${type.replace('.', '/')}.v1.sample.json`)
    expect(validateEvents([{ type, version: 1, data }])).toEqual([])
  })

  it('refuse data with a property too many, without a record, or of another object', () => {
    const data = read('events/account/created.v1.sample.json') as object
    expect(validateEvents([{ type: 'account.created', version: 1, data: { ...data, surprise: 1 } }])).toEqual([
      'account.created@1: data must NOT have additional properties',
    ])
    expect(validateEvents([{ type: 'account.created', version: 1, data: { ...data, record: {} } }])).toEqual([
      "account.created@1: data/record must have required property 'id'",
    ])
    expect(validateEvents([{ type: 'account.created', version: 1, data: { ...data, object: 'case' } }])).toEqual([
      'account.created@1: data/object must be equal to constant',
    ])
    expect(validateEvents([{ type: 'account.created', version: 2, data }])).toEqual(['account.created@2 has no schema'])
  })

  it('cannot be announced undeclared', () => {
    const [record] = announcing
    const change = { operation: 'CREATE', previous: null, next: { id: 'x' }, changed: [], actorId: null } as const
    expect(() => eventsOf(record!, { ...change, events: [{ type: 'account.vanished' }] })).toThrow(
      'does not declare the event type account.vanished',
    )
  })
})

import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { account } from '../../subgraphs/crm/account/account.record.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import { eventCatalog } from '../../subgraphs/kernel/outbox/event-catalog.ts'
import { eventsOf } from '../../subgraphs/kernel/record/record-events.ts'
import { eventFiles, formerEventFiles, printedEvents } from './printed-events.ts'
import { validateEvents } from './validate-events.ts'

const files = globSync('**/*.json', { cwd: schemaPath('events') }).map((path) => `events/${path}`)
const declared = eventFiles.map(({ type }) => type)
const read = (path: string): object => JSON.parse(readFileSync(schemaPath(path), 'utf8')) as object

describe('event types', () => {
  it('are declared only once', () => {
    expect(declared.filter((type, index) => declared.indexOf(type) !== index)).toEqual([])
  })

  it('have the printed schemas and samples, and there are no other files', async () => {
    const printed = await printedEvents()
    expect(files.toSorted()).toEqual([...printed.map(([path]) => path), ...formerEventFiles].toSorted())
    expect(
      printed.filter(([path, text]) => readFileSync(schemaPath(path), 'utf8') !== text).map(([path]) => path),
    ).toEqual([])
  })

  it.each(eventCatalog().entries.map((entry) => [entry.name, entry] as const))(
    '%s has a sample that its schema accepts',
    (_, { type, version, sample: data }) => {
      expect(validateEvents([{ type, version, data }])).toEqual([])
    },
  )

  it('are emitted in the version that is declared, which is the current one of the catalog', () => {
    for (const { type, version } of eventFiles) expect(eventCatalog().find(type), type).toMatchObject({ version })
    const types = { 'account.created': { operation: 'CREATE', description: 'x', version: 3 } } as const
    const source = { ...account, events: { types } }
    const change = { operation: 'CREATE', previous: null, next: { id: 'x' } } as const
    expect(eventsOf(source, change, null)).toMatchObject([{ type: 'account.created', version: 3 }])
  })

  it('refuse data with an unknown property, without a record, or of another object', () => {
    const data = read('events/account/created.v1.sample.json')
    const wrong = (change: object, version = 1) =>
      validateEvents([{ type: 'account.created', version, data: { ...data, ...change } }])
    expect(wrong({ surprise: 1 })).toEqual(['account.created@1: data must NOT have additional properties'])
    expect(wrong({ record: {} })).toEqual(["account.created@1: data/record must have required property 'id'"])
    expect(wrong({ record: undefined })).toEqual(["account.created@1: data must have required property 'record'"])
    expect(wrong({ object: 'case' })).toEqual(['account.created@1: data/object must be equal to constant'])
    expect(wrong({}, 2)).toEqual(['account.created@2 has no schema'])
  })

  it('cannot be emitted without a declaration', () => {
    const change = { operation: 'CREATE', previous: null, next: { id: 'x' } } as const
    expect(() => eventsOf(account, { ...change, events: ['account.vanished'] }, null)).toThrow(
      'account does not declare the event type account.vanished',
    )
  })
})

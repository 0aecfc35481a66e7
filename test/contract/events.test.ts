import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { account } from '../../subgraphs/crm/account/account.record.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import { eventsOf } from '../../subgraphs/kernel/record/record-events.ts'
import { eventFiles, printedEvents } from './printed-events.ts'
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
    expect(files.toSorted()).toEqual(printed.map(([path]) => path).toSorted())
    expect(
      printed.filter(([path, text]) => readFileSync(schemaPath(path), 'utf8') !== text).map(([path]) => path),
    ).toEqual([])
  })

  it.each(declared)('%s has a sample that its schema accepts', (type) => {
    const data = read(`events/${type.replace('.', '/')}.v1.sample.json`)
    expect(validateEvents([{ type, version: 1, data }])).toEqual([])
  })

  it('refuse data with an unknown property, without a record, or of another object', () => {
    const data = read('events/account/created.v1.sample.json')
    const wrong = (change: object, version = 1) =>
      validateEvents([{ type: 'account.created', version, data: { ...data, ...change } }])
    expect(wrong({ surprise: 1 })).toEqual(['account.created@1: data must NOT have additional properties'])
    expect(wrong({ record: {} })).toEqual(["account.created@1: data/record must have required property 'id'"])
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

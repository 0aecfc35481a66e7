import { describe, expect, it } from 'vitest'
import { recordTypes, subgraphs } from '../../../all.ts'
import { recordType } from '../../../kernel/record/record-registry.ts'
import { catalog, kindsOf, notifyingTypes } from './catalog.ts'
import { categories } from './notification-kind.ts'

const sources = subgraphs.flatMap(({ resources }) =>
  resources.flatMap(({ entities = {}, announces = [] }) => [...Object.values(entities), ...announces]),
)
const eventTypes = new Map(
  sources.flatMap((source) => Object.keys(source.events?.types ?? {}).map((type) => [type, source] as const)),
)
const kinds = [...catalog.values()].map((kind) => [kind.key, kind] as const)

describe('the catalog of notifications', () => {
  it('has no key twice, and a category for each key', () => {
    expect(new Set(kinds.map(([key]) => key)).size).toBe(kinds.length)
    expect(kinds.filter(([, { category }]) => !(category in categories))).toEqual([])
    expect(kinds.length).toBeGreaterThan(25)
  })

  it.each(kinds)('%s follows from declared event types only', (_, { on }) => {
    expect(on.filter((type) => !eventTypes.has(type))).toEqual([])
    for (const type of on) expect(kindsOf(type).length).toBeGreaterThan(0)
  })

  it.each(kinds)('%s reads fields that its record has', (_, { on, to, nameField, groupsBy, about, others }) => {
    const fields = [...to, nameField ?? [], groupsBy ?? [], others ? 'ownerId' : []].flat()
    for (const type of on) {
      const source = eventTypes.get(type)!
      const subject = about?.({ data: { record: { caseId: '', accountId: '' } } } as never).object
      const shape = subject ? recordType(subject)() : recordTypes.find(({ object }) => object === source.object)
      const known = shape ? shape.columns.byName : new Map(Object.entries(source.events!.payload!.properties))
      expect(fields.filter((field) => !known.has(field))).toEqual([])
    }
  })

  it('reads no other event', () => {
    expect(notifyingTypes).toEqual([...new Set(kinds.flatMap(([, { on }]) => on))].toSorted())
  })
})

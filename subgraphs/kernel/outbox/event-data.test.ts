import { describe, expect, it } from 'vitest'
import { storedData, wholeData } from './event-data.ts'

const address = { city: 'Oslo' }
const record = { id: '1', name: 'New', tags: ['a'], metadata: { k: 2 }, phone: null, address, customFields: { t: 1 } }
const previous = { ...record, name: 'Old', tags: ['a'], metadata: { k: 1 }, phone: '+47', customFields: { t: 1 } }
const data = { object: 'account', id: '1', record, previous, changedFields: ['name'], actorId: null, status: 'X' }

describe('the data of an event', () => {
  it('is stored with the values of previous that differ from the record alone', () => {
    expect(storedData(data)).toEqual({ ...data, previous: { name: 'Old', metadata: { k: 1 }, phone: '+47' } })
  })

  it('comes back whole', () => {
    expect(wholeData(JSON.parse(JSON.stringify(storedData(data))) as typeof data)).toEqual(data)
  })

  it('comes back as it is where it was stored whole', () => {
    expect(wholeData(data)).toEqual(data)
  })

  it.each([
    ['no previous record', { ...data, previous: null }],
    ['no record', { done: true, previous: { name: 'Old' } }],
  ])('is left alone with %s', (_, given) => {
    expect([storedData(given), wholeData(given)]).toEqual([given, given])
  })

  it('keeps what only the previous record had, and refuses what only the new one has', () => {
    const fewer = { record: { id: '1' }, previous: { id: '1', gone: 2 } }
    expect(wholeData(storedData(fewer))).toEqual(fewer)
    expect(() => storedData({ record: { id: '1', more: 2 }, previous: { id: '1' } })).toThrow('must have more')
  })
})

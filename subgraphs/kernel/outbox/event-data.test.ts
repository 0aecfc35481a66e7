import { describe, expect, it } from 'vitest'
import { storedData, wholeData } from './event-data.ts'

const address = { city: 'Oslo' }
const record = { id: '1', name: 'New', tags: ['a'], metadata: { k: 2 }, phone: null, address, customFields: { t: 1 } }
const previous = { ...record, name: 'Old', tags: ['a'], metadata: { k: 1 }, phone: '+47', customFields: { t: 1 } }
const data = { object: 'account', id: '1', record, previous, changedFields: ['name'], actorId: null, status: 'X' }

describe('the data of an event', () => {
  it('is stored with only those values of `previous` that differ from `record`', () => {
    expect(storedData(data)).toEqual({ ...data, previous: { name: 'Old', metadata: { k: 1 }, phone: '+47' } })
  })

  it('is restored with the whole `previous`', () => {
    expect(wholeData(JSON.parse(JSON.stringify(storedData(data))) as typeof data)).toEqual(data)
  })

  it('is unchanged when it was stored whole', () => {
    expect(wholeData(data)).toEqual(data)
  })

  it.each([
    ['no previous record', { ...data, previous: null }],
    ['no record', { done: true, previous: { name: 'Old' } }],
  ])('is unchanged with %s', (_, given) => {
    expect([storedData(given), wholeData(given)]).toEqual([given, given])
  })

  it('keeps fields that only `previous` has, and refuses fields that only `record` has', () => {
    const fewer = { record: { id: '1' }, previous: { id: '1', gone: 2 } }
    expect(wholeData(storedData(fewer))).toEqual(fewer)
    expect(() => storedData({ record: { id: '1', more: 2 }, previous: { id: '1' } })).toThrow('must have more')
  })
})

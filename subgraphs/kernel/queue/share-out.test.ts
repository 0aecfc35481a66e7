import { describe, expect, it } from 'vitest'
import { shareOut, type WaitingKey } from './share-out.ts'

const none = new Map<string, number>()
const key = (organization: string, name: string, running = 0): WaitingKey => ({ organization, key: name, running })
const limits = { count: 8, free: 8, perKeyMax: 4, running: none, runningHere: none }
const shared = (waiting: readonly WaitingKey[], more: Partial<typeof limits> & { perOrganizationMax?: number } = {}) =>
  Object.fromEntries(
    shareOut(waiting, { ...limits, ...more, count: more.count ?? more.free ?? limits.count }).map(
      ({ organization, key: name, slots }) => [`${organization}.${name}`, slots],
    ),
  )

describe('shareOut', () => {
  it('gives organizations the same number of slots, whatever the number of their keys', () => {
    expect(shared([key('a', '1'), key('a', '2'), key('a', '3'), key('b', '1')])).toEqual({
      'a.1': 1,
      'a.2': 1,
      'a.3': 1,
      'b.1': 3,
    })
  })

  it('gives nothing to a key with as many running attempts as it may have, and the rest to one with fewer', () => {
    expect(shared([key('a', '1', 4), key('a', '2', 1)])).toEqual({ 'a.2': 3 })
    expect(shared([key('a', '1', 4)])).toEqual({})
  })

  it('serves first who has the fewest running attempts in all processes', () => {
    const running = new Map([['a', 3]])
    expect(shared([key('a', '1', 3), key('b', '1')], { free: 2, running })).toEqual({ 'b.1': 2 })
  })

  it('leaves as many slots free as an organization uses, but gives each one two', () => {
    const perKeyMax = 100
    expect(shared([key('a', '1')], { perKeyMax })).toEqual({ 'a.1': 4 })
    expect(shared([key('a', '1')], { perKeyMax, free: 4, runningHere: new Map([['a', 4]]) })).toEqual({})
    expect(shared([key('a', '1')], { perKeyMax, free: 20, count: 8 })).toEqual({ 'a.1': 8 })
    expect(shared([key('a', '1')], { perKeyMax, free: 1 })).toEqual({ 'a.1': 1 })
    expect(shared([key('a', '1')], { perKeyMax, free: 1, runningHere: new Map([['a', 1]]) })).toEqual({ 'a.1': 1 })
  })

  it('gives an organization at most as many slots as it may have', () => {
    const more = { perKeyMax: 100, perOrganizationMax: 2 }
    expect(shared([key('a', '1'), key('b', '1')], more)).toEqual({ 'a.1': 2, 'b.1': 2 })
    expect(shared([key('a', '1')], { ...more, runningHere: new Map([['a', 1]]) })).toEqual({ 'a.1': 1 })
  })

  it('leaves the last of four slots to an organization without a running attempt', () => {
    const waiting = [key('a', '1'), key('b', '1')]
    expect(shared(waiting, { free: 4 })).toEqual({ 'a.1': 2, 'b.1': 1 })
    const runningHere = new Map([
      ['a', 2],
      ['b', 1],
    ])
    expect(shared(waiting, { free: 1, runningHere })).toEqual({})
    expect(shared([...waiting, key('c', '1')], { free: 1, runningHere })).toEqual({ 'c.1': 1 })
  })
})

import { describe, expect, it } from 'vitest'
import { schemaSignature, Sweep } from './sweep.ts'

const cases = Array.from({ length: 10 }, (_, index) => index)

describe('a sweep', () => {
  it('tries all cases at the first place of a signature, and some at every other one', () => {
    const sweep = new Sweep(false)
    expect(sweep.choose('text', 'accountCreate.name', cases)).toEqual(cases)
    const others = Array.from({ length: 200 }, (_, index) => sweep.choose('text', `place${index}`, cases))
    expect(others.map(({ length }) => length)).toEqual(others.map(() => 1))
    // Together, the other places try every case.
    expect(new Set(others.flat())).toEqual(new Set(cases))
    expect(sweep.choose('number', 'place1', cases)).toEqual(cases)
  })

  it('runs a test at the first place of a signature, and at some of the others', () => {
    const sweep = new Sweep(false)
    const chosen = Array.from({ length: 200 }, (_, index) => sweep.includes('post', `place${index}`, 4))
    expect(chosen[0]).toBe(true)
    expect(chosen.filter(Boolean).length).toBeGreaterThan(25)
    expect(chosen.filter(Boolean).length).toBeLessThan(75)
    expect(new Sweep(true).includes('post', 'place1', 1_000_000)).toBe(true)
  })

  it('tries the same cases in every run', () => {
    const chosen = [1, 2].map(() => {
      const sweep = new Sweep(false)
      sweep.choose('text', 'a', cases)
      return sweep.choose('text', 'b', cases, 3)
    })
    expect(new Set(chosen[0]).size).toBe(3)
    expect(chosen[1]).toEqual(chosen[0])
  })

  it('tries all cases at every place when it is full', () => {
    const sweep = new Sweep(true)
    expect([sweep.choose('text', 'a', cases), sweep.choose('text', 'b', cases)]).toEqual([cases, cases])
  })

  it('tries a single case everywhere', () => {
    const sweep = new Sweep(false)
    expect([sweep.choose('text', 'a', [1]), sweep.choose('text', 'b', [1]), sweep.choose('text', 'c', [])]).toEqual([
      [1],
      [1],
      [],
    ])
  })
})

describe('the signature of a schema', () => {
  it('has the kinds of its checks, also of its items', () => {
    const text = { type: 'string', description: 'a', maxLength: 3 }
    const same = { type: 'string', description: 'c', maxLength: 5 }
    expect(schemaSignature(text)).toBe(schemaSignature(same))
    expect(schemaSignature({ type: 'array', items: text })).toBe(schemaSignature({ type: 'array', items: same }))
    const others = [{ type: 'string' }, { ...text, minLength: 1 }, { ...text, format: 'uuid' }, { type: 'integer' }]
    expect(new Set([text, ...others].map(schemaSignature)).size).toBe(5)
  })
})

import { describe, expect, it } from 'vitest'
import { patched } from './patch.ts'

describe('patched', () => {
  it('merges objects, replaces lists and values, and removes members that are null', () => {
    const target = { a: { b: 1, c: 2 }, list: [1, 2], kept: 'x' }
    expect(patched(target, { a: { c: null, d: 3 }, list: [3] })).toEqual({ a: { b: 1, d: 3 }, list: [3], kept: 'x' })
    expect(target).toEqual({ a: { b: 1, c: 2 }, list: [1, 2], kept: 'x' })
  })

  it('removes nulls also if the member did not exist', () => {
    expect(patched({}, { a: { b: null, c: 1 } })).toEqual({ a: { c: 1 } })
  })

  it('replaces an example as a whole, also by null', () => {
    const target = { a: { example: { kept: 1 } }, b: { example: 'text' } }
    const patch = { a: { example: { other: null } }, b: { example: null } }
    expect(patched(target, patch)).toEqual(patch)
  })

  it('merges parameters by name and place, or by reference, and adds others at the end', () => {
    const parameters = [
      { name: 'type', in: 'query', schema: { type: 'string' } },
      { $ref: '#/components/parameters/page' },
      { name: 'type', in: 'header', schema: { type: 'string' } },
    ]
    const patch = [
      { name: 'color', in: 'query', schema: { type: 'string' } },
      { name: 'type', in: 'query', description: 'Exact type.' },
      { $ref: '#/components/parameters/page' },
    ]
    expect(patched({ parameters }, { parameters: patch })).toEqual({
      parameters: [{ ...parameters[0], description: 'Exact type.' }, parameters[1], parameters[2], patch[0]],
    })
  })

  it('does not merge components that are called parameters by name', () => {
    expect(patched({ parameters: { id: { in: 'path' } } }, { parameters: { page: { in: 'query' } } })).toEqual({
      parameters: { id: { in: 'path' }, page: { in: 'query' } },
    })
  })
})

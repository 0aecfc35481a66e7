import { describe, expect, it } from 'vitest'
import type { ChartUser } from '../../identity/public.ts'
import { parentsOf } from './hierarchy.ts'

const user = (id: string, managerId: string | null = null, changes: Partial<ChartUser> = {}): ChartUser => ({
  id,
  name: id,
  managerId,
  isActive: true,
  teamManagerId: null,
  ...changes,
})

const tree = (users: readonly ChartUser[], hidden: readonly string[] = []) =>
  Object.fromEntries(parentsOf(users, ({ id }) => !hidden.includes(id)))

describe('the tree of users', () => {
  it('follows the managers, and has each user once whatever the number of teams', () => {
    expect(tree([user('a'), user('b', 'a'), user('c', 'b'), user('d', 'b', { teamManagerId: 'a' })])).toEqual({
      a: null,
      b: 'a',
      c: 'b',
      d: 'b',
    })
  })

  it('hangs users of a deactivated or hidden manager under the next one above', () => {
    const users = [user('a'), user('b', 'a', { isActive: false }), user('c', 'b'), user('d', 'c')]
    expect(tree(users)).toEqual({ a: null, b: 'a', c: 'a', d: 'c' })
    expect(tree(users, ['b', 'c'])).toEqual({ a: null, d: 'a' })
    expect(tree(users, ['a', 'b'])).toEqual({ c: null, d: 'c' })
  })

  it('hangs users without a manager under that of their team, without a cycle', () => {
    expect(tree([user('m'), user('a', null, { teamManagerId: 'm' })])).toEqual({ m: null, a: 'm' })
    const two = [user('m', null, { teamManagerId: 'n' }), user('n', null, { teamManagerId: 'm' })]
    expect(tree(two)).toEqual({ m: 'n', n: null })
    expect(tree([user('m', 'a'), user('a', null, { teamManagerId: 'm' })])).toEqual({ m: 'a', a: null })
  })

  it('ends for a cycle of managers, which cannot be stored', () => {
    expect(tree([user('a', 'b', { isActive: false }), user('b', 'a', { isActive: false })])).toEqual({
      a: null,
      b: null,
    })
  })
})

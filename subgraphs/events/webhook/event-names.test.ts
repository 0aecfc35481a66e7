import { describe, expect, it } from 'vitest'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { EventNames } from './event-names.ts'

const source = (object: string, ...types: string[]): TrackedObject => ({
  object,
  events: { types: Object.fromEntries(types.map((type) => [type, { operation: 'CREATE', description: '' }])) },
})

describe('the names of events', () => {
  it('of several objects may begin with the same word, in any order, also with the custom objects of an organization', () => {
    const sources = [source('case', 'case.created'), source('case_comment', 'case.comment_added')]
    for (const all of [sources, sources.toReversed()]) {
      const names = new EventNames(all).in({ shapes: null })
      expect(['case.created', 'case.comment_added', 'case.*', 'case.other'].map((name) => names.has(name))).toEqual([
        true,
        true,
        true,
        false,
      ])
    }
  })
})

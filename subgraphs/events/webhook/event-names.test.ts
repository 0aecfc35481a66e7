import { describe, expect, it } from 'vitest'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { EventNames } from './event-names.ts'

const source = (object: string, ...types: string[]): TrackedObject => ({
  object,
  events: { types: Object.fromEntries(types.map((type) => [type, { operation: 'CREATE', description: '' }])) },
})

const organization = { shapes: null }

describe('the names of events', () => {
  const [record, comment] = [source('case', 'case.created'), source('case_comment', 'case.comment_added')]

  it.each([
    ['one', [record, comment]],
    ['another', [comment, record]],
  ])('of several objects may begin with the same word, each with its own object: in %s order', (_order, all) => {
    const names = new EventNames(all)
    const described = (name: string) =>
      Array.from(names.sourcesOf([name], organization), ({ object }) => object).toSorted()
    expect(described('case.created')).toEqual(['case'])
    expect(described('case.comment_added')).toEqual(['case_comment'])
    expect(described('case.*')).toEqual(['case', 'case_comment'])
    expect(described('case.other')).toEqual([])
    const known = ['case.created', 'case.comment_added', 'case.*', 'case.other', 'cases.*', 'constructor.*']
    expect(known.map((name) => names.has(name, organization))).toEqual([true, true, true, false, false, false])
  })
})

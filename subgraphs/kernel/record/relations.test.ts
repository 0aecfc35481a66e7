import { describe, expect, it } from 'vitest'
import { recordTypes } from '../../all.ts'
import type { RecordShape, Relation } from './definition.ts'

const relations = recordTypes.flatMap((definition) =>
  Object.entries(definition.relations ?? {}).map(([name, relation]): [string, RecordShape, Relation] => [
    `${definition.object}.${name}`,
    definition,
    relation,
  ]),
)

describe('the relations of record types', () => {
  it('exist within a subgraph and between two', () => {
    expect(relations.map(([name]) => name)).toEqual(
      expect.arrayContaining(['account.parent', 'account.children', 'account.cases', 'case.account', 'case.comments']),
    )
  })

  it.each(relations)('%s refers by a column with ids, which an index answers', (_, definition, { by, from, to }) => {
    expect([by, from].filter((name) => name !== undefined)).toHaveLength(1)
    const { columns, visibleThrough } = by ? definition : to()
    const column = columns.byName.get((by ?? from)!)
    // A list of ids has an index of its own kind, which the tests of its record type check.
    if (from && column?.kind === 'textList') return
    expect(column?.kind).toBe('id')
    // The primary key answers the other direction.
    if (from) expect(column!.indexed ?? visibleThrough?.by === from).toBe(true)
  })

  it.each(relations)('%s is described', (_name, _definition, { description }) => {
    expect(description).toMatch(/^[A-Z].*\.$/)
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'
import type { RecordDefinition, StoredRow } from '../../subgraphs/kernel/record/definition.ts'
import { restAreas, prefixOf } from '../rest-areas.ts'

/** Rules that a new record must meet and a restored one need not, by the order in the definition, and why. */
const onlyNew: Readonly<Record<string, string>> = {
  'contact 1': 'A restored contact is not the primary one: `calculated` sees to that.',
  'custom_field 2': 'A deleted field keeps its name, so nobody else has it.',
  'custom_field 14':
    'What a change begins follows from what it changes: a field that was deleted has no index, and its restoration begins one.',
  'custom_object 1': 'A deleted object keeps its name, so nobody else has it.',
}

const graph = readFileSync(join(projectRoot, 'schema/supergraph.graphql'), 'utf8')
const restorable = restAreas.filter((area) => graph.includes(`\n  ${prefixOf(area)}Restore(`))

type Row = StoredRow & Readonly<Record<string, unknown>>

/** A record in which every column has a value, and every flag is true. */
const filled = ({ columns }: RecordDefinition<never>): Row =>
  Object.fromEntries([
    ...columns.stored.map(({ name, kind, example }) => [name, kind === 'boolean' ? true : (example ?? name)]),
    ['deletedAt', null],
  ]) as Row

const rules = restorable.flatMap((area) => {
  const definition = area.definition as unknown as RecordDefinition<Row>
  const record = filled(definition as unknown as RecordDefinition<never>)
  return (definition.serializedRules ?? []).map(
    (rule, index) => [`${definition.object} ${index}`, rule, record] as const,
  )
})

describe('a rule between the records of a type', () => {
  it.each(rules.filter(([name]) => !(name in onlyNew)))(
    'that a new record must meet holds for a restored one, too: %s',
    async (_, { concerns }, record) => {
      const ctx = undefined as never
      if (!(await concerns(ctx, record, null))) return
      expect(await concerns(ctx, record, { ...record, deletedAt: '2027-01-01T00:00:00.000Z' })).toBe(true)
    },
  )

  it('is none of the exceptions that no longer exist', () => {
    const names = new Set<string>(rules.map(([name]) => name))
    expect(Object.keys(onlyNew).filter((name) => !names.has(name))).toEqual([])
  })
})

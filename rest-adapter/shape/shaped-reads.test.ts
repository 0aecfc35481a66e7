import { readFileSync } from 'node:fs'
import { parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { Graph } from '../../gateway/graph/graph.ts'
import { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import type { SubgraphEndpoint } from '../../subgraphs/kernel/subgraph/endpoint.ts'
import { loadContract } from '../contract.ts'
import { shapedDocument } from './shaped-document.ts'
import { ShapedReads } from './shaped-reads.ts'

const supergraph = new LoadedSupergraph(readFileSync(schemaPath('supergraph.graphql'), 'utf8'))
const contract = loadContract(schemaPath('rest'))
const shaped = contract.operations.filter(({ shaping, id, documentId }) => shaping && id === documentId)
const named = (id: string) => shaped.find((operation) => operation.id === id)!
const caller = { kind: 'API_KEY', organizationId: 'one' } as unknown as Caller

describe('the document of a shape', () => {
  it.each(shaped.map((operation) => [operation.id, operation] as const))(
    'of %s is valid in the graph',
    (_, operation) => {
      const { document, shaping } = operation
      const relations = [...shaping!.relations.keys()]
      const shapes = [
        ...shaping!.fields.map((name) => ({ only: new Set([name]), expand: [], lookups: [] })),
        ...relations.map((name) => ({ only: new Set(['id']), expand: [name], lookups: [] })),
        { only: null, expand: relations, lookups: [] },
      ]
      for (const shape of shapes) {
        const text = shapedDocument(document!, shaping!, shape, ['id'])
        expect(validate(supergraph.apiSchema, parse(text)), text).toEqual([])
      }
    },
  )

  it('selects what was chosen, what the ETag consists of, and each related record by its fragment', () => {
    const { document, shaping } = named('account')
    const shape = { only: new Set(['name']), expand: ['owner'], lookups: [] }
    expect(shapedDocument(document!, shaping!, shape, ['id', 'version'])).toBe(
      `query account($id: ID!, $asOf: DateTime) {
  result: account(id: $id, asOf: $asOf) {
    id
    name
    version
    ...accountOwner
  }
}

fragment accountOwner on Account {
  owner {
    id
    name
    email
    avatar
    active
    managerId
  }
}`,
    )
  })
})

describe('the document with records that lookups name', () => {
  it.each(shaped.filter(({ shaping }) => shaping!.hasLookups).map((operation) => [operation.id, operation] as const))(
    'of %s is valid in the graph',
    (_, { document, shaping }) => {
      const text = shapedDocument(document!, shaping!, { only: new Set(['id']), expand: [], lookups: ['site'] }, ['id'])
      expect(text).toContain('related_site: related(field: "site")')
      expect(validate(supergraph.apiSchema, parse(text)), text).toEqual([])
    },
  )
})

describe('the documents of an operation', () => {
  const endpoint = (name: string): SubgraphEndpoint => ({
    name,
    execute: () => Promise.reject(new Error('not called')),
  })
  const graph = Graph.create({ supergraph, endpoints: supergraph.subgraphNames.map(endpoint) })

  it('are one for names in any order', async () => {
    const reads = new ShapedReads(named('accountList'), graph)
    const one = await reads.readFor({ only: new Set(['name', 'phone']), expand: [], lookups: [] }, caller)
    const other = await reads.readFor({ only: new Set(['phone', 'name']), expand: [], lookups: [] }, caller)
    expect(other.prepared).toBe(one.prepared)
  })

  it('take a bounded part of memory, however many shapes are asked for', async () => {
    const operation = named('accountList')
    const { fields } = operation.shaping!
    const reads = new ShapedReads(operation, graph)
    for (let shape = 0; shape < 1000; shape++) {
      const only = new Set(fields.filter((_, index) => ((shape + 1) >> (index % 10)) & 1))
      await reads.readFor({ only, expand: shape % 2 ? ['owner', 'parent'] : [], lookups: [] }, caller)
      expect(reads.keptCharacters).toBeLessThanOrEqual(100_000)
    }
    expect(reads.keptCharacters).toBeGreaterThan(50_000)
    expect(graph.cacheBytes.operations).toBeLessThanOrEqual(64_000_000)
  })
})

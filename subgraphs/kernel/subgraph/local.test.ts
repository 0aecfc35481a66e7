import { buildSchema } from 'graphql'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { heldBytes } from './heap.fixture.ts'
import { builtInShapes } from '../record/shape-source.ts'
import type { Services } from '../request.ts'
import { LocalSubgraph } from './local.ts'
import { anOperation } from './remote.fixture.ts'

const names = Array.from({ length: 500 }, (_, index) => `field${index}`)
const schema = buildSchema(`type Query { one: Wide } type Wide { ${names.map((name) => `${name}: Int`).join(' ')} }`)
const tenants = { of: () => ({ open: false }) }
const extensions = { load: () => null, of: () => null }
const services = { tenants, shapes: builtInShapes, extensions, log: pino({ level: 'silent' }) } as unknown as Services

const subgraphSchema = {
  schema,
  crossTenantFields: new Set<string>(),
  crossTenantDryRuns: new Set<string>(),
  kinds: new Map(),
  entities: {},
  ports: [],
}
const aSubgraph = (): LocalSubgraph => new LocalSubgraph('wide', subgraphSchema, services)
const wideDocument = (number: number): string => `{ alias${number}: one { ${names.join(' ')} } }`

async function execute(subgraph: LocalSubgraph, from: number, to: number): Promise<void> {
  for (let number = from; number < to; number++) {
    const { data } = await subgraph.execute(anOperation({ document: wideDocument(number), variables: {} }))
    expect(data).toEqual({ [`alias${number}`]: null })
  }
}

it('keeps at most 48 MB of compiled operations', async () => {
  const subgraph = aSubgraph()
  await execute(subgraph, 0, 40)
  const perDocument = subgraph.compiledBytes / 40
  expect(Math.round(perDocument / 1000)).toBe(630)
  await execute(subgraph, 40, 120)
  expect(subgraph.compiledBytes).toBeLessThanOrEqual(48_000_000)
  expect(subgraph.compiledBytes).toBeGreaterThan(48_000_000 - perDocument)
})

it('frees the memory of evicted operations', async () => {
  const subgraph = aSubgraph()
  await execute(subgraph, 0, 100)
  const before = heldBytes()
  await execute(subgraph, 100, 250)
  // The compilation cache of V8 would keep 100 MB for these.
  expect(heldBytes() - before).toBeLessThan(20_000_000)
})

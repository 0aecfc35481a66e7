import 'reflect-metadata'
import { isEnumType } from 'graphql'
import { ObjectType, Query, Resolver } from 'type-graphql'
import { describe, expect, it } from 'vitest'
import { subgraphs } from '../../all.ts'
import { isRecordShape, type RecordShape } from '../../kernel/record/definition.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { buildSubgraph, type SubgraphDefinition } from '../../kernel/subgraph/subgraph.ts'
import { eventsSubgraph } from '../subgraph.ts'

async function recordObjects(definition: SubgraphDefinition): Promise<string[]> {
  const type = (await buildSubgraph(definition)).schema.getType('RecordObject')
  return isEnumType(type) ? type.getValues().map(({ name }) => name) : []
}

/** A subgraph with one invented record type. */
function aSubgraph(events: RecordShape['events']): SubgraphDefinition {
  @ObjectType('ServiceContract')
  @RequiresScope('CONTRACTS')
  class ServiceContract {}
  @Resolver()
  class NoResolver {
    @Query(() => String)
    unused() {
      return ''
    }
  }
  const shape = { object: 'service_contract', entity: ServiceContract, events } as unknown as RecordShape
  return { name: 'contracts', resources: [{ resolver: NoResolver, entities: { ServiceContract: shape } }] }
}

/** Records that nothing references: what users plan to win, what administrators define, and jobs. */
const unreferenced = new Set([
  'ai_execution',
  'ai_trigger',
  'bulk_job',
  'forecast',
  'after_save_trigger',
  'before_save_hook',
  'custom_action',
  'function_invocation',
  'named_credential',
  'quota',
  'serverless_function',
  'validation_rule',
  'app',
  'app_package',
  'installed_app',
  'duplicate_rule',
  'custom_field',
  'custom_object',
  'flow',
  'layout',
  'page',
  'metadata',
  'workflow',
  'workflow_run',
])

describe('recordChanged', () => {
  it('covers every record type with events, except administration and parts of records that nothing references', async () => {
    const isPart = (source: Parameters<typeof isRecordShape>[0]): boolean =>
      isRecordShape(source) && source.visibleThrough !== undefined
    const withEvents = subgraphs
      .filter(({ name }) => name !== 'identity' && name !== 'events')
      .flatMap(({ resources }) =>
        resources.flatMap(({ entities = {}, announces = [] }) => [
          ...Object.values(entities),
          ...announces.filter((source) => !isPart(source) && !unreferenced.has(source.object)),
        ]),
      )
      .filter(({ events }) => events !== undefined)
    const events = subgraphs.find(({ name }) => name === 'events')!
    const names = withEvents.map(({ object }) => object.toUpperCase()).toSorted()
    expect(await recordObjects(events)).toEqual([...names, 'CUSTOM_RECORD'])
    expect(withEvents.length).toBeGreaterThan(2)
  })

  it('covers a new record type with its field and its scope', async () => {
    const definition = eventsSubgraph([aSubgraph({ types: {}, sample: {} })])
    expect(await recordObjects(definition)).toEqual(['SERVICE_CONTRACT'])
    const { sdl } = await buildSubgraph(definition)
    expect(sdl).toContain('  serviceContract: ServiceContract\n')
    expect(sdl).toContain('type ServiceContract implements Node @key(fields: "id", resolvable: false) {')
    expect(sdl.match(/@requiresScopes\(scopes: \[\["READ_CONTRACTS"\]\]\)/g)).toHaveLength(3)
  })

  it('does not cover a record type without events', async () => {
    const crm = subgraphs.filter(({ name }) => name === 'crm')
    const covered = await recordObjects(eventsSubgraph(crm))
    expect(covered).toContain('ACCOUNT')
    expect(await recordObjects(eventsSubgraph([...crm, aSubgraph(undefined)]))).toEqual(covered)
  })

  it('requires @RequiresScope on the class of a record type', () => {
    const { resources } = aSubgraph({ types: {}, sample: {} })
    const entities = { Unscoped: { ...resources[0]!.entities!['ServiceContract']!, entity: class Unscoped {} } }
    expect(() => eventsSubgraph([{ name: 'contracts', resources: [{ ...resources[0]!, entities }] }])).toThrow(
      'The type Unscoped must have @RequiresScope.',
    )
  })
})

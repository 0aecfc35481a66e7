import { subgraphs } from './all.ts'
import { ConfigError, type Config } from './kernel/config/config.ts'
import type { OpenServices } from './kernel/services.ts'
import { BalancedSubgraph } from './kernel/subgraph/balanced.ts'
import { compactSchema, emptyDocument } from './kernel/package-internals/compact-schema.ts'
import type { SubgraphEndpoint } from './kernel/subgraph/endpoint.ts'
import { LocalSubgraph } from './kernel/subgraph/local.ts'
import { MeasuredSubgraph } from './kernel/subgraph/measured.ts'
import { RemoteSubgraph } from './kernel/subgraph/remote.ts'
import { buildSubgraph, type SubgraphDefinition, type SubgraphSchema } from './kernel/subgraph/subgraph.ts'

const schemas = new Map<SubgraphDefinition, Promise<SubgraphSchema>>()

/** A schema depends only on its definition, so it is built once, also if a process opens several platforms, as tests do. */
function schemaOf(definition: SubgraphDefinition): Promise<SubgraphSchema> {
  const schema = schemas.get(definition) ?? compactSubgraph(definition)
  schemas.set(definition, schema)
  return schema
}

async function compactSubgraph(definition: SubgraphDefinition): Promise<SubgraphSchema> {
  const subgraph = await buildSubgraph(definition)
  compactSchema(subgraph.schema)
  emptyDocument(subgraph.document)
  return subgraph
}

export async function localSubgraph(definition: SubgraphDefinition, services: OpenServices): Promise<LocalSubgraph> {
  return new LocalSubgraph(definition.name, await schemaOf(definition), services)
}

/** The endpoints of all subgraphs: remote if URLs are configured, otherwise in this process. */
export function endpointsOf({ subgraphUrls }: Config, services: OpenServices): Promise<SubgraphEndpoint[]> {
  const { keys, log, clock } = services
  return Promise.all(
    subgraphs.map(async (definition) => {
      const { name } = definition
      const remotes = subgraphUrls[name]?.map(
        (url) => new RemoteSubgraph({ name, url, callerKey: keys.caller, log, clock }),
      )
      return new MeasuredSubgraph(remotes ? new BalancedSubgraph(remotes) : await localSubgraph(definition, services))
    }),
  )
}

export function subgraphNamed(name: string | undefined): SubgraphDefinition {
  const definition = subgraphs.find((candidate) => candidate.name === name)
  if (!definition)
    throw new ConfigError(`The subgraph must be one of: ${subgraphs.map((known) => known.name).join(', ')}.`)
  return definition
}

/** Refuses a misspelt name in SUBGRAPH_<NAME>_URL; otherwise that subgraph would run in this process without a warning. */
export function refuseUnknownSubgraphs({ subgraphUrls }: Config): void {
  const names = subgraphs.map(({ name }) => name)
  const unknown = Object.keys(subgraphUrls).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new ConfigError(`SUBGRAPH_${unknown.toUpperCase()}_URL: the subgraph must be one of ${names.join(', ')}.`)
}

import 'reflect-metadata'
import { globSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { GraphQLSchema } from 'graphql'
import { composeSupergraph } from '../../gateway/graph/compose.ts'
import { subgraphs } from '../../subgraphs/all.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import type { DeclaredOperation } from '../../subgraphs/kernel/record/operation.ts'
import type { RestArea } from '../../subgraphs/kernel/record/rest-area.ts'
import { buildSubgraph } from '../../subgraphs/kernel/subgraph/subgraph.ts'
import { printedEvents } from './printed-events.ts'
import { printedMetadata } from './printed-metadata.ts'
import { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import { operationParts } from './declared-rest/operation-parts.ts'
import { areaFolders, handwrittenSchemas, printedDescriptions } from './printed-descriptions.ts'
import { printedFolder, type Descriptions, type PrintedPart } from './printed-rest.ts'
import { shapeParts } from './shaped-rest.ts'
import { aggregatePart, recordPart } from './standard-rest/record-part.ts'

const rest = schemaPath('rest')

/** The folders whose handwritten contract has the schema as a whole, not as a change of a printed one. */
function handwrittenIn(): ReadonlyMap<string, string> {
  const entries = areaFolders(rest).flatMap((folder) =>
    Object.entries(handwrittenSchemas(join(rest, folder))).flatMap(([name, schema]) =>
      'type' in schema ? [[name, folder] as const] : [],
    ),
  )
  return new Map(entries)
}

/** The printed parts of the REST contract: those of records first, because their schemas are used by all others. */
function printedParts(built: readonly Built[], graph: LoadedSupergraph): PrintedPart[] {
  const records = built.flatMap(({ schema, areas }) => areas.map((area) => recordPart(schema, area, graph)))
  const ofRecords = new Set(records.flatMap(({ schemas }) => Object.keys(schemas)))
  const byHand = handwrittenIn()
  const operations = operationParts(
    built,
    (name, folder) => ofRecords.has(name) || (byHand.get(name) ?? folder) !== folder,
  )
  const aggregates: PrintedPart[] = []
  for (const { schema, aggregates: areas } of built)
    for (const area of areas) {
      const known = new Set([...records, ...operations, ...aggregates].flatMap((part) => Object.keys(part.schemas)))
      aggregates.push(aggregatePart(schema, area, graph, (name) => known.has(name) || byHand.has(name)))
    }
  return [...records, ...operations, ...aggregates]
}

interface Built {
  readonly schema: GraphQLSchema
  readonly areas: readonly RestArea[]
  readonly aggregates: readonly RestArea[]
  readonly operations: readonly DeclaredOperation[]
}

const filesOf = async (
  parts: readonly PrintedPart[],
  descriptions: ReadonlyMap<string, Descriptions>,
): Promise<[path: string, text: string][]> => {
  const byFolder = Map.groupBy(parts, ({ folder }) => folder)
  const described = [...descriptions].flatMap(([folder, schemas]) => (Object.keys(schemas).length > 0 ? [folder] : []))
  const folders = [...new Set([...byFolder.keys(), ...described])]
  const files = folders.map((folder) =>
    printedFolder(folder, byFolder.get(folder) ?? [], descriptions.get(folder) ?? {}),
  )
  return (await Promise.all(files)).flat()
}

/** What is added to the contract as it is printed, whatever was printed before: the descriptions of handwritten schemas, and the shapes of reads. */
async function additionsTo(files: readonly [path: string, text: string][], graph: LoadedSupergraph) {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'))
  try {
    await cp(rest, join(folder, 'rest'), { recursive: true, filter: (path) => basename(path) !== 'standard' })
    for (const [path, text] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    const printed = join(folder, 'rest')
    return { descriptions: printedDescriptions(printed, graph.apiSchema), shapes: shapeParts(printed, graph) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Every generated file of the contract, by path below `schema/`. */
export async function printedSchema(): Promise<Map<string, string>> {
  const built = await Promise.all(
    subgraphs.map(async (definition) => {
      const { sdl, schema } = await buildSubgraph(definition)
      const { name, resources } = definition
      const areas = resources.flatMap(({ rest: area }) => area ?? [])
      const aggregates = resources.flatMap(({ aggregate }) => aggregate ?? [])
      return {
        name,
        sdl,
        schema,
        areas,
        aggregates,
        operations: resources.flatMap(({ operations = [] }) => operations),
      }
    }),
  )
  const supergraph = composeSupergraph(built)
  const graph = new LoadedSupergraph(supergraph)
  const parts = printedParts(built, graph)
  const { descriptions, shapes } = await additionsTo(await filesOf(parts, new Map()), graph)
  return new Map([
    ...built.map(({ name, sdl }) => [`subgraphs/${name}.graphql`, sdl] as const),
    ['supergraph.graphql', supergraph] as const,
    ...(await printedEvents()),
    ...(await printedMetadata()),
    ...(await filesOf([...parts, ...shapes], descriptions)),
  ])
}

/** The existing files in those folders of the REST contract that must contain only printed files. */
export const standardRestFiles = (): string[] => globSync('rest/*/standard/*', { cwd: schemaPath() }).toSorted()

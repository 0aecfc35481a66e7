import { getNamedType, getNullableType, isListType, isObjectType, type GraphQLObjectType } from 'graphql'
import { hasRootField, leavesOf, listFields, post, type ListField } from './graph.ts'
import { filterProbes } from './graphql-filters.ts'
import { depthsOf, pages, type Probe } from './probe.ts'
import { recordTypes, type Samples } from './samples.ts'

const farPage = 977
const limit = 20

/** Filters, pages, connections and fields of other records, of every list of the graph. */
export async function graphqlProbes(
  samples: Samples,
  totalOf: (list: string) => Promise<number>,
  isWanted: (list: string) => boolean,
): Promise<Probe[]> {
  const probes: Probe[] = []
  for (const list of listFields.filter(({ name }) => isWanted(name))) {
    probes.push(...(await filterProbes(list, samples)))
    probes.push(...relatedProbes(list), ...pagingProbes(list, await totalOf(list.name)))
  }
  return probes
}

/** Fields of the records that are other records, of this or another subgraph. */
function relatedProbes({ name: root, node }: ListField): Probe[] {
  return Object.values(node.getFields()).flatMap(({ name, type, args }) => {
    const related = getNamedType(type)
    if (!isObjectType(related) || isListType(getNullableType(type))) return []
    const isConnection = 'nodes' in related.getFields()
    const of = isConnection ? (getNamedType(related.getFields()['nodes']!.type) as GraphQLObjectType) : related
    if (!recordTypes.has(of.name) || (args.length > 0 && !isConnection)) return []
    const selections = isConnection
      ? {
          [`{ ${name} }`]: `${name}(first: 10) { nodes { ${leavesOf(of)} } pageInfo { hasNextPage } }`,
          [`{ ${name} { totalCount } }`]: `${name}(first: 10) { nodes { id } totalCount }`,
        }
      : { [`{ ${name} }`]: `${name} { ${leavesOf(of)} }` }
    return Object.entries(selections).map(([label, selection]) => {
      const query = `query Related($page: Int) { result: ${root}(page: $page, limit: 10) { data { id ${selection} } } }`
      const requests = pages().map((page) => post(query, { page }))
      return { area: root, name: label, hasTotal: false, isTotalFree: true, requests }
    })
  })
}

/** Pages far behind, and walks through the connection from several depths. */
function pagingProbes({ name: root, node }: ListField, total: number): Probe[] {
  const fields = leavesOf(node)
  const page = `query Page($page: Int) { result: ${root}(page: $page, limit: ${limit}) { data { ${fields} } nextCursor } }`
  const each = { area: root, hasTotal: false, isTotalFree: true }
  const far = pages(farPage).map((number) => post(page, { page: number }))
  const probes: Probe[] = [{ ...each, name: `pages ${farPage} to ${farPage + 23}`, requests: far }]
  const connection = root.replace(/List$/, 'Connection')
  if (!hasRootField(connection)) return probes
  const after = `query After($after: String) { result: ${connection}(first: ${limit}, after: $after) {
    nodes { ${fields} } pageInfo { hasNextPage endCursor } } }`
  const walk: Probe = {
    ...each,
    name: 'connection, after',
    requests: depthsOf(total, limit).map((number) => post(page, { page: number })),
    follow: ({ nextCursor, pageInfo }) => {
      const cursor = nextCursor ?? (pageInfo as { endCursor?: string | null } | undefined)?.endCursor
      return cursor ? post(after, { after: cursor }) : null
    },
  }
  return [...probes, walk]
}

import { readFileSync } from 'node:fs'
import type { GraphQLSchema } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { Comparer } from '../../gateway/graph/differential.fixture.ts'
import { generateQueries, type GenerateOptions } from '../../gateway/graph/generate-queries.fixture.ts'
import { Graph } from '../../gateway/graph/graph.ts'
import { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import { subgraphs } from '../../subgraphs/all.ts'
import { localSubgraph } from '../../subgraphs/endpoints.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import type { OperationContext } from '../../subgraphs/kernel/context.ts'
import type { RestArea } from '../../subgraphs/kernel/record/rest-area.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { usePlatform, type Member } from '../platform.ts'
import { Requests } from '../requests/requests.ts'
import { inParallel } from '../requests/send.ts'
import { isFullSweep } from '../requests/sweep.ts'
import { prefixOf, restAreas } from '../rest-areas.ts'

const platform = usePlatform()
const limits = { tokens: 1e6, depth: 100, aliases: 1e6, rootFields: 1e6, fields: 1e6, directives: 1e6, cost: 1e9 }
const supergraphSdl = readFileSync(schemaPath('supergraph.graphql'), 'utf8')

let apiSchema: GraphQLSchema
let values: NonNullable<GenerateOptions['values']>
let comparerFor: (member: Member) => Promise<Comparer>
let unrestrictedMember: Member
let restrictedMember: Member

beforeAll(async () => {
  unrestrictedMember = await platform.member({ role: 'OWNER' })
  restrictedMember = await platform.member({ visibility: 'OWN' })
  const ids = await fill()
  const others = restAreas.filter((area) => !['account', 'case', 'product'].includes(prefixOf(area)))
  values = {
    ...Object.fromEntries(
      await inParallel(others, async (area) => [`Query.${prefixOf(area)}.id`, await recordsOf(area)] as const, 4),
    ),
    id: [...ids.all, ids.deleted, newId(), 'nothing'],
    'Query.account.id': [...ids.accounts, ids.deleted, newId(), 'nothing'],
    'Query.case.id': [...ids.cases, newId()],
    'Query.product.id': [...ids.products, newId(), ''],
    'Query.productBySku.sku': ['sku-1', 'sku-2', 'nosuch'],
    'Query.caseCommentList.caseId': [...ids.cases, newId()],
    first: [1, 2, 3, 0, 101],
    limit: [1, 2, 5, -1],
    page: [1, 2, 0],
    // A cursor is valid only for one sort order; a random cursor is refused.
    after: [null, 'garbage'],
    cursor: [null, 'garbage'],
    'Query.recordChange.cursor': ['0', '1', '2', 'garbage'],
    search: ['a', 'o', '%', 'nothing'],
    DateTime: ['2027-01-01T00:00:00.000Z', '2028-01-01'],
    Decimal: [0.5, 2, -1e21, 5e-324, '12.5'],
    JSON: [{}, { tier: 'gold' }, { tier: ['gold', null], size: { width: 1.5 } }],
    ID: [...ids.all, 'nothing'],
    String: ['Acme', 'a', ''],
  }
  const endpoints = await Promise.all(subgraphs.map((definition) => localSubgraph(definition, platform.services)))
  const supergraph = new LoadedSupergraph(supergraphSdl)
  const create = (singleFetch: boolean) => Graph.create({ supergraph, endpoints, limits, singleFetch })
  apiSchema = supergraph.apiSchema
  const comparers = new Map<Member, Promise<Comparer>>()
  comparerFor = (member) => {
    const known = comparers.get(member) ?? Comparer.create(supergraphSdl, endpoints, create, contextOf(member))
    comparers.set(member, known)
    return known
  }
})

async function created(answer: Promise<{ status: number; body: { id: string } }>): Promise<string> {
  const { status, body } = await answer
  expect(status).toBe(201)
  return body.id
}

/** Two records of a type that is not in the test data below, an unknown id, and a value that is not an id. */
async function recordsOf({ path }: RestArea): Promise<string[]> {
  const requests = await Requests.of(platform, unrestrictedMember)
  const creator = requests.creatorOf(`/v1/${path}`)
  const made = creator ? [await requests.record(creator, true), await requests.record(creator, true)] : []
  return [...made.map(({ id }) => String(id)), newId(), 'nothing']
}

/** A small set of records with parents, comments, a deleted record, and records that only one of two users sees. */
async function fill() {
  const { rest } = unrestrictedMember
  const root = await created(
    rest.accountCreate!({ body: { name: 'Acme', tags: ['a'], customFields: { tier: 'gold' } } }),
  )
  const accounts = [root]
  for (const [index, name] of ['Globex', 'Initech', 'Umbrella'].entries()) {
    const owner = index === 1 ? restrictedMember : unrestrictedMember
    accounts.push(
      await created(
        rest.accountCreate!({
          body: {
            name,
            parentAccountId: accounts[index > 1 ? 1 : 0],
            ownerId: owner.userId,
            annualRevenue: index * 10.5,
          },
        }),
      ),
    )
  }
  const deleted = await created(rest.accountCreate!({ body: { name: 'Gone', parentAccountId: root } }))
  const cases: string[] = []
  for (const [index, accountId] of [...accounts, ...accounts, deleted].entries()) {
    const ownerId = (index % 3 === 0 ? restrictedMember : unrestrictedMember).userId
    const id = await created(
      rest.caseCreate!({
        body: { subject: `case ${index}`, accountId, ownerId, ...(index % 2 && { priority: 'HIGH', tags: ['b'] }) },
      }),
    )
    cases.push(id)
    for (let comment = 0; comment < index % 3; comment++)
      await created(rest.caseCommentCreate!({ id, body: { body: `comment ${comment}`, isInternal: comment === 1 } }))
  }
  expect((await rest.accountDelete!({ id: deleted })).status).toBe(204)
  const products: string[] = []
  for (const index of [1, 2, 3])
    products.push(
      await created(
        rest.productCreate!({ body: { name: `Product ${index}`, sku: `sku-${index}`, listPrice: index * 9.99 } }),
      ),
    )
  return { accounts, cases, products, deleted, all: [...accounts, ...cases, ...products] }
}

/** Headers of a session of the member. */
function contextOf({ organizationId, userId }: Member): OperationContext {
  const { caller } = systemContext(platform.services, organizationId)
  const memberQuery =
    userId === unrestrictedMember.userId
      ? ({ role: 'OWNER', visibility: 'ALL', ownerIds: null } as const)
      : ({ role: 'MEMBER', visibility: 'OWN', ownerIds: [userId] } as const)
  return {
    caller: { ...caller, ...memberQuery, kind: 'SESSION', userId },
    requestId: 'req_differential',
    idempotency: null,
  }
}

// Only for directories, and different in every response.
const excluded = ['scimUser', 'scimUserList', 'scimGroup', 'scimGroupList', 'authCsrfToken'].map(
  (name) => `Query.${name}`,
)

describe('Graph returns the same as the Apollo gateway, on the real subgraphs', () => {
  it.each([
    { what: 'queries of four levels', who: 'the owner', seed: 1, count: 120, depth: 4 },
    { what: 'queries of four levels', who: 'a member with visibility OWN', seed: 12, count: 80, depth: 4 },
    { what: 'queries of six levels', who: 'a member with visibility OWN', seed: 3, count: 30, depth: 6 },
    { what: 'flat queries', who: 'the owner', seed: 4, count: 80, depth: 2 },
    { what: 'queries full of conditions', who: 'the owner', seed: 5, count: 100, depth: 3, conditional: 0.4 },
  ])('to $what of $who', async ({ who, seed, count: whole, depth, conditional = 0.1 }) => {
    const count = isFullSweep ? whole : Math.min(whole, 30)
    const comparer = await comparerFor(who === 'the owner' ? unrestrictedMember : restrictedMember)
    const queries = generateQueries(apiSchema, seed, count, { values, depth, conditional, exclude: excluded })
    expect(queries.length).toBe(count)
    const different: unknown[] = []
    const routes = new Set<string>()
    for (const query of queries) {
      const { route, differences } = await comparer.compare(query)
      routes.add(route)
      if (differences.length > 0) different.push({ ...query, route, differences })
    }
    expect(different).toEqual([])
    expect([...routes].toSorted()).toEqual(['plan', 'single'])
  })
})

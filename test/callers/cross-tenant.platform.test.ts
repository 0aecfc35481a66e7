import { beforeAll, describe, expect, it } from 'vitest'
import { restContract } from '../contract-of-rest.ts'
import { type RestOperation } from '../../rest-adapter/rest-operation.ts'
import { activity } from '../builders.ts'
import { kindOfRoute } from '../hostile/bodies.ts'
import { anApp, aPerson, discovered, tokensOf } from '../oauth/oauth.fixture.ts'
import { usePlatform } from '../platform.ts'
import { refusedBy, refusedInput, refusedWith } from '../requests/problem.ts'
import { enrollmentId } from '../requests/enrollments.ts'
import { merges } from '../requests/merges.ts'
import { excludedBy, needsOtherParty, placeholders } from '../requests/special-cases.ts'
import { Requests, type Row, type ValidRequest } from '../requests/requests.ts'
import { fieldsOf, without, withPath, withText } from '../requests/schema.ts'
import { inParallel, send, type RawResponse } from '../requests/send.ts'
import { isFullSweep, Sweep } from '../requests/sweep.ts'

const contract = restContract()
const { operations } = contract
const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
let ours: Requests
let theirs: Requests

beforeAll(async () => {
  ours = await Requests.of(platform, await platform.member({ role: 'OWNER' }))
  theirs = await Requests.of(
    platform,
    await platform.member({ role: 'OWNER', organizationId: await platform.organization('Foreign') }),
  )
  for (const { member } of [ours, theirs]) await connectApps(member.organizationId)
})

/** No operation creates connected apps, so a user consents to two apps here. */
async function connectApps(organizationId: string): Promise<void> {
  const person = await aPerson(platform, { organizationId })
  for (const name of ['Calendar link', 'Sync']) {
    await tokensOf(platform, await discovered(platform.url, await anApp(person, { name })), person)
  }
}

/** Checks that the responses contain no `foreign` text and that the requests changed nothing in the foreign organization. */
async function withoutForeignData(
  foreign: readonly string[],
  ask: () => Promise<readonly RawResponse[]>,
): Promise<readonly RawResponse[]> {
  const before = await platform.fingerprint(theirs.member.organizationId)
  const answers = await ask()
  const outcome = answers.filter(({ status, text }) => status < 400 && foreign.some((id) => text.includes(id)))
  expect(outcome.map(({ text }) => text)).toEqual([])
  expect(await platform.fingerprint(theirs.member.organizationId)).toBe(before)
  return answers
}

/** An id of the foreign organization for a field of this name; null if no operation creates such a record yet. */
async function foreignIdFor(operation: RestOperation, name: string): Promise<string | null> {
  if (theirs.isUserReference(name) || name === 'owner') return theirs.member.userId
  const creator = name === 'id' || name === 'ids' ? theirs.creatorOf(operation.path) : theirs.creatorOfReference(name)
  // Each id is used only once, because our organization may later create a record with the same id.
  return creator && String((await theirs.record(creator, name === 'id'))['id'])
}

// An alias path has the same document and the same schemas.
const named = operations
  .filter(({ id, documentId }) => isFullSweep || id === documentId)
  .map((operation) => [operation.id, operation] as const)
const made = named.filter(([, { documentId }]) => !needsOtherParty.has(documentId))
// A placeholder with a value of its own, such as an event type, names no record of an organization.
// Neither does the key of an upsert: with that of a foreign record, we create one of our own.
const inPath = made.filter(
  ([, { path, method }]) =>
    !(method === 'put' && path.endsWith('/by/{field}/{value}')) &&
    [...path.matchAll(/\{(\w+)\}/g)].some(([, name]) => !Object.hasOwn(placeholders, name!)),
)

describe.each(inPath)('%s', (_, operation) => {
  it('answers 404 to the path of a foreign record', async () => {
    const request = await ours.valid(operation)
    const { path } = await theirs.valid(operation, { fresh: true })
    const [answer] = await withoutForeignData(Object.values(path), async () => [await ours.send({ ...request, path })])
    expect(refusedBy(answer!)).toEqual(refusedWith('NOT_FOUND'))
  })
})

/** The id of an object inside a record, such as a line of a quote, refers to no other record. */
const isOwnId = (path: readonly (string | number)[]): boolean =>
  path.at(-1) === 'id' && path.length > (path[0] === 'items' ? 3 : 1)

const referencesIn = (operation: RestOperation) =>
  operation.body
    ? fieldsOf(contract, operation.body.schema).filter(({ path, schema }) => schema.format === 'uuid' && !isOwnId(path))
    : []

/** Bodies of operations that take back the changes of a user: a user without changes that the caller sees is as one that does not exist. */
const selections: Readonly<Record<string, object>> = { 'undo userId': { from: '2026-01-01T00:00:00.000Z' } }

/** Each item of the body succeeds or fails independently; the records of a merge are merged together. */
const isOfItem = ({ documentId }: RestOperation, [first]: readonly (string | number)[]): boolean =>
  first === 'items' || (first === 'ids' && !merges.includes(documentId))

describe.each(named.filter(([, operation]) => referencesIn(operation).length > 0))('%s', (_, operation) => {
  const places = referencesIn(operation).map(({ path }) => [path.join('.'), path] as const)

  it.each(places)('neither finds nor changes a foreign record by %s', async (at, place) => {
    const name = String(place.findLast((key) => typeof key === 'string'))
    const foreign = await foreignIdFor(operation, name)
    // No operation creates records of this kind yet, so there is no foreign id to try.
    if (foreign === null) return
    const request = await ours.valid(operation, { fresh: true })
    // An item of an upsert that names a version is that of an existing record.
    const isNew = operation.documentId.endsWith('BulkUpsert')
    const whole = place.length > 1 ? (await ours.valid(operation, { whole: true, fresh: isNew })).body : undefined
    const selection = selections[`${operation.documentId} ${at}`]
    const base = selection ?? withPath(request.body, whole, place)
    const excluded = excludedBy[name]
    const alone = excluded === undefined ? base : without(base, [...place.slice(0, -1), excluded])
    const body = withText(alone, place, JSON.stringify(foreign))
    const [answer] = await withoutForeignData([theirs.member.organizationId], async () => [
      await ours.send(request, { body }),
    ])
    if (name === 'id' && operation.success.status === 201) await expectOwnRecord(operation, foreign, answer!)
    else if (isOfItem(operation, place)) expectFailedItem(name, answer!, place.slice(2).join('.'))
    else if (selection) expect(refusedBy(answer!)).toEqual(refusedWith('NOT_FOUND'))
    else expect(refusedBy(answer!)).toEqual(expectedFor(operation, at))
  })
})

/** Signing in to an organization without membership answers like a failed sign-in. */
const expectedFor = ({ isPublic }: RestOperation, at: string) =>
  isPublic ? refusedWith('UNAUTHENTICATED') : refusedInput(at, 'UNKNOWN_REFERENCE')

/** Ids are unique per organization: an id that another organization uses is free here. */
async function expectOwnRecord(operation: RestOperation, id: string, { status, body }: RawResponse): Promise<void> {
  expect([status, body.id, body.organizationId]).toEqual([201, id, ours.member.organizationId])
  const rows = await platform.query(`select 1 from kernel.event where record_id = $1 and organization_id = $2`, [
    id,
    ours.member.organizationId,
  ])
  expect([operation.id, rows.length]).toEqual([operation.id, 1])
}

/** Each item of a bulk request succeeds or fails independently. */
function expectFailedItem(name: string, { status, body }: RawResponse, path: string): void {
  const isItself = name === 'id' || name === 'ids'
  const errors = isItself ? null : [{ path, code: 'UNKNOWN_REFERENCE' }]
  expect([status, body.succeeded, body.failed]).toEqual([200, 0, 1])
  expect(body.results).toMatchObject([
    { index: 0, status: 'FAILED', code: isItself ? 'NOT_FOUND' : 'VALIDATION_FAILED', errors },
  ])
}

const lists = named.filter(([, { parameters }]) =>
  parameters.some(({ in: place, name }) => place === 'query' && name === 'limit'),
)

/** Their `entityId` is the id of a record that the caller sees, as an id in the path is. */
const listsOfRecord: ReadonlySet<string> = new Set(['sequenceDelivery', 'sequenceEnrollmentsForRecord'])

/** The largest page that a list answers, at most 100. */
const pageOf = ({ parameters }: (typeof lists)[number][1]): string => {
  const { maximum = 100 } = parameters.find(({ name }) => name === 'limit')!.schema ?? {}
  return `limit=${Math.min(100, Number(maximum))}`
}

/** What a list answers: records, those of a copy, or the groups of an aggregate, and how many records there are. */
function listedIn({ body }: RawResponse): { readonly rows: Row[]; readonly total: number } {
  if (Array.isArray(body)) return { rows: body as Row[], total: 0 }
  const found: readonly Row[] | undefined = body.results ?? body.candidates
  if (found) return { rows: [...found], total: 0 }
  const synced: readonly { readonly record: Row | null }[] | undefined = body.records ?? body.changes
  if (synced) return { rows: synced.flatMap(({ record }) => (record ? [record] : [])), total: 0 }
  const isAggregate = body.groups !== undefined
  return isAggregate ? { rows: body.groups, total: body.total.count } : { rows: body.data, total: body.total }
}

describe.each(lists)('%s', (_, operation) => {
  const references = operation.parameters.filter(
    ({ in: place, schema }) => place === 'query' && (schema?.format === 'uuid' || schema?.items?.format === 'uuid'),
  )

  it('lists only records of the caller’s organization', async () => {
    const { path } = await theirs.valid(operation, { fresh: true })
    const [answer] = await withoutForeignData([theirs.member.organizationId, ...Object.values(path)], async () => [
      await ours.send(await ours.valid(operation), { query: pageOf(operation) }),
    ])
    const { rows } = listedIn(answer!)
    expect(new Set(rows.map(({ organizationId }) => organizationId ?? ours.member.organizationId))).toEqual(
      new Set(rows.length > 0 ? [ours.member.organizationId] : []),
    )
  })

  it.each(references.map(({ name }) => name))('has no record of a foreign %s', async (name) => {
    const foreign = (await foreignIdFor(operation, name)) ?? theirs.member.userId
    const isOfRecord = listsOfRecord.has(operation.documentId)
    const query = `${name}=${foreign}${isOfRecord ? '&entityType=CONTACT' : ''}`
    const [answer] = await withoutForeignData([foreign], async () => [
      await ours.send(await ours.valid(operation), { query }),
    ])
    if (isOfRecord) return expect([answer!.status, answer!.body.code]).toEqual([404, 'NOT_FOUND'])
    expect([answer!.status, listedIn(answer!)]).toEqual([200, { rows: [], total: 0 }])
  })

  if (!operation.parameters.some(({ name }) => name === 'cursor')) return

  it('continues in the caller’s organization from a foreign cursor, or begins again', async () => {
    const request = await theirs.valid(operation)
    const creator = theirs.creatorOf(operation.path)
    if (creator) for (let row = 0; row < 2; row++) await theirs.record(creator, true)
    // The entries of a timeline are records that concern its record.
    const concerned = /^(\w+)Timeline$/.exec(operation.documentId)?.[1]
    const { id, name } = request.path
    const about =
      concerned === 'customRecord' ? { relatedToType: `custom:${name}`, relatedToId: id } : { [`${concerned}Id`]: id }
    if (concerned) for (let row = 0; row < 2; row++) await activity(theirs.member, about)
    const { nextCursor: next } = (await theirs.send(request, { query: 'limit=1' })).body as { nextCursor: string }
    // A new record has one version, and so one page; the cursor is that of its second one.
    const nextCursor = /(?<!Field)History$/.test(operation.documentId) ? (next ?? '1000000-2') : next
    const listed = listedIn(await theirs.send(request, { query: 'limit=100' })).rows
    // Our organization may create a record with the same id, so ids are compared only for records without organizationId.
    const foreign = listed.filter(({ id, organizationId }) => organizationId === undefined && id !== enrollmentId)
    const own: ValidRequest = await ours.valid(operation)
    const cursor = encodeURIComponent(nextCursor)
    // A cursor is valid only for the sort order of its list.
    const isOrdered = operation.parameters.some(({ name }) => name === 'sortOrder')
    const orders = isOrdered ? ['', '&sortOrder=asc'] : ['']
    const queries = orders.map((order) => `limit=100${order}&cursor=${cursor}`)
    const traces = [theirs.member.organizationId, ...foreign.map(({ id }) => String(id))]
    const answers = await withoutForeignData(traces, () => inParallel(queries, (query) => ours.send(own, { query })))
    const isOfCopy = operation.path.startsWith('/v1/sync/')
    if (isOfCopy) return expect(answers.map(({ status, body }) => [status, body.code])).toEqual([[410, 'SYNC_RESET']])
    expect(answers.map(({ status }) => status)).toEqual(isOrdered ? [200, 400] : [200])
    const organizations = listedIn(answers[0]!).rows.map(({ organizationId }) => organizationId)
    expect(organizations.every((id) => id === undefined || id === ours.member.organizationId)).toBe(true)
  })
})

const keyed = new Sweep()
const withKey = made.filter(
  ([id, operation]) => operation.acceptsIdempotencyKey && keyed.includes(kindOfRoute(operation), id, 4),
)

describe.each(withKey)('%s', (_, operation) => {
  it('does not replay the response to another organization with the same Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': `shared-${operation.id}` }
    const first = await theirs.send(await theirs.valid(operation, { fresh: true }), { headers })
    const request = await ours.valid(operation, { fresh: true })
    const [answer] = await withoutForeignData([theirs.member.organizationId], async () => [
      await ours.send(request, { headers }),
    ])
    expect([first.status, answer!.status, answer!.headers['idempotent-replayed']]).toEqual([
      operation.success.status,
      operation.success.status,
      undefined,
    ])
  })
})

describe('GraphQL', () => {
  /** The ids of the records of the foreign organization, one for every creating operation. */
  async function foreignRecords(): Promise<Map<string, Row>> {
    const creators = operations.filter(
      ({ id, documentId, success }) => id === documentId && id.endsWith('Create') && success.status === 201,
    )
    const rows = await inParallel(
      creators,
      async (creator) => [creator.id.slice(0, -'Create'.length), await theirs.record(creator, false)] as const,
    )
    return new Map(rows)
  }

  /** The values of the other arguments of a field. */
  const harmless: Record<string, string> = {
    'ID!': '"0199d1a0-0000-7000-8000-000000000000"',
    'String!': '"1"',
    'RecordObject!': 'ACCOUNT',
  }

  it('finds no foreign record by id, with any root field', async () => {
    const records = await foreignRecords()
    const { fields } = await rootFields(ours)
    const found: string[] = []
    const sweep = new Sweep()
    for (const { name, args } of fields) {
      const own = [...records].filter(([type]) => name.startsWith(type))
      const others = [...records].filter(([type]) => !name.startsWith(type))
      for (const arg of args.filter(({ type }) => type === 'ID!' || type === 'String!')) {
        for (const [, row] of [...own, ...sweep.choose(arg.type, `${name}.${arg.name}`, others, 3)]) {
          const value = arg.type === 'ID!' ? row['id'] : String(row[arg.name] ?? row['id'])
          const required = args.filter(({ name: other, type }) => other !== arg.name && type.endsWith('!'))
          const given = required.map(({ name: other, type }) => `, ${other}: ${harmless[type]}`).join('')
          const { text, status } = await graphql(
            ours,
            `query($v: ${arg.type}) { found: ${name}(${arg.name}: $v${given}) { __typename } }`,
            { v: value },
          )
          if (status >= 500 || !/"found":null/.test(text)) found.push(`${name}: ${text.slice(0, 200)}`)
        }
      }
    }
    expect(found.filter((outcome) => !/"(NOT_FOUND|PERMISSION_DENIED)"/.test(outcome))).toEqual([])
  })

  it('matches no foreign record in filters, nested ones included', async () => {
    const { id, name } = (await theirs.record(ours.creatorOf('/v1/accounts')!, false)) as { id: string; name: string }
    const filters = [
      { id: { eq: id } },
      { id: { in: [id] } },
      { parentAccountId: { eq: id } },
      { parent: { id: { eq: id } } },
      { parent: { name: { eq: name } } },
      { children: { some: { id: { eq: id } } } },
      { or: [{ id: { eq: id } }, { parent: { name: { startsWith: name } } }] },
      { not: { organizationId: { eq: ours.member.organizationId } } },
      { organizationId: { eq: theirs.member.organizationId } },
      { ownerId: { eq: theirs.member.userId } },
    ]
    const query =
      'query($filter: AccountFilter) { accountList(filter: $filter) { total data { id } } accountConnection(filter: $filter) { totalCount nodes { id } } }'
    const answers = await withoutForeignData([id], () =>
      inParallel(filters, (filter) => graphql(ours, query, { filter })),
    )
    const nothing = { accountList: { total: 0, data: [] }, accountConnection: { totalCount: 0, nodes: [] } }
    expect(answers.map(({ body }) => body as unknown)).toEqual(filters.map(() => ({ data: nothing })))
  })

  it('returns no foreign record through a relation, even if the database stores its id', async () => {
    const account = await theirs.record(ours.creatorOf('/v1/accounts')!, false)
    const own = await ours.record(ours.creatorOf('/v1/cases')!, true)
    // No operation can write a foreign id, so the test writes it to the database.
    await platform.query('update support."case" set account_id = $2 where id = $1', [own['id'], account['id']])
    const { body } = await graphql(ours, 'query($id: ID!) { case(id: $id) { accountId account { id name } } }', {
      id: own['id'],
    })
    expect(body).toEqual({ data: { case: { accountId: account['id'], account: null } } })
  })

  it('changes no foreign record', async () => {
    const records = await foreignRecords()
    const [{ id: accountId }, { id: caseId }, { id: productId }] = ['account', 'case', 'product'].map((name) =>
      records.get(name)!,
    ) as [Row, Row, Row]
    const mutations = [
      [`mutation($id: ID!) { r: accountUpdate(id: $id, input: {name: "taken"}) { id } }`, accountId],
      [`mutation($id: ID!) { r: accountDelete(id: $id) }`, accountId],
      [`mutation($id: ID!) { r: accountRestore(id: $id) { id } }`, accountId],
      [`mutation($id: ID!) { r: caseAssign(id: $id, assignedToId: null) { id } }`, caseId],
      [`mutation($id: ID!) { r: caseSetStatus(id: $id, status: CLOSED) { id } }`, caseId],
      [`mutation($id: ID!) { r: productDelete(id: $id) }`, productId],
    ] as const
    const answers = await withoutForeignData([theirs.member.organizationId], () =>
      inParallel(mutations, ([query, id]) => graphql(ours, query, { id })),
    )
    expect(answers.map(({ body }) => [body.data, body.errors[0].extensions.code])).toEqual(
      mutations.map(() => [{ r: null }, 'NOT_FOUND']),
    )
  })
})

function graphql({ session }: Requests, query: string, variables: object): Promise<RawResponse> {
  const headers = { Authorization: `Bearer ${session}` }
  return send(platform.url, {
    method: 'POST',
    path: '/v1/graphql',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  })
}

interface RootField {
  readonly name: string
  readonly args: readonly { readonly name: string; readonly type: string }[]
}

/** Root fields that return one record, with their required arguments as text. */
async function rootFields(requests: Requests): Promise<{ fields: RootField[] }> {
  const query =
    '{ __schema { queryType { fields { name type { kind } args { name type { kind ofType { name } } } } } } }'
  const { body } = await graphql(requests, query, {})
  type Described = {
    name: string
    type: { kind: string }
    args: { name: string; type: { kind: string; ofType: { name: string } | null } }[]
  }
  const fields = (body.data.__schema.queryType.fields as Described[])
    .filter(({ type, args }) => type.kind === 'OBJECT' && args.some((arg) => arg.type.kind === 'NON_NULL'))
    .map(({ name, args }) => ({
      name,
      args: args
        .filter(({ type }) => type.kind === 'NON_NULL')
        .map((arg) => ({ name: arg.name, type: `${arg.type.ofType!.name}!` })),
    }))
  return { fields }
}

import { beforeAll, describe, expect, it } from 'vitest'
import { restContract } from '../contract-of-rest.ts'
import type { ResponseObject } from '../../rest-adapter/openapi.ts'
import { type RestOperation } from '../../rest-adapter/rest-operation.ts'
import { anApp, aPerson, discovered, tokensOf } from '../oauth/oauth.fixture.ts'
import { usePlatform } from '../platform.ts'
import { fieldsWithRules } from '../requests/field-values.ts'
import { refusedInput } from '../requests/problem.ts'
import { Requests, type Row, type ValidRequest } from '../requests/requests.ts'
import { fieldsOf, schemaAt, type Field } from '../requests/schema.ts'
import { inParallel } from '../requests/send.ts'
import { sampleOf, schemaSignature, Sweep } from '../requests/sweep.ts'
import { expectRefused } from './refusals.ts'

const contract = restContract()
const { operations, document } = contract
const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
const sweep = new Sweep()
let requests: Requests

const rowsOfEach = 5
const takes = ({ parameters }: RestOperation, name: string): boolean =>
  parameters.some((parameter) => parameter.in === 'query' && parameter.name === name)
// An alias path serves the same list.
const listsWith = (name: string) =>
  operations
    .filter((operation) => operation.id === operation.documentId && takes(operation, name))
    .map((operation) => [operation.id, operation] as const)

beforeAll(async () => {
  requests = await Requests.of(platform, await platform.member({ role: 'OWNER' }))
  await connectApps(requests.member.organizationId)
  const creators = operations.filter(
    ({ id, documentId, method, success }) => method === 'post' && success.status === 201 && id === documentId,
  )
  for (const creator of creators) {
    if (!operations.some((operation) => operation.path === creator.path && takes(operation, 'cursor'))) continue
    // Half of the rows are equal in every column except the id.
    for (let row = 0; row < rowsOfEach; row++) {
      const request = await requests.valid(creator, { whole: row % 2 === 0 })
      const { status, text } = await requests.send(request)
      if (status !== 201) throw new Error(`${creator.id}: ${text}`)
    }
  }
})

/** No operation creates connected apps, so a user consents to apps here. */
async function connectApps(organizationId: string): Promise<void> {
  const person = await aPerson(platform, { organizationId })
  for (let row = 0; row < rowsOfEach; row++) {
    await tokensOf(platform, await discovered(platform.url, await anApp(person)), person)
  }
}

const known = new Map<string, Promise<ValidRequest>>()

/** Lists change nothing, so one request object per list is enough. */
function requestTo(operation: RestOperation): Promise<ValidRequest> {
  let request = known.get(operation.id)
  if (!request) {
    known.set(operation.id, (request = requests.valid(operation)))
    request.catch(() => known.delete(operation.id))
  }
  return request
}

async function page(
  operation: RestOperation,
  query: Readonly<Record<string, string>>,
): Promise<{ data: Row[]; nextCursor: string | null; total: number }> {
  const { status, text, body } = await requests.send(await requestTo(operation), {
    query: new URLSearchParams(query).toString(),
  })
  if (status !== 200) throw new Error(`${operation.id}: ${text}`)
  return body as { data: Row[]; nextCursor: string | null; total: number }
}

const sortsOf = ({ parameters }: RestOperation): string[] =>
  (parameters.find(({ name }) => name === 'sortBy')?.schema?.enum ?? []) as string[]

/** The kind of a column by which a list is sorted: columns of one kind are sorted alike. */
function kindOfColumn({ path, method, success }: RestOperation, sortBy: string): string {
  const answer = document.paths[path]![method]!.responses[success.status] as ResponseObject
  const list = schemaAt(contract, answer.content!['application/json']!.schema!)
  const row = schemaAt(contract, schemaAt(contract, list.properties!['data']!).items!)
  const column = row.properties?.[sortBy]
  return column ? schemaSignature(schemaAt(contract, column)) : sortBy
}

type Order = Readonly<Record<string, string>>

/** The orders in which a whole list is read: each kind of column at one list in both directions, and two columns of every list. */
function ordersOf(operation: RestOperation): Order[] {
  if (!takes(operation, 'sortBy')) return [{}]
  const sample = sampleOf(operation.id, sortsOf(operation), 2)
  return sortsOf(operation).flatMap((sortBy) =>
    sweep
      .choose(
        `order ${kindOfColumn(operation, sortBy)}`,
        `${operation.id}.${sortBy}`,
        ['asc', 'desc'],
        Number(sample.includes(sortBy)),
      )
      .map((sortOrder) => ({ sortBy, sortOrder })),
  )
}

/** Positions of cursors with this signature have values of the same kinds: texts, numbers, times, ids. */
const positionSignature = (position: readonly unknown[]): string =>
  JSON.stringify(position)
    .replaceAll(/\d+/g, '0')
    .replaceAll(/[a-zA-Z]+/g, 'a')

const encoded = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** Cursors that were never issued, and some that only look valid. */
const wrongValues = [
  [],
  {},
  '\0',
  '\ud800',
  true,
  1e300,
  2 ** 31,
  -(2 ** 31) - 1,
  0.5,
  '------------------------------------',
  '0199d1a0-0000-7000-8000-00000000000g',
  '0199d1a0000070008000000000000000----',
  '2027-02-30T00:00:00.000Z',
  '2027-99-99T99:99:99.999Z',
  '0000-01-01T00:00:00.000Z',
  'infinity',
  "'; drop table crm.account; --",
]

// Timelines have a cursor only, no pages and no total; `timeline.platform.test.ts` has their tests. Notifications have `pageSize`.
const pagedLists = listsWith('cursor')
  .filter(([, operation]) => takes(operation, 'page') && takes(operation, 'limit'))
  .map(([id, operation]) => [id, operation, ordersOf(operation)] as const)

/** The position in a cursor; null if the list has cursors of another form, such as an id. */
function positionIn(cursor: string): readonly unknown[] | null {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(position) ? position : null
  } catch {
    return null
  }
}

describe.each(pagedLists)('the cursor of %s', (_, operation, orders) => {
  it('is refused when it is invalid or belongs to another list or order', async () => {
    const { nextCursor } = await page(operation, { limit: '1' })
    const sortBy = sortsOf(operation).find((column) => column !== 'createdAt')
    const other = sortBy ? [(await page(operation, { limit: '1', sortBy })).nextCursor!] : []
    const position = positionIn(nextCursor!)
    const foreign = position
      ? [
          encoded(['nosuch+,id+', ...position.slice(1)]),
          encoded(position.slice(0, -1)),
          encoded([...position, 1]),
          encoded([['createdAt-', 'id-'], ...position.slice(1)]),
          encoded([null, ...position.slice(1)]),
        ]
      : []
    const invalidCursors = [
      'x',
      '=',
      'null',
      '%00',
      '😀',
      encoded('x'),
      encoded('{}'),
      encoded('[]'),
      encoded('null'),
      encoded('['.repeat(1000)),
      encoded({ 0: 'a', length: 3 }),
    ]
    await expectRefused(
      requests,
      await requests.valid(operation),
      [...other, ...foreign, ...invalidCursors].map((cursor) => ({
        what: cursor.slice(0, 80),
        change: { query: new URLSearchParams({ cursor }).toString() },
        refused: refusedInput('cursor', 'NOT_A_CURSOR'),
      })),
    )
  })

  it.each([...new Set(orders.flatMap(({ sortBy }) => sortBy ?? []))])(
    'by %s with changed values is refused or returns only rows of the list',
    async (sortBy) => {
      const { nextCursor } = await page(operation, { limit: '1', sortBy })
      const position = JSON.parse(Buffer.from(nextCursor!, 'base64url').toString()) as unknown[]
      const request = await requests.valid(operation)
      const changedCursors = sweep.choose(
        positionSignature(position.slice(1)),
        `${operation.id}.${sortBy}`,
        wrongValues.flatMap((value) => position.slice(1).map((_own, index) => position.with(index + 1, value))),
        6,
      )
      const found = await inParallel(changedCursors, async (values) => {
        const cursor = encoded(values)
        const { status, text, body } = await requests.send(request, {
          query: new URLSearchParams({ sortBy, cursor }).toString(),
        })
        const isOwn =
          status === 200 &&
          (body.data as Row[]).every(({ organizationId }) => organizationId === requests.member.organizationId)
        return isOwn || (status === 400 && body.errors?.[0]?.code === 'NOT_A_CURSOR')
          ? []
          : [`${JSON.stringify(values)}: ${text.slice(0, 200)}`]
      })
      expect(found.flat()).toEqual([])
    },
  )
})

/** The attainment of a quota has the id of the quota, and what was undone that of the record. Versions of an app have numbers, and apps slugs. */
const idOf = ({ id, quotaId, recordId, number, slug }: Row): unknown => id ?? quotaId ?? recordId ?? number ?? slug

describe.each(pagedLists)('the pages of %s', (_, operation, orders) => {
  it.each(orders.map((order) => [Object.values(order).join(' ') || 'the only order', order] as const))(
    'by %s repeat or lose no row',
    async (_order, order) => {
      const whole = await page(operation, { ...order, limit: '100' })
      // Four pages or less, so that the time does not depend on the rows of other tests.
      const rows = Math.max(2, Math.ceil(whole.total / 4))
      const limit = String(rows)
      const readIds: unknown[] = []
      const paged: unknown[] = []
      let cursor: string | null = null
      do {
        const next: Awaited<ReturnType<typeof page>> = await page(operation, {
          ...order,
          limit,
          ...(cursor && { cursor }),
        })
        readIds.push(...next.data.map(idOf))
        paged.push(
          ...(await page(operation, { ...order, limit, page: String(paged.length / rows + 1) })).data.map(idOf),
        )
        cursor = next.nextCursor
      } while (cursor)
      const ids = whole.data.map(idOf)
      expect([readIds.length, new Set(readIds).size]).toEqual([whole.total, whole.total])
      // A page has at most 100 rows.
      expect(readIds.slice(0, 100)).toEqual(ids)
      expect(paged).toEqual(readIds)
    },
  )

  it('continue in every order', async () => {
    const found = await inParallel(sortsOf(operation), async (sortBy) => {
      const first = await page(operation, { sortBy, limit: '2' })
      const next = await page(operation, { sortBy, limit: '2', cursor: first.nextCursor! })
      const ids = [...first.data, ...next.data].map(idOf)
      return ids.length > 2 && new Set(ids).size === ids.length ? [] : [sortBy]
    })
    expect(found.flat()).toEqual([])
  })
})

/** They are names of a form that no schema says. */
const apiNames: ReadonlySet<string> = new Set([
  'customObjectCreate.name',
  'duplicateRuleCreate.object',
  'flowCreate.apiName',
  'flowCreate.startElement',
  'layoutCreate.objectType',
  'layoutCreate.profile',
  'pageCreate.apiName',
  'pageCreate.objectType',
  'pageCreate.recordTypeField',
  'validationRuleCreate.entityType',
  'beforeSaveHookCreate.objectType',
  'afterSaveTriggerCreate.objectType',
])

/** Parameters that accept any text. */
const isPlainText = (
  operationId: string,
  { path, schema: { enum: members, format, pattern = '\\S', type } }: Field,
): boolean =>
  path.length === 1 &&
  !fieldsWithRules.has(String(path[0])) &&
  !apiNames.has(`${operationId}.${path[0]}`) &&
  // The name of an event of the catalog.
  path[0] !== 'eventType' &&
  [type].flat().includes('string') &&
  !members &&
  !format &&
  pattern === '\\S'

// Lists with a cursor have a total. Users are created under another path, and their search is tested with their list. No operation
// creates a thread of mails, a suggested reply or a payment alone. The name of a custom field has no such characters, and that of an app is in a file.
const searches = listsWith('search').filter(
  ([, operation]) =>
    takes(operation, 'cursor') &&
    ![
      'userLookup',
      'emailThreadList',
      'replyDraftList',
      'paymentList',
      'customFieldList',
      'marketplaceAppList',
    ].includes(operation.documentId),
)

/** Bodies of records whose name is a value of a custom field. */
const namedBy: Readonly<Record<string, (text: string) => object>> = {
  customRecordCreate: (text) => ({ customFields: { sample: text } }),
}

describe.each(searches)('the search of %s', (_, operation) => {
  it('treats %, _ and \\ as ordinary characters', async () => {
    const searches = ['%', '_', '\\', '%b_', 'a_b', 'a%d', '%%', '__', String.raw`\%`]
    const totals = () => inParallel(searches, async (search) => (await page(operation, { search })).total)
    const before = await totals()
    const creator = requests.creatorOf(operation.path)!
    const valid = (await requests.valid(creator, { whole: true })).body as Row
    const text = String.raw`a%b_c\d`
    const fields = fieldsOf(requests.contract, creator.body!.schema)
    const texts = fields.filter((field) => isPlainText(creator.documentId, field))
    const body = {
      ...valid,
      ...Object.fromEntries(texts.map(({ path }) => [path[0], text])),
      ...namedBy[creator.documentId]?.(text),
    }
    const answer = await requests.send(await requests.valid(creator), { body })
    expect([answer.status, answer.text]).toEqual([creator.success.status, expect.anything()])
    const found = (await totals()).map((total, index) => [searches[index], total - before[index]!])
    expect(Object.fromEntries(found)).toEqual({
      '%': 1,
      _: 1,
      '\\': 1,
      '%b_': 1,
      a_b: 0,
      'a%d': 0,
      '%%': 0,
      __: 0,
      [String.raw`\%`]: 0,
    })
  })
})

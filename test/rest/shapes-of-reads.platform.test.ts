import { beforeAll, describe, expect, it } from 'vitest'
import { account, each, supportCase } from '../builders.ts'
import { restContract } from '../contract-of-rest.ts'
import { refused } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { Requests } from '../requests/requests.ts'
import { prefixOf, restAreas } from '../rest-areas.ts'
import { statementsOf } from '../statements.ts'

const platform = usePlatform()
let owner: Member
let requests: Requests

beforeAll(async () => {
  owner = await platform.member({ role: 'OWNER' })
  requests = await Requests.of(platform, owner)
})

type Row = Readonly<Record<string, unknown>>

/** The records of an answer: one, a list, or those of a page. */
function recordsIn(body: unknown): readonly Row[] {
  if (Array.isArray(body)) return body as Row[]
  const { data, hasMore } = body as { data?: Row[]; hasMore?: boolean }
  return hasMore === undefined ? [body as Row] : data!
}

const isStandard = (id: string): boolean =>
  restAreas.some((area) => [prefixOf(area), `${prefixOf(area)}List`, `${prefixOf(area)}ListDeleted`].includes(id))

/** Nothing that a request creates: an app is connected in the browser of a user. */
const withoutRecord: ReadonlySet<string> = new Set(['connectedApp'])

/** The reads of records that standard operations do not have. */
const reads = restContract().operations.filter(
  ({ id, documentId, shaping }) => shaping && id === documentId && !isStandard(id) && !withoutRecord.has(id),
)

describe('a read in a shape', () => {
  it.each(reads.map((operation) => [operation.id, operation] as const))(
    '%s answers the properties that were asked for, and the related records beside them',
    async (_, operation) => {
      const { shaping, parameters } = operation
      const request = await requests.valid(operation)
      const read = async (query: string) => {
        const { status, text, body } = await requests.send(request, { query })
        expect(status, text).toBe(200)
        return recordsIn(body)
      }
      const whole = await read('')
      const always = shaping!.fields.includes('id') ? ['id'] : []
      for (const names of [shaping!.fields, shaping!.fields.slice(-1), shaping!.fields.slice(1, 3)]) {
        const kept = new Set([...always, ...names])
        const expected = whole.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => kept.has(name))))
        const found = await read(`fields=${names.join()}`)
        expect(found.map((row) => Object.keys(row))).toEqual(expected.map((row) => Object.keys(row)))
      }
      const related = [...shaping!.relations.keys()]
      for (let index = 0; index < related.length; index += 5) {
        const names = related.slice(index, index + 5)
        for (const row of await read(`fields=${shaping!.fields[0]}&expand=${names.join()}`))
          expect(Object.keys(row)).toEqual(expect.arrayContaining(names))
      }
      const examples = parameters
        .filter((one) => one['x-shape'])
        .map(({ name, example }) => `${name}=${String(example)}`)
      await read(examples.join('&'))
    },
  )
})

describe('the related records of a list without standard operations', () => {
  it('are those that the caller sees, and read together', async () => {
    const { id: accountId } = await account(owner)
    const { id } = await supportCase(owner, { accountId })
    const colleague = await platform.member({ organizationId: owner.organizationId })
    await each([owner, colleague, owner], (by) => by.rest.caseCommentCreate!({ id, body: { body: 'Hello' } }))
    const list = (limit: number) =>
      owner.rest.caseCommentList!({ id, query: { fields: 'body', expand: 'author', limit } })
    const { body } = await list(3)
    expect((body.data as { author: Row }[]).map(({ author, ...rest }) => [Object.keys(rest), author['id']])).toEqual([
      [['id', 'body'], owner.userId],
      [['id', 'body'], colleague.userId],
      [['id', 'body'], owner.userId],
    ])
    expect(await statementsOf(platform, () => list(3), /identity\.listed_user/)).toHaveLength(1)
  })

  it('have the users of quotas with their targets', async () => {
    const { userId } = await platform.member({ organizationId: owner.organizationId })
    const { body: quota } = await owner.rest.quotaSet!({ body: { userId, period: '2027-Q1', target: 400 } })
    const { body } = await owner.rest.quotaList!({ query: { userId, fields: 'target', expand: 'user' } })
    const { body: users } = await owner.rest.userLookup!({ query: { ids: userId } })
    expect(body.data).toEqual([{ id: quota.id, target: 400, user: users.data[0] }])
  })

  it('need the scope of their type', async () => {
    const key = await platform.member({ organizationId: owner.organizationId, scopes: ['READ_SEQUENCES'] })
    const read = (query: string) => key.rest.sequenceDelivery!({ query })
    expect((await read('expand=owner')).status).toBe(200)
    expect(await refused(platform, () => read('expand=contact'))).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
  })

  it('are refused with the nearest name where there are none', async () => {
    const answer = await owner.rest.quotaList!({ query: 'expand=usr&fields=targett' })
    expect([answer.status, (answer.body.errors as { message: string }[]).map(({ message }) => message)]).toEqual([
      400,
      [
        'targett is not a field of this record; did you mean target?',
        'usr is not a related record of this one; did you mean user?',
      ],
    ])
  })
})

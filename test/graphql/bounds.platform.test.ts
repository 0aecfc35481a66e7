import { beforeAll, describe, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let id: string

const many = (count: number, prefix = 'field') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, index]))

const update = async (input: object) =>
  (
    await member.graphql(
      `mutation ($id: ID!, $input: AccountUpdateInput!) { accountUpdate(id: $id, input: $input) { tags customFields } }`,
      { id, input },
    )
  ).body

beforeAll(async () => {
  member = await platform.member()
  id = (await account(member)).id
})

describe('accountUpdate in GraphQL has the bounds of REST', () => {
  it.each<[string, object, string]>([
    ['an empty tag', { tags: ['a', ''] }, 'tags.1 EMPTY'],
    ['a tag of white space', { tags: [' '] }, 'tags.0 EMPTY'],
    ['a custom field without a name', { customFields: { '': 1 } }, 'customFields EMPTY'],
    [
      'a custom field with a name of 101 characters',
      { customFields: { ['😀'.repeat(101)]: 1 } },
      'customFields TOO_LONG',
    ],
    ['501 custom fields', { customFields: many(501) }, 'customFields TOO_MANY'],
    ['to clear the owner', { ownerId: null }, 'ownerId REQUIRED'],
  ])('and refuses %s', async (_, input, problem) => {
    const { body } = await unchanged(platform, async () => ({
      status: 200,
      headers: new Headers(),
      body: await update(input),
    }))
    const [{ extensions }] = body.errors
    expect([
      extensions.code,
      ...extensions.errors.map((one: { path: string; code: string }) => `${one.path} ${one.code}`),
    ]).toEqual(['VALIDATION_FAILED', problem])
  })

  it('and allows at most 500 custom fields on one record, over any number of updates', async () => {
    const { data } = await update({ customFields: { ...many(499), ['😀'.repeat(100)]: 1 } })
    expect(Object.keys(data.accountUpdate.customFields)).toHaveLength(500)

    const body = { customFields: { further: 1 } }
    const { status, body: outcome } = await unchanged(platform, () => member.rest.accountUpdate!({ id, body }))
    expect([status, outcome.errors]).toEqual([
      400,
      [{ path: 'customFields', code: 'TOO_MANY', message: 'A record must have at most 500 custom fields.' }],
    ])
    expect((await update({ customFields: { further: 1, field0: null } })).errors).toBeUndefined()
  })
})

describe('custom fields written in several updates', () => {
  const grown = async (value: unknown) => {
    const record = await account(member)
    const set = (name: string) =>
      member.rest.accountUpdate!({ id: record.id, body: { customFields: { [name]: value } } })
    for (const name of ['a', 'b']) expect((await set(name)).status).toBe(200)
    const { status, body } = await unchanged(platform, () => set('c'))
    return [status, body.errors]
  }

  it('have at most a million characters', async () => {
    const message = 'The custom fields of a record must have at most 1000000 characters as JSON.'
    expect(await grown('x'.repeat(400_000))).toEqual([400, [{ path: 'customFields', code: 'TOO_LONG', message }]])
  })

  it('have at most ten thousand values', async () => {
    const message = 'The custom fields of a record must have at most 10000 values in total.'
    expect(await grown(Array(4000).fill(0))).toEqual([400, [{ path: 'customFields', code: 'TOO_MANY', message }]])
  })
})

describe('accountUpdate in REST', () => {
  it('accepts metadata of ten thousand values and refuses more', async () => {
    const set = (count: number) => member.rest.accountUpdate!({ id, body: { metadata: Array(count).fill(1) } })
    // The list itself counts as one value.
    expect((await set(9999)).status).toBe(200)
    const { status, body } = await unchanged(platform, () => set(10_000))
    expect([status, body.code, body.errors[0].path]).toEqual([400, 'VALIDATION_FAILED', 'metadata'])
  })

  it('explains what is wrong with the name of a custom field', async () => {
    const { body } = await member.rest.accountUpdate!({ id, body: { customFields: { ['x'.repeat(101)]: 1 } } })
    expect(body.errors).toEqual([
      { path: 'customFields', code: 'TOO_LONG', message: 'A name in customFields must have 1 to 100 characters.' },
    ])
  })

  it.each([['text'], [5], [true], [['a', { b: [null] }]], [{ a: 1 }], [null]])(
    'stores %j as free-form metadata',
    async (metadata) => {
      const { status, body } = await member.rest.accountUpdate!({ id, body: { metadata } })
      expect([status, body.metadata]).toEqual([200, metadata])
      expect((await member.rest.account!({ id })).body.metadata).toEqual(metadata)
    },
  )
})

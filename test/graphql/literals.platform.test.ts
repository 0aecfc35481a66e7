import { beforeAll, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member({ role: 'OWNER' })
})

interface Writing {
  readonly document: string
  readonly variables?: object
}

// A custom field with the value null is absent.
const storedFields = { tier: 'gold', sizes: [1, null, { width: 1.5 }] }
const stored = { ...storedFields, none: null }

describe('a record', () => {
  it.each<[string, (sku: string) => Writing]>([
    [
      'a literal',
      (sku) => ({
        document: `mutation { productCreate(input: {name: "Desk", sku: "${sku}", listPrice: 1.5, tags: ["a"],
          customFields: {tier: "gold", sizes: [1, null, {width: 1.5}], none: null},
          metadata: {tier: "gold", sizes: [1, null, {width: 1.5}], none: null}}) { id } }`,
      }),
    ],
    [
      'one variable',
      (sku) => ({
        document: 'mutation($input: ProductCreateInput!) { productCreate(input: $input) { id } }',
        variables: {
          input: { name: 'Desk', sku, listPrice: 1.5, tags: ['a'], customFields: stored, metadata: stored },
        },
      }),
    ],
    [
      'a literal that contains variables',
      (sku) => ({
        document: `mutation($sku: String! $price: Decimal! $tag: String! $tier: String $size: Int $width: JSON $none: ID $absent: Int) {
          productCreate(input: {name: "Desk", sku: $sku, listPrice: $price, tags: [$tag],
            customFields: {tier: $tier, sizes: [$size, null, $width], none: $none, absent: $absent},
            metadata: {none: $none, tier: "gold", sizes: [1, $none, {width: 1.5}]}}) { id } }`,
        variables: { sku, price: 1.5, tag: 'a', tier: 'gold', size: 1, width: { width: 1.5 }, none: null },
      }),
    ],
  ])('is stored the same from %s', async (what, writing) => {
    const { document, variables } = writing(what)
    const { status, body } = await member.graphql(document, variables)
    expect([status, body.errors]).toEqual([200, undefined])
    const [row] = await platform.query(
      'select name, list_price::float as price, tags, metadata, custom_fields from commerce.product where id = $1',
      [body.data.productCreate.id],
    )
    expect(row).toEqual({ name: 'Desk', price: 1.5, tags: ['a'], metadata: stored, custom_fields: storedFields })
  })
})

describe('a filter', () => {
  beforeAll(async () => {
    for (const [name, renewalMonth, annualRevenue] of [
      ['One', 'May', 1],
      ['Two', 'May', 2],
      ['Three', 'June', 3],
    ] as const) {
      await member.rest.accountCreate!({ body: { name, customFields: { renewalMonth }, annualRevenue } })
    }
  })

  it.each<[string, string, string, string, Record<string, unknown>, number]>([
    ['JSON', '{customFields: {renewalMonth: "May"}}', '{customFields: {renewalMonth: $v}}', 'String!', { v: 'May' }, 2],
    [
      'JSON of null',
      '{customFields: {renewalMonth: null}}',
      '{customFields: {renewalMonth: $v}}',
      'ID',
      { v: null },
      0,
    ],
    ['JSON of nothing', '{customFields: {}}', '{customFields: {renewalMonth: $v}}', 'String', {}, 3],
    ['Decimal', '{annualRevenue: {gt: 1.5}}', '{annualRevenue: {gt: $v}}', 'Decimal', { v: 1.5 }, 2],
    ['DateTime', '{createdAt: {gt: "2027-02-02"}}', '{createdAt: {gt: $v}}', 'DateTime', { v: '2027-02-02' }, 0],
    [
      'DateTime with an offset',
      '{createdAt: {lt: "2027-02-01T11:00:00+01:00"}}',
      '{createdAt: {lt: $v}}',
      'DateTime',
      { v: '2027-02-01T11:00:00+01:00' },
      3,
    ],
    [
      'JSON and DateTime',
      '{and: [{customFields: {renewalMonth: "June"}}, {createdAt: {gt: "2027-01-01"}}]}',
      '{and: [{customFields: {renewalMonth: $v}}, {createdAt: {gt: "2027-01-01"}}]}',
      'String',
      { v: 'June' },
      1,
    ],
  ])('of %s finds the same as a literal and with variables', async (_, literal, mixed, type, variables, total) => {
    const answers = [
      await member.graphql(`{ accountList(filter: ${literal}) { total } }`),
      await member.graphql(`query($v: ${type}) { accountList(filter: ${mixed}) { total } }`, variables),
      await member.graphql(`query($v: ${type}) { accountList(filter: ${mixed}) { total } productList { total } }`, {
        ...variables,
      }),
    ]
    expect(answers.map(({ status, body }) => [status, body.errors, body.data?.accountList])).toEqual(
      answers.map(() => [200, undefined, { total }]),
    )
  })
})

describe('a value that its type does not accept', () => {
  const dateTime = 'A date-time must be ISO 8601, for example 2026-11-21T09:30:00Z.'

  it.each<[string, string, unknown, string]>([
    [
      'query($f: AccountFilter) { accountList(filter: $f) { total } }',
      'f',
      { createdAt: { gt: 'foo' } },
      'createdAt.gt',
    ],
    [
      'query($f: AccountFilter) { accountList(filter: $f) { total } }',
      'f',
      { createdAt: { in: [5] } },
      'createdAt.in.0',
    ],
    ['query($t: DateTime) { accountList(filter: {createdAt: {gt: $t}}) { total } }', 't', 'foo', ''],
    [
      'mutation($i: AccountCreateInput!) { accountCreate(input: $i) { id } }',
      'i',
      { name: 'a', lastActivityDate: 'foo' },
      'lastActivityDate',
    ],
  ])('is refused under the name that the client gave: %s', async (document, name, value, below) => {
    const before = await platform.fingerprint()
    const { status, body } = await member.graphql(document, { [name]: value })
    const path = below ? `${name}.${below}` : name
    expect([status, body.errors[0].extensions]).toEqual([
      400,
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        errors: [{ path, code: 'INVALID_VALUE', message: dateTime }],
      }),
    ])
    expect(await platform.fingerprint()).toBe(before)
  })

  it('is refused if it comes from a variable, with the name of the variable', async () => {
    const before = await platform.fingerprint()
    const deep = JSON.parse(`${'['.repeat(16)}${']'.repeat(16)}`) as unknown
    const { status, body } = await member.graphql(
      'mutation($v: JSON) { productCreate(input: {name: "a", sku: "b", listPrice: 1, metadata: {a: [$v]}}) { id } }',
      { v: deep },
    )
    expect([status, body.errors[0].extensions.code, body.errors[0].extensions.errors]).toEqual([
      400,
      'VALIDATION_FAILED',
      [{ path: 'v', code: 'INVALID_VALUE', message: 'JSON must be nested at most 16 levels deep.' }],
    ])
    expect(await platform.fingerprint()).toBe(before)
  })
})

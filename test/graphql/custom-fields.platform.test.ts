import 'reflect-metadata'
import { beforeAll, describe, expect, it } from 'vitest'
import { InMemoryDefinitions } from '../../subgraphs/kernel/record/custom-fields.fixture.ts'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

/** Definitions that must be loaded before they are used. */
class LoadedDefinitions extends InMemoryDefinitions {
  readonly loaded = new Set<string>()

  override shapesOf(organizationId: string): ReturnType<InMemoryDefinitions['shapesOf']> {
    if (this.loaded.has(organizationId)) return super.shapesOf(organizationId)
    // Cross-tenant operations have no definitions to load.
    if (super.shapesOf(organizationId)) throw new Error('The definitions must be loaded first.')
    return null
  }

  override load(organizationId: string): Promise<unknown> | null {
    if (this.loaded.has(organizationId)) return null
    return Promise.resolve().then(() => void this.loaded.add(organizationId))
  }
}

const definitions = new LoadedDefinitions()
const platform = usePlatform({}, definitions)

let defining: Member
let plain: Member

const customFields = (margin: unknown) => ({ customFields: { margin, color: 'red' } })

beforeAll(async () => {
  defining = await platform.member({ organizationId: await platform.organization('Defining') })
  plain = await platform.member({ organizationId: await platform.organization('Plain') })
  for (const member of [defining, plain])
    for (const [name, margin] of [
      ['five', 5],
      ['ten', 10],
      ['text', 'abc'],
    ] as const)
      await account(member, { name, ...customFields(margin) })
  definitions.loaded.clear()
  definitions.define(defining.organizationId, { account: [{ name: 'margin', kind: 'money', minimum: 0 }] })
})

async function found(member: Member, filter: object): Promise<string[]> {
  const document = `query ($f: AccountFilter) { accountList(filter: $f, orderBy: [{ field: name, direction: ASC }]) { data { name } } }`
  const { body } = await member.graphql(document, { f: filter })
  const { data } = body as { data: { accountList: { data: { name: string }[] } } }
  return data.accountList.data.map(({ name }) => name)
}

describe('accountList', () => {
  it('compares defined custom fields by the operators of their kind', async () => {
    expect(await found(defining, { customFields: { margin: { gte: 5, lt: 10 } } })).toEqual(['five'])
    expect(await found(defining, { customFields: { margin: { gt: 5 }, color: 'red' } })).toEqual(['ten'])
    expect(await found(defining, { not: { customFields: { margin: { gt: 5 } } } })).toEqual(['five', 'text'])
  })

  it('accepts them in a document as in variables', async () => {
    const { body } = await defining.graphql(
      '{ accountList(filter: { customFields: { margin: { gt: 5 } } }) { total } }',
    )
    expect(body).toEqual({ data: { accountList: { total: 1 } } })
  })

  it('accepts their values as text in a REST query', async () => {
    const { body } = await defining.rest.accountList!({ query: { 'customFields[margin]': '10' } })
    expect((body as { data: { name: string }[] }).data.map(({ name }) => name)).toEqual(['ten'])
  })

  it('compares undefined fields by equality', async () => {
    expect(await found(plain, { customFields: { margin: { gt: 5 } } })).toEqual([])
    expect(await found(plain, { customFields: { margin: 10 } })).toEqual(['ten'])
    expect(await found(plain, { customFields: { margin: 'abc' } })).toEqual(['text'])
  })

  it('refuses with 400 values that a defined field cannot have', async () => {
    const { body } = await defining.graphql(
      '{ accountList(filter: { customFields: { margin: { gt: "much" } } }) { total } }',
    )
    expect(body).toMatchObject({
      errors: [
        {
          extensions: {
            code: 'VALIDATION_FAILED',
            errors: [{ path: 'filter.customFields.margin.gt', code: 'WRONG_TYPE' }],
          },
        },
      ],
    })
  })
})

describe('accountCreate', () => {
  it('refuses with 400 a value that a defined field cannot have, and changes nothing', async () => {
    const before = await platform.fingerprint()
    const body = { name: 'New', customFields: { margin: -1 } }
    const refused = await defining.rest.accountCreate!({ body })
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { errors: [{ path: 'customFields.margin', code: 'OUT_OF_RANGE' }] },
    ])
    expect(await platform.fingerprint()).toBe(before)
    expect((await plain.rest.accountCreate!({ body })).status).toBe(201)
  })
})

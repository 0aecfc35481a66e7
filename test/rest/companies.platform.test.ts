import { beforeAll, describe, expect, it } from 'vitest'
import { refused } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member()
})

describe('/v1/companies', () => {
  it('offers every operation of accounts', () => {
    const paths = (prefix: string) =>
      platform.contract.operations
        .filter(({ path }) => path.startsWith(prefix))
        .map(({ method, path, scopes }) => `${method} ${path.slice(prefix.length)} ${scopes.join()}`)
    expect(paths('/v1/companies')).toEqual(paths('/v1/accounts'))
    expect(paths('/v1/companies').length).toBe(22)
  })

  it('serves the same records, from creation to restoration', async () => {
    const { rest } = member
    const created = await rest.accountCreate_companies!({ body: { name: 'Northwind', type: 'CUSTOMER' } })
    const { id } = created.body
    expect([created.status, created.headers.get('location'), created.headers.get('etag')]).toEqual([
      201,
      `/v1/companies/${id}`,
      '"1"',
    ])
    expect((await rest.account!({ id })).body).toEqual(created.body)
    expect((await rest.account_companies!({ id })).body).toEqual(created.body)

    const updated = await rest.accountUpdate_companies!({
      id,
      body: { name: 'Southwind' },
      headers: { 'If-Match': '"1"' },
    })
    expect([updated.status, updated.body.version]).toEqual([200, 2])
    expect(
      await refused(platform, () =>
        rest.accountUpdate_companies!({ id, body: { name: 'x' }, headers: { 'If-Match': '"1"' } }),
      ),
    ).toEqual([409, 'VERSION_CONFLICT'])
    const query = { type: 'CUSTOMER', search: 'south', sortBy: 'name', limit: 5 }
    expect((await rest.accountList_companies!({ query })).body).toEqual((await rest.accountList!({ query })).body)
    expect((await rest.accountList_companies!({ query })).body.total).toBe(1)
    expect((await rest.accountStats_companies!()).body).toEqual((await rest.accountStats!()).body)

    expect((await rest.accountDelete_companies!({ id })).status).toBe(204)
    expect((await rest.accountListDeleted_companies!()).body).toEqual((await rest.accountListDeleted!()).body)
    expect((await rest.accountRestore_companies!({ id })).body.version).toBe(4)
    expect(await platform.eventTypesOf(id)).toEqual([
      'account.created',
      'account.updated',
      'account.deleted',
      'account.restored',
    ])
  })

  it('requires the scope of accounts', async () => {
    const stranger = await platform.member({ scopes: ['READ_CASES'] })
    const reader = await platform.member({ scopes: ['READ_ACCOUNTS'] })
    expect((await reader.rest.accountList_companies!()).status).toBe(200)
    expect(await refused(platform, () => stranger.rest.accountList_companies!())).toEqual([
      403,
      'API_KEY_SCOPE_INSUFFICIENT',
    ])
    expect(await refused(platform, () => reader.rest.accountCreate_companies!({ body: { name: 'x' } }))).toEqual([
      403,
      'API_KEY_SCOPE_INSUFFICIENT',
    ])
  })

  it('counts as another path for an Idempotency-Key', async () => {
    const call = { body: { name: 'Once' }, headers: { 'Idempotency-Key': 'two-paths' } }
    expect((await member.rest.accountCreate!(call)).status).toBe(201)
    expect(await refused(platform, () => member.rest.accountCreate_companies!(call))).toEqual([
      409,
      'IDEMPOTENCY_KEY_REUSED',
    ])
  })
})

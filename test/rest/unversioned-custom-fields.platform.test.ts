import { beforeAll, describe, expect, it } from 'vitest'
import { account, contact, opportunity } from '../builders.ts'
import { anOrganization, field } from '../extensions/custom-fields.fixture.ts'
import { rollup } from '../extensions/rollups.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()

let owner: Member
let member: Member

beforeAll(async () => {
  ;({ owner, member } = await anOrganization(platform))
  await field(owner, rollup('deals', { aggregate: 'COUNT' }))
  const formulaConfig = { expression: 'account.name', returnType: 'TEXT' }
  await field(owner, { entity: 'CONTACT', name: 'accountName', fieldType: 'FORMULA', formulaConfig })
})

const get = (path: string, headers: object = {}) =>
  fetch(`${platform.url}/v1${path}`, { headers: { ...member.headers, ...headers } })
const tagOf = async (path: string) => (await get(path)).headers.get('etag')!

describe('the ETag of a record with custom fields that change without it', () => {
  it.each([
    [
      'a rollup',
      async (accountId: string) => `/accounts/${accountId}`,
      (accountId: string) => opportunity(member, { accountId }),
      { description: 'Changed.' },
    ],
    [
      'a formula over another record',
      async (accountId: string) => `/contacts/${(await contact(member, { lastName: 'Lee', accountId })).id}`,
      (accountId: string) => member.rest['accountUpdate']!({ id: accountId, body: { name: 'Other' } } as never),
      { lastName: 'Li' },
    ],
  ])(
    'is another one when they do, and If-Match compares the version only: %s',
    async (_what, pathFor, change, body) => {
      const { id } = await account(member)
      const path = await pathFor(id)
      const before = await tagOf(path)
      expect(before).toMatch(/^"1-/)
      expect((await get(path, { 'If-None-Match': before })).status).toBe(304)
      await change(id)
      const changed = await get(path, { 'If-None-Match': before })
      expect([changed.status, changed.headers.get('etag')]).not.toEqual([304, before])
      expect(changed.status).toBe(200)
      const written = await fetch(`${platform.url}/v1${path}`, {
        method: 'PATCH',
        headers: { ...member.headers, 'Content-Type': 'application/json', 'If-Match': before },
        body: JSON.stringify(body),
      })
      expect(written.status).toBe(200)
    },
  )

  it('is that of the version where the answer has none of them', async () => {
    const { id } = await account(member)
    expect(await tagOf(`/accounts/${id}?fields=name`)).toBe('"1"')
    const other = (await anOrganization(platform)).member
    await field(await platform.member({ organizationId: other.organizationId, role: 'OWNER' }), { name: 'tier' })
    const made = await account(other, { customFields: { tier: 'gold' } })
    const answer = await fetch(`${platform.url}/v1/accounts/${made.id}`, { headers: other.headers })
    expect(answer.headers.get('etag')).toBe('"1"')
  })
})

import { describe, expect, it } from 'vitest'
import { removeDeletedFields } from '../../subgraphs/extensions/field-change/remove-values.ts'
import { account } from '../builders.ts'
import { usePlatform } from '../platform.ts'
import { anOrganization, field, problemsOf } from './custom-fields.fixture.ts'
import { copiesOf, settleFieldChanges } from './field-changes.fixture.ts'

const platform = usePlatform()
const dayMs = 86_400_000

/** An organization with a deleted field `code`, which some accounts have, and another field `note`. */
async function deleted() {
  const { owner, member } = await anOrganization(platform)
  const { id } = await field(owner)
  await field(owner, { name: 'note' })
  const { id: accountId } = await account(member, { customFields: { code: 'A', note: 'N' } })
  await copiesOf(platform, member, accountId, 1_200)
  await platform.query(`update crm.account set deleted_at = now() where name = 'n7'`)
  expect((await owner.rest['customFieldDelete']!({ id })).status).toBe(204)
  const accounts = (condition: string) =>
    platform
      .query<{ n: number }>(`select count(*)::int as n from crm.account where organization_id = $1 and ${condition}`, [
        owner.organizationId,
      ])
      .then(([row]) => row!.n)
  return { owner, member, id, accountId, accounts }
}

const begin = () => removeDeletedFields.run(platform.services)

describe('a field that was deleted', () => {
  it('keeps the values of records for 30 days, and can be restored', async () => {
    const { owner, id, accounts } = await deleted()
    platform.advanceClock(30 * dayMs - 1_000)
    await begin()
    await settleFieldChanges(platform)
    expect(await accounts(`custom_fields ? 'code'`)).toBe(1_201)
    const { status, body } = await owner.rest['customFieldRestore']!({ id })
    expect([status, body.state, body.progress]).toEqual([200, 'READY', null])
    platform.advanceClock(2 * dayMs)
    await begin()
    await settleFieldChanges(platform)
    expect(await accounts(`custom_fields ? 'code'`)).toBe(1_201)
  })

  it('is no longer restored once its values are being removed', async () => {
    const { owner, id, accounts } = await deleted()
    platform.advanceClock(30 * dayMs + 1_000)
    await begin()
    await begin()
    const answer = await owner.rest['customFieldRestore']!({ id })
    expect(problemsOf(answer)).toBe('409 INVALID_STATE')
    expect(await accounts(`custom_fields ? 'code'`)).toBe(1_201)
    await settleFieldChanges(platform)
    expect((await owner.rest['customFieldRestore']!({ id })).status).toBe(404)
  })

  it('loses its values in all records, deleted ones too, without events; then its name is free', async () => {
    const { owner, member, accountId, accounts } = await deleted()
    const named = { body: { entity: 'ACCOUNT', name: 'CODE', label: 'Code', fieldType: 'NUMBER' } }
    expect(problemsOf(await owner.rest['customFieldCreate']!(named as never))).toBe(
      '409 UNIQUE_VIOLATION name NOT_UNIQUE',
    )
    platform.advanceClock(31 * dayMs)
    await begin()
    const { body: listed } = await owner.rest['customFieldListDeleted']!({})
    expect(listed).toMatchObject([
      { name: 'code', state: 'DELETING', progress: { change: 'REMOVE_VALUES', total: null } },
    ])
    const { body: before } = await member.rest['account']!({ id: accountId })
    await settleFieldChanges(platform)
    expect(await accounts(`custom_fields ? 'code'`)).toBe(0)
    expect(await accounts(`custom_fields ->> 'note' = 'N'`)).toBe(1_201)
    expect(await platform.eventTypesOf(accountId)).toEqual(['account.created'])
    const { body: after } = await member.rest['account']!({ id: accountId })
    expect([after.customFields, after.version]).toEqual([{ note: 'N' }, before.version + 1])
    expect((await owner.rest['customFieldListDeleted']!({})).body).toEqual([])
    expect((await owner.rest['customFieldCreate']!(named as never)).status).toBe(201)
  })
})

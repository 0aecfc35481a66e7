import { beforeAll, describe, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { refused, refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type RestClient } from '../rest-client.ts'

const platform = usePlatform()
let owner: Member
let admin: Member
let agent: Member
let asAdmin: RestClient

const clientOf = async (member: Member): Promise<RestClient> =>
  restClient(platform.contract, platform.url, { Authorization: `Bearer ${await sessionOf(platform, member)}` })

beforeAll(async () => {
  owner = await platform.member({ role: 'OWNER' })
  admin = await platform.member({ role: 'ADMIN' })
  agent = await platform.member()
  asAdmin = await clientOf(admin)
})

describe('profiles', () => {
  it('are created, assigned, changed, unassigned and deleted by an admin, with immediate effect', async () => {
    const fields = { account: { phone: 'HIDDEN' } }
    const created = await asAdmin.accessProfileCreate!({ body: { name: 'Agents', fields } })
    expect([created.status, created.body.fields]).toEqual([201, fields])
    const { id } = created.body as { id: string }
    expect((await asAdmin.accessProfile!({ id })).body).toEqual(created.body)
    expect((await asAdmin.accessProfileList!()).body).toEqual([created.body])

    const given = await asAdmin.userUpdate!({ id: agent.userId, body: { profileId: id } })
    expect([given.status, given.body.profileId]).toEqual([200, id])
    const record = await account(owner, { phone: '1' })
    const phone = async () => (await agent.rest.account!({ id: record.id })).body.phone as unknown
    expect(await phone()).toBeUndefined()
    expect(await refused(platform, () => asAdmin.accessProfileDelete!({ id }))).toEqual([409, 'HAS_DEPENDENTS'])

    await asAdmin.accessProfileUpdate!({ id, body: { fields: { account: { phone: 'READ' } } } })
    platform.advanceClock(1000)
    expect(await phone()).toBe('1')
    await asAdmin.userUpdate!({ id: agent.userId, body: { profileId: null } })
    expect((await asAdmin.accessProfileDelete!({ id })).status).toBe(204)
    expect(await platform.eventTypesOf(id)).toEqual(['profile.created', 'profile.updated', 'profile.deleted'])
    expect((await platform.eventTypesOf(agent.userId)).slice(-2)).toEqual(['user.updated', 'user.updated'])
  })

  it('refuse each wrong field with its path', async () => {
    const fields = { account: { name: 'HIDDEN', fone: 'READ' }, person: {} }
    expect(
      await refusedInputs(platform, () => asAdmin.accessProfileCreate!({ body: { name: 'Bad', fields } })),
    ).toEqual([
      400,
      'VALIDATION_FAILED',
      'fields.account.name NOT_RESTRICTABLE',
      'fields.account.fone UNKNOWN_FIELD',
      'fields.person UNKNOWN_OBJECT',
    ])
  })

  it('can be assigned to an owner only by owners, and cannot be managed by members', async () => {
    const giving = () => asAdmin.userUpdate!({ id: owner.userId, body: { profileId: null } })
    expect(await refused(platform, giving)).toEqual([403, 'PERMISSION_DENIED'])
    const asAgent = await clientOf(agent)
    expect(await refused(platform, () => asAgent.accessProfileList!())).toEqual([403, 'PERMISSION_DENIED'])
    expect(await refused(platform, () => asAgent.accessProfileCreate!({ body: { name: 'Mine' } }))).toEqual([
      403,
      'PERMISSION_DENIED',
    ])
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, contact } from '../builders.ts'
import { refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let admin: Member
let member: Member
beforeAll(async () => {
  admin = await platform.member({ role: 'ADMIN' })
  member = await platform.member()
})

const createdAt = '2019-05-06T07:08:09.010Z'
const create = (values: object, by = admin) => by.rest.accountCreate!({ body: { name: 'Alder', ...values } })

describe('createdAt of a new record', () => {
  it('is what an owner or admin gives, also with an offset, and the event happens now', async () => {
    const { status, body } = await create({ createdAt: '2019-05-06T09:08:09.01+02:00' })
    expect([status, body.createdAt, body.updatedAt]).toEqual([201, createdAt, platform.now.toISOString()])
    const [event] = await platform.query<{ at: Date; created: string }>(
      `select occurred_at as at, data->'record'->>'createdAt' as created from kernel.event where record_id = $1`,
      [body.id],
    )
    expect([new Date(event!.at).toISOString(), event!.created]).toEqual([platform.now.toISOString(), createdAt])
    const older = await admin.rest.accountList!({ query: { sortBy: 'createdAt', sortOrder: 'asc', limit: 1 } })
    expect(older.body.data[0].id).toBe(body.id)
  })

  it('is the time of the request without one', async () => {
    expect((await account(member)).createdAt).toBe(platform.now.toISOString())
  })

  it('is refused from other roles with 403, in the future and null with 400, and nothing changes', async () => {
    expect(await refusedInputs(platform, () => create({ createdAt }, member))).toEqual([
      403,
      'FIELD_NOT_WRITABLE',
      'createdAt FIELD_NOT_WRITABLE',
    ])
    const future = new Date(platform.now.getTime() + 1).toISOString()
    expect(await refusedInputs(platform, () => create({ createdAt: future }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'createdAt IN_FUTURE',
    ])
    expect((await create({ createdAt: platform.now.toISOString() })).status).toBe(201)
    expect((await refusedInputs(platform, () => create({ createdAt: null })))[0]).toBe(400)
  })

  it('never changes: an update takes it only as it is', async () => {
    const { id } = await contact(admin, { createdAt })
    const change = (value: string) => admin.rest.contactUpdate!({ id, body: { lastName: 'Lind', createdAt: value } })
    expect((await change(platform.now.toISOString())).body.errors[0]).toMatchObject({
      path: 'createdAt',
      code: 'READ_ONLY',
    })
    expect((await change(createdAt)).status).toBe(200)
  })

  it('may be sent with every upsert, and is set by the one that creates', async () => {
    const value = newId()
    const put = (at: string, by = admin) =>
      by.rest['accountUpsert']!({ field: 'externalId', value, body: { name: 'A', createdAt: at } })
    expect((await put(createdAt, member)).body.code).toBe('FIELD_NOT_WRITABLE')
    expect((await put(createdAt)).body).toMatchObject({ createdAt })
    expect((await put(createdAt)).status).toBe(200)
    expect((await put(createdAt, member)).status).toBe(200)
    expect((await put('2020-01-01T00:00:00.000Z')).body.errors[0]).toMatchObject({
      path: 'createdAt',
      code: 'READ_ONLY',
    })
  })

  it('is described as a field that owners and admins can give', async () => {
    const described = async (by: Member) => {
      const { body } = await by.rest['recordType']!({ object: 'account' })
      const found = (body.fields as { name: string; isCreatable: boolean; isRequired: boolean }[]).find(
        ({ name }) => name === 'createdAt',
      )!
      return [found.isCreatable, found.isRequired]
    }
    expect([await described(admin), await described(member)]).toEqual([
      [true, false],
      [false, false],
    ])
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import { setEntitlements } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { aPerson, type Person } from '../oauth/oauth.fixture.ts'
import { usePlatform } from '../platform.ts'
import { Developer, outcome } from './developer-orgs.fixture.ts'

const platform = usePlatform()
let developer: Developer
let owner: Person

beforeEach(async () => {
  developer = await Developer.of(platform)
  owner = developer.owner
})

describe('developerOrgCreate', () => {
  it('makes an organization with the plan of its creator, who owns it and signs in to it with the same password', async () => {
    await setEntitlements(platform.services, owner.organizationId, ['catalog', 'forecasts'])
    const { status, body, headers } = await developer.create(owner, '  Sandbox of Ann ')
    const now = platform.now.toISOString()
    expect([status, body, headers.get('location')]).toEqual([
      201,
      {
        id: expect.any(String),
        organizationId: owner.organizationId,
        name: 'Sandbox of Ann',
        status: 'ACTIVE',
        createdAt: now,
        updatedAt: now,
      },
      `/v1/developer-orgs/${body.id}`,
    ])
    expect((await owner.rest['developerOrg']!({ id: body.id })).body).toEqual(body)
    expect((await owner.rest['developerOrgList']!()).body).toEqual([body])
    const { rest, userId } = await developer.signedIn(body.id)
    expect((await rest['me']!()).body).toMatchObject({
      id: userId,
      email: owner.email,
      role: 'OWNER',
      visibility: 'ALL',
    })
    expect((await rest['organizationAdministered']!()).body).toMatchObject({
      id: body.id,
      name: 'Sandbox of Ann',
      entitlements: ['catalog', 'forecasts'],
    })
    const [outside, inside] = [await developer.written(owner.organizationId), await developer.written(body.id)]
    expect([outside.audit.at(-1), outside.events.at(-1)]).toEqual(['developer_org.created', 'developer_org.created'])
    const first = ['organization.created', 'user.created']
    expect([inside.audit.slice(0, 2), inside.events.slice(0, 2)]).toEqual([first, first])
    const event = (await platform.eventsOf(body.id)).find(({ type }) => type === 'developer_org.created')
    expect(event).toMatchObject({ actorId: owner.userId, data: { record: body } })
  })

  it('isolates it: neither organization sees a record of the other', async () => {
    const id = await developer.created()
    const { rest } = await developer.signedIn(id)
    const [inside, outside] = [rest, owner.rest]
    const names: string[][] = []
    for (const [own, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      const { body } = await own['accountCreate']!({ body: { name: 'Halvorsen' } })
      expect(outcome(await other['account']!({ id: body.id }))).toBe('404 NOT_FOUND')
      names.push([body.id])
    }
    for (const [index, client] of [inside, outside].entries())
      expect((await client['accountList']!()).body.data.map((account: { id: string }) => account.id)).toEqual(
        names[index],
      )
  })

  it('changes nothing for who signs in without an organization, who enters that of the latest sign-in', async () => {
    const id = await developer.created()
    expect((await developer.signIn()).body.organization.id).toBe(owner.organizationId)
    platform.advanceClock(1000)
    await developer.signedIn(id)
    expect((await developer.signIn()).body.organization.id).toBe(id)
  })

  it('trusts the password of the person as the organization does that creates it', async () => {
    await platform.query('update identity.app_user set distrusts_password = true where id = $1', [owner.userId])
    const id = await developer.created()
    expect(outcome(await developer.signIn(id))).toBe('401 UNAUTHENTICATED')
    await platform.query('update identity.app_user set distrusts_password = false where organization_id = $1', [id])
    await developer.signedIn(id)
  })

  it('is repeated by no Idempotency-Key', async () => {
    const key = { 'idempotency-key': newId() }
    const first = await developer.create(owner, 'Sandbox', key)
    const again = await developer.create(owner, 'Sandbox', key)
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true'])
    expect(again.body).toEqual(first.body)
    expect(await developer.listed()).toEqual([first.body.id])
  })

  it('makes at most five of one organization, whoever asks at the same time', async () => {
    const admin = await aPerson(platform, { role: 'ADMIN', organizationId: owner.organizationId })
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => developer.create(index % 2 ? owner : admin)),
    )
    expect(answers.map(outcome).toSorted()).toEqual([...Array(5).fill('201'), ...Array(3).fill('409 LIMIT_REACHED')])
    expect(answers.find(({ status }) => status === 409)!.body.limit).toBe(5)
    expect(await developer.listed()).toHaveLength(5)
    expect(await developer.refused(() => developer.create())).toBe('409 LIMIT_REACHED')
    const other = await aPerson(platform, { role: 'OWNER' })
    await developer.created(other)
    expect((await owner.rest['developerOrgDelete']!({ id: (await developer.listed())[0] })).status).toBe(204)
    await developer.created()
  })

  it('makes at most twenty in 24 hours, also if they are deleted', async () => {
    const firstAt = platform.now.getTime()
    for (let count = 0; count < 20; count++) {
      const id = await developer.created()
      expect((await developer.delete(id)).status).toBe(204)
      platform.advanceClock(1000)
    }
    const { body } = await developer.create()
    const retryAt = new Date(firstAt + 86_400_000).toISOString()
    expect(body).toMatchObject({ code: 'LIMIT_REACHED', limit: 20, retryAt })
    expect(await developer.refused(() => developer.create())).toBe('409 LIMIT_REACHED')
    platform.now = new Date(firstAt + 86_400_000)
    const again = await developer.signedInAgain()
    await developer.created(again)
    expect(outcome(await developer.create(again))).toBe('409 LIMIT_REACHED')
  })

  it('is refused inside a developer organization', async () => {
    const { rest } = await developer.signedIn(await developer.created())
    expect(await developer.refused(() => developer.create({ rest }))).toBe('409 INVALID_STATE')
  })

  it.each([
    ['empty', ''],
    ['blank', ' \n '],
    ['too long', 'x'.repeat(256)],
    ['not storable', 'a\u0000b'],
  ])('refuses a name that is %s', async (_, name) => {
    expect(await developer.refused(() => developer.create(owner, name))).toBe('400 VALIDATION_FAILED')
  })

  it('is one transaction: after a failure of its last write nothing of it exists', async () => {
    await platform.query(
      `create function public.fails() returns trigger language plpgsql as $$ begin raise exception 'failed on purpose'; end $$`,
    )
    await platform.query(
      `create trigger fails before insert on identity.audit_entry for each row when (new.action = 'developer_org.created') execute function public.fails()`,
    )
    try {
      expect(await developer.refused(() => developer.create())).toBe('500 INTERNAL')
    } finally {
      await platform.query('drop function public.fails cascade')
    }
    await developer.created()
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { sessionOf } from '../../../test/requests/session.ts'
import { restClient } from '../../../test/rest-client.ts'
import { systemContext } from '../../kernel/request.ts'
import { assignProfile, createProfile } from '../profile/profile.actions.ts'

const platform = usePlatform()
let owner: Member
let agent: Member

beforeAll(async () => {
  owner = await platform.member({ role: 'OWNER' })
  agent = await platform.member({ visibility: 'OWN', scopes: ['READ_ACCOUNTS', 'WRITE_CASES'] })
})

const whoami = async (member: Member) => {
  const { status, body } = await member.rest.whoami!()
  expect(status, JSON.stringify(body)).toBe(200)
  return body as Record<string, unknown>
}

const asSession = async (member: Member) =>
  restClient(platform.contract, platform.url, { Authorization: `Bearer ${await sessionOf(platform, member)}` })

describe('whoami', () => {
  it('says who a key acts for, with what, and within which limits', async () => {
    const [user] = await platform.query<{ email: string }>(
      'select email from identity.admin_user where organization_id = $1 and id = $2',
      [agent.organizationId, agent.userId],
    )
    expect(await whoami(agent)).toEqual({
      credential: 'API_KEY',
      credentialId: agent.keyId,
      scopes: ['READ_ACCOUNTS', 'WRITE_CASES'],
      userId: agent.userId,
      name: 'Ann Lee',
      email: user!.email,
      timezone: 'UTC',
      locale: 'en',
      role: 'MEMBER',
      visibility: 'OWN',
      profile: null,
      organization: {
        id: agent.organizationId,
        name: 'Acme',
        timezone: 'UTC',
        baseCurrency: 'USD',
        fiscalYearStartMonth: 1,
        entitlements: expect.any(Array) as unknown,
      },
      quota: { limit: 1_000_000, window: 'HOUR' },
      limits: { requestBytes: 1_048_576, answerBytes: 4_194_304, pageRecords: 100, storedBytes: 107_374_182_400 },
      rates: [],
      eventCursor: String(await platform.services.events.latest(agent.organizationId)),
      now: platform.now.toISOString(),
    })
  })

  it('answers the same over GraphQL', async () => {
    const { body } = await agent.graphql('{ viewer { userId scopes organization { id name } quota { limit window } } }')
    expect(body).toEqual({
      data: {
        viewer: {
          userId: agent.userId,
          scopes: ['READ_ACCOUNTS', 'WRITE_CASES'],
          organization: { id: agent.organizationId, name: 'Acme' },
          quota: { limit: 1_000_000, window: 'HOUR' },
        },
      },
    })
  })

  it('says of a session that no scope and no quota limits it', async () => {
    const { body } = await (await asSession(agent)).whoami!()
    expect(body).toMatchObject({ credential: 'SESSION', scopes: null, quota: null, userId: agent.userId })
  })

  it('has the time zone, the currency and the fiscal year of the organization, and the rates of today', async () => {
    const session = await asSession(owner)
    const settings = { timezone: 'Asia/Tokyo', fiscalYearStartMonth: 4 }
    expect((await session.organizationUpdate!({ body: settings })).status).toBe(200)
    expect((await session.baseCurrencySet!({ body: { baseCurrency: 'EUR' } })).status).toBe(200)
    for (const [date, rate] of [
      ['2027-01-01', 0.9],
      ['2027-01-31', 0.95],
      ['2027-02-03', 0.99],
    ])
      expect((await session.exchangeRateSet!({ body: { currency: 'USD', date, rate } })).status).toBeLessThan(300)
    const { organization, rates } = await whoami(owner)
    expect(organization).toMatchObject({ timezone: 'Asia/Tokyo', baseCurrency: 'EUR', fiscalYearStartMonth: 4 })
    expect(rates).toEqual([{ currency: 'USD', rate: 0.95, since: '2027-01-31' }])
  })

  it('names the profile that applies, also the default one', async () => {
    const { organizationId, userId } = agent
    const ctx = systemContext(platform.services, organizationId)
    const standard = await createProfile(ctx, { name: 'Everybody', isDefault: true, fields: {} })
    expect((await whoami(agent))['profile']).toEqual({ id: standard.id, name: 'Everybody', isDefault: true })
    const sales = await createProfile(ctx, { name: 'Sales', fields: {} })
    await assignProfile(ctx, userId, sales.id)
    expect((await whoami(agent))['profile']).toEqual({ id: sales.id, name: 'Sales', isDefault: false })
  })

  it('refuses callers without a credential', async () => {
    const { status, body } = await restClient(platform.contract, platform.url, {}).whoami!()
    expect([status, (body as { code: string }).code]).toEqual([401, 'UNAUTHENTICATED'])
  })
})

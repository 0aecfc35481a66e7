import { beforeAll, describe, expect, it } from 'vitest'
import { account, supportCase } from '../../../test/builders.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { sessionOf } from '../../../test/requests/session.ts'
import { restClient, type RestClient } from '../../../test/rest-client.ts'
import { newId } from '../../kernel/ids.ts'
import { systemContext } from '../../kernel/request.ts'
import { assignProfile, createProfile } from '../profile/profile.actions.ts'
import { deactivateUser, updateUser } from '../public.ts'

const platform = usePlatform()
let admin: Member
let agent: Member
let asAdmin: RestClient

const clientOf = async (member: Member): Promise<RestClient> =>
  restClient(platform.contract, platform.url, { Authorization: `Bearer ${await sessionOf(platform, member)}` })

beforeAll(async () => {
  admin = await platform.member({ role: 'ADMIN' })
  agent = await platform.member({ visibility: 'OWN' })
  asAdmin = await clientOf(admin)
  const ctx = systemContext(platform.services, admin.organizationId)
  const fields = { account: { annualRevenue: 'HIDDEN', rating: 'READ', 'customFields.margin': 'HIDDEN' } }
  const profile = await createProfile(ctx, { name: 'Agents', fields })
  await assignProfile(ctx, agent.userId, profile.id)
})

async function explained(query: Record<string, string>) {
  const { status, body } = await asAdmin.explainAccess!({ query: { actor: agent.userId, ...query } })
  expect(status, JSON.stringify(body)).toBe(200)
  const { allowed, rule, reasons } = body as { allowed: boolean; rule: string; reasons: Record<string, string>[] }
  return { allowed, rule, details: reasons.map(({ rule: of, outcome, detail }) => `${of} ${outcome} ${detail}`) }
}

const standing = 'STANDING ALLOWED The user and the organization are active.'

describe('explainAccess', () => {
  it.each([
    ['annualRevenue', 'READ', 'REFUSED FIELD_NOT_READABLE: Your profile does not let you read annualRevenue.'],
    ['annualRevenue', 'UPDATE', 'REFUSED FIELD_NOT_WRITABLE: Your profile does not let you change annualRevenue.'],
    ['rating', 'READ', 'ALLOWED account.rating may be read.'],
    ['rating', 'CREATE', 'REFUSED FIELD_NOT_WRITABLE: Your profile does not let you change rating.'],
    ['phone', 'UPDATE', 'ALLOWED account.phone may be written.'],
    [
      'customFields.margin',
      'READ',
      'REFUSED FIELD_NOT_READABLE: Your profile does not let you read customFields.margin.',
    ],
    ['customFields.tier', 'UPDATE', 'ALLOWED account.customFields.tier may be written.'],
  ])('explains for the field %s that %s is %s', async (field, operation, expected) => {
    const { allowed, rule, details } = await explained({ object: 'account', field, operation })
    expect([allowed, rule, details.at(-1)]).toEqual([expected.startsWith('ALLOWED'), 'FIELD', `FIELD ${expected}`])
  })

  it('names the column that makes a record visible or hidden', async () => {
    const [own, foreign] = [await account(agent), await account(admin)]
    expect(await explained({ object: 'account', id: own.id, operation: 'READ' })).toEqual({
      allowed: true,
      rule: 'VISIBILITY',
      details: [standing, 'VISIBILITY ALLOWED Record visibility OWN: ownerId is the user.'],
    })
    expect(await explained({ object: 'account', id: foreign.id, operation: 'UPDATE' })).toEqual({
      allowed: false,
      rule: 'VISIBILITY',
      details: [
        standing,
        'ROLE ALLOWED The role MEMBER may change records.',
        'VISIBILITY REFUSED NOT_FOUND: Record visibility OWN: ownerId is an owner whose records the user does not see.',
      ],
    })
    const assigned = await supportCase(admin, { assignedToId: agent.userId })
    expect((await explained({ object: 'case', id: assigned.id, operation: 'READ' })).details[1]).toBe(
      'VISIBILITY ALLOWED Record visibility OWN: ownerId is an owner whose records the user does not see, assignedToId is the user.',
    )
    const missingRecord = { object: 'case', id: own.id as string, operation: 'READ' }
    expect((await explained(missingRecord)).details[1]).toBe(
      'VISIBILITY REFUSED NOT_FOUND: You see no live record with this id.',
    )
  })

  it('tells an admin with restricted visibility the same of a record out of sight as of none', async () => {
    const restricted = await clientOf(await platform.member({ role: 'ADMIN', visibility: 'OWN' }))
    const query = { actor: agent.userId, object: 'account', operation: 'READ' }
    const ask = async (id: unknown) => (await restricted.explainAccess!({ query: { ...query, id: id as string } })).body
    const out = await ask((await account(agent)).id)
    expect(out).toEqual(await ask(newId()))
    expect(out).toMatchObject({ allowed: false, rule: 'VISIBILITY' })
  })

  it.each([
    ['account', 'records whose ownerId is among the owners that the user sees'],
    ['case', 'records whose ownerId or assignedToId is among the owners that the user sees'],
    ['case_comment', 'records whose case is visible to the user'],
    ['product', 'every record'],
  ])('explains which %s records a user sees in general', async (object, expected) => {
    for (const operation of ['READ', 'UPDATE', 'DELETE']) {
      const { allowed, details } = await explained({ object, operation })
      expect([allowed, details.at(-1)]).toEqual([
        true,
        `VISIBILITY ALLOWED Record visibility OWN: the user sees ${expected}.`,
      ])
    }
  })

  it('agrees with the answers to requests of the user', async () => {
    const record = await account(admin)
    for (const visibility of ['OWN', 'ALL'] as const) {
      await updateUser(platform.services, agent.organizationId, agent.userId, { visibility })
      const { allowed } = await explained({ object: 'account', id: record.id, operation: 'READ' })
      const { status } = await (await clientOf(agent)).account!({ id: record.id })
      expect([allowed, status]).toEqual(visibility === 'ALL' ? [true, 200] : [false, 404])
    }
  })

  it('refuses a read-only role, and a deactivated user', async () => {
    const reader = await platform.member({ role: 'READ_ONLY' })
    const question = { actor: reader.userId, object: 'product', operation: 'CREATE' }
    expect(await explained(question)).toEqual({
      allowed: false,
      rule: 'ROLE',
      details: [standing, 'ROLE REFUSED PERMISSION_DENIED: Your role may read but not change records.'],
    })
    await deactivateUser(platform.services, reader.organizationId, reader.userId)
    expect(await explained(question)).toMatchObject({ allowed: false, rule: 'STANDING' })
  })

  it('answers 403 to a member, 404 for a user of another organization, 400 for an unknown object or field', async () => {
    const question = { actor: agent.userId, object: 'account', operation: 'READ' }
    const asked = async (client: RestClient, query: object) => {
      const { status, body } = await client.explainAccess!({ query: { ...question, ...query } })
      return [status, body.code, body.requiredRoles ?? body.errors?.map(({ path }: { path: string }) => path)]
    }
    expect(await asked(await clientOf(agent), {})).toEqual([403, 'PERMISSION_DENIED', ['OWNER', 'ADMIN']])
    const stranger = await platform.member({ organizationId: await platform.organization('Other') })
    expect(await asked(asAdmin, { actor: stranger.userId })).toEqual([404, 'NOT_FOUND', undefined])
    expect(await asked(asAdmin, { object: 'person' })).toEqual([400, 'VALIDATION_FAILED', ['object']])
    expect(await asked(asAdmin, { field: 'fone' })).toEqual([400, 'VALIDATION_FAILED', ['field']])
    expect(await asked(restClient(platform.contract, platform.url, admin.headers), {})).toEqual([
      403,
      'API_KEY_SCOPE_BLOCKED',
      undefined,
    ])
  })
})

import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { actingCaller, type Acting } from '../../subgraphs/identity/public.ts'
import { automationCalls } from '../../subgraphs/kernel/automation/automation-limit.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import type { Refusal } from '../../subgraphs/kernel/errors.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
const origin = { kind: 'FUNCTION', id: newId(), runId: newId() }
let organizationId: string
let owner: Member

const acting = (change: Partial<Acting> = {}) =>
  actingCaller(platform.services.database, {
    organizationId,
    userId: owner.userId,
    scopes: ['*'],
    runAsAdmin: true,
    origin,
    depth: 1,
    ...change,
  })
const callerFor = async (change: Partial<Acting> = {}): Promise<Caller> => (await acting(change))!

const read = (caller: Caller, document: string, variables: object = {}) =>
  platform.services.graph.read({ document, variables: { ...variables }, costMax: 1000 }, caller, {
    requestId: `req_${newId()}`,
    timeoutMs: 5000,
  })
const execute = (caller: Caller, document: string, variables: object = {}, idempotencyKey = newId()) =>
  platform.services.graph.execute({ document, variables: { ...variables }, costMax: 1000 }, caller, {
    requestId: `req_${newId()}`,
    idempotencyKey,
  })
const rename =
  'mutation ($id: ID!, $name: String!) { accountUpdate(id: $id, input: { name: $name }) { id name phone } }'
const codesOf = ({ errors }: Awaited<ReturnType<typeof read>>) =>
  errors.map((error) => error.extensions?.['code'] ?? error)
/** The refusal of a call, after checking that neither a record nor an event was written. */
async function refusalOf(call: () => Promise<unknown>): Promise<unknown> {
  const before = await written()
  const refusal = await call().catch(({ code, message, extensions }: Refusal) => ({ code, message, ...extensions }))
  expect(await written()).toEqual(before)
  return refusal
}
const written = () =>
  platform.query(`select (select md5(string_agg(a::text, ',' order by a.id)) from crm.account a) as accounts,
    (select count(*) from crm.pipeline) as pipelines, (select count(*) from kernel.event) as events`)
const anAccount = async (of: Member, values: object = {}): Promise<{ id: string; version: number }> =>
  (await of.rest.accountCreate!({ body: { name: 'Nordhavn', ...values } })).body as never

beforeAll(async () => {
  organizationId = await platform.organization()
  owner = await platform.member({ organizationId, role: 'OWNER' })
})

describe('an automation that acts for a user', () => {
  let member: Member

  beforeEach(async () => {
    member = await platform.member({ organizationId, role: 'MEMBER', visibility: 'OWN' })
  })

  it('is the actor of its changes, with its origin and depth in their events', async () => {
    const account = await anAccount(member)
    const caller = await callerFor({ userId: member.userId, depth: 3 })
    expect(caller).toMatchObject({ kind: 'AUTOMATION', role: 'MEMBER', visibility: 'OWN', depth: 3, origin })
    const key = newId()
    const first = await execute(caller, rename, { id: account.id, name: 'Renamed' }, key)
    expect(first).toEqual({ data: { accountUpdate: { id: account.id, name: 'Renamed', phone: null } }, errors: [] })
    // The next run of the same automation is the same credential, so its key stands for the same change.
    const later = await callerFor({ userId: member.userId, depth: 3, origin: { ...origin, runId: newId() } })
    expect((await execute(later, rename, { id: account.id, name: 'Renamed' }, key)).replayed).toBe(true)
    expect(
      await platform.query(
        `select type, actor_id as "actorId", depth, origin from kernel.event where record_id = $1 order by id`,
        [account.id],
      ),
    ).toEqual([
      { type: 'account.created', actorId: member.userId, depth: 0, origin: null },
      { type: 'account.updated', actorId: member.userId, depth: 3, origin },
    ])
    const events = await platform.services.events.read(organizationId, { after: 0, limit: 1000, recordId: account.id })
    expect(events.map(({ depth, origin: from }) => [depth, from])).toEqual([
      [0, null],
      [3, origin],
    ])
  })

  it('sees what the user sees at that moment, and changes no other record', async () => {
    const foreign = await anAccount(owner)
    const query = 'query ($id: ID!) { account(id: $id) { id } }'
    const caller = await callerFor({ userId: member.userId })
    expect(codesOf(await read(caller, query, { id: foreign.id }))).toEqual(['NOT_FOUND'])
    const refused = await refusalOf(() => execute(caller, rename, { id: foreign.id, name: 'Mine' }))
    expect(codesOf(refused as never)).toEqual(['NOT_FOUND'])
    await platform.query(`update identity.app_user set visibility = 'ALL' where id = $1`, [member.userId])
    expect(await read(await callerFor({ userId: member.userId }), query, { id: foreign.id })).toEqual({
      data: { account: { id: foreign.id } },
      errors: [],
    })
  })

  it('does not find the records of another organization', async () => {
    const stranger = await platform.member({ organizationId: await platform.organization('Other'), role: 'OWNER' })
    const { id } = await anAccount(stranger)
    const caller = await callerFor()
    expect(codesOf(await read(caller, 'query ($id: ID!) { account(id: $id) { id } }', { id }))).toEqual(['NOT_FOUND'])
    const refused = await refusalOf(() => execute(caller, rename, { id, name: 'Mine' }))
    expect(codesOf(refused as never)).toEqual(['NOT_FOUND'])
    expect(await acting({ userId: stranger.userId })).toBeNull()
  })

  it('reads and writes the fields that the profile of the user allows', async () => {
    const account = await anAccount(member, { phone: '+47 22 11' })
    await platform.query(
      `with p as (insert into identity.profile (organization_id, id, name, fields, created_at, updated_at) values ($1, $2, $3, $4, now(), now()) returning id)
       update identity.app_user set profile_id = p.id from p where app_user.id = $5`,
      [organizationId, newId(), 'Restricted', { account: { phone: 'HIDDEN', industry: 'READ' } }, member.userId],
    )
    const caller = await callerFor({ userId: member.userId })
    expect((await execute(caller, rename, { id: account.id, name: 'B' })).data).toEqual({
      accountUpdate: { id: account.id, name: 'B', phone: null },
    })
    const industry = 'mutation ($id: ID!) { accountUpdate(id: $id, input: { industry: "Shipping" }) { id } }'
    expect(codesOf((await refusalOf(() => execute(caller, industry, { id: account.id }))) as never)).toEqual([
      'FIELD_NOT_WRITABLE',
    ])
  })

  it('does not act for a user who is inactive, unknown or of a suspended organization', async () => {
    expect(await acting({ userId: newId() })).toBeNull()
    expect(await acting({ userId: 'nobody' })).toBeNull()
    await platform.query('update identity.app_user set is_active = false where id = $1', [member.userId])
    expect(await acting({ userId: member.userId })).toBeNull()
    const suspended = await platform.member({ organizationId: await platform.organization('Gone'), role: 'OWNER' })
    const there = { organizationId: suspended.organizationId, userId: suspended.userId }
    expect(await acting(there)).not.toBeNull()
    await platform.query(`update identity.organization set status = 'SUSPENDED' where id = $1`, [there.organizationId])
    expect(await acting(there)).toBeNull()
  })
})

describe('an owner or admin', () => {
  it.each(['OWNER', 'ADMIN'] as const)('acts as a member of the teams without runAsAdmin: %s', async (role) => {
    const chief = await platform.member({ organizationId, role })
    const [mate, other] = [await platform.member({ organizationId }), await platform.member({ organizationId })]
    await platform.team(organizationId, [chief.userId, mate.userId])
    const caller = await callerFor({ userId: chief.userId, runAsAdmin: false })
    expect(caller).toMatchObject({ role: 'MEMBER', visibility: 'TEAM' })
    expect(caller.ownerIds!.toSorted()).toEqual([chief.userId, mate.userId].toSorted())
    const [near, far] = [await anAccount(mate), await anAccount(other)]
    const query = 'query ($near: ID!, $far: ID!) { near: account(id: $near) { id } far: account(id: $far) { id } }'
    expect(codesOf(await read(caller, query, { near: near.id, far: far.id }))).toEqual(['NOT_FOUND'])
    const asAdmin = await callerFor({ userId: chief.userId })
    expect(asAdmin).toMatchObject({ role, visibility: 'ALL', ownerIds: null })
    const create = 'mutation ($name: String!) { pipelineCreate(input: { name: $name }) { name } }'
    expect(codesOf((await refusalOf(() => execute(caller, create, { name: 'P' }))) as never)).toEqual([
      'PERMISSION_DENIED',
    ])
    const name = `Pipeline ${newId()}`
    expect((await execute(asAdmin, create, { name })).data).toEqual({ pipelineCreate: { name } })
  })

  it.each(['MANAGER', 'READ_ONLY'] as const)('is not what others become with runAsAdmin: %s', async (role) => {
    const { userId } = await platform.member({ organizationId, role, visibility: 'TEAM' })
    expect(await callerFor({ userId })).toMatchObject({ role, visibility: 'TEAM', ownerIds: [userId] })
    expect(await callerFor({ userId, runAsAdmin: false })).toMatchObject({ role, visibility: 'TEAM' })
  })
})

describe('the scopes of an automation', () => {
  it('bound it, whatever its user may do', async () => {
    const caller = await callerFor({ scopes: ['READ_ACCOUNTS'] })
    const { id } = await anAccount(owner)
    expect((await read(caller, 'query ($id: ID!) { account(id: $id) { id } }', { id })).errors).toEqual([])
    expect(await refusalOf(() => execute(caller, rename, { id, name: 'B' }))).toEqual({
      code: 'PERMISSION_DENIED',
      message: 'The automation lacks the scope WRITE_ACCOUNTS.',
      missingScopes: ['WRITE_ACCOUNTS'],
    })
  })

  it('never include what needs a session', async () => {
    const caller = await callerFor()
    const refused = await refusalOf(() =>
      execute(caller, 'mutation { baseCurrencySet(baseCurrency: "EUR") { __typename } }'),
    )
    expect(refused).toEqual({ code: 'PERMISSION_DENIED', message: 'This operation requires SESSION.' })
  })
})

describe('the calls of automations', () => {
  it('are bounded for the organization, and those of others are not', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Busy'), role: 'OWNER' })
    const { organizationId: id, userId } = own
    const busy = await callerFor({ organizationId: id, userId })
    const { counters, clock } = platform.services
    await counters.hit('automation', id, [automationCalls], clock.now().getTime(), 5_999)
    const query = '{ accountList(limit: 1) { page } }'
    expect((await read(busy, query)).errors).toEqual([])
    expect(await refusalOf(() => read(busy, query))).toMatchObject({ code: 'AUTOMATION_RATE_LIMITED', retryAfter: 60 })
    const create = 'mutation { accountCreate(input: { name: "Busy" }) { id } }'
    expect(await refusalOf(() => execute(busy, create))).toMatchObject({ code: 'AUTOMATION_RATE_LIMITED' })
    expect((await read({ ...busy, kind: 'API_KEY' }, query)).errors).toEqual([])
    expect((await read(await callerFor(), query)).errors).toEqual([])
    platform.advanceClock(60_000)
    expect((await read(busy, query)).errors).toEqual([])
  })
})

describe('a request of a function', () => {
  it.each([
    ['1', 0],
    ['2', 1],
    ['6', 5],
    ['0', 0],
    ['none', 0],
    ['-1', 0],
  ])('with the header %s makes changes as deep as the function itself: %s', async (depth, stored) => {
    const headers = { ...owner.headers, 'content-type': 'application/json', 'x-service-function-depth': depth }
    const answer = await fetch(`${platform.url}/v1/accounts`, { method: 'POST', headers, body: '{"name":"Deep"}' })
    expect(answer.status).toBe(201)
    const { id } = (await answer.json()) as { id: string }
    expect(await platform.query('select depth from kernel.event where record_id = $1', [id])).toEqual([
      { depth: stored },
    ])
  })
})

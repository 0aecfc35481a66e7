import { beforeAll, describe, expect, it } from 'vitest'
import { updateUser } from '../../subgraphs/identity/public.ts'
import type { Visibility } from '../../subgraphs/kernel/context.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, anAccount, opportunity, supportCase } from '../builders.ts'
import { refused, unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import type { Answer } from '../rest-client.ts'

const platform = usePlatform()
let manager: Member

beforeAll(async () => {
  manager = await platform.member()
})

const aKey = () => ({ 'Idempotency-Key': newId() })
const outcome = ({ status, headers }: Answer) => [status, headers.get('idempotent-replayed')]
const giveTo = (id: string, ownerId: string) => manager.rest.accountUpdate!({ id, body: { ownerId } })

/** Longer than a gateway caches a key, in milliseconds. */
async function setVisibility({ organizationId, userId }: Member, visibility: Visibility) {
  await updateUser(platform.services, organizationId, userId, { visibility })
  platform.advanceClock(1000)
}

describe('a replay', () => {
  it('is 404 while the caller does not see a record of the response, and nothing is executed again', async () => {
    const member = await platform.member({ visibility: 'OWN' })
    const call = { body: anAccount({ name: 'Given away' }), headers: aKey() }
    const first = await member.rest.accountCreate!(call)
    const { id } = first.body
    await giveTo(id, manager.userId)
    expect(await refused(platform, () => member.rest.accountCreate!(call))).toEqual([404, 'NOT_FOUND'])
    expect((await member.rest.account!({ id })).status).toBe(404)
    await giveTo(id, member.userId)
    const again = await unchanged(platform, () => member.rest.accountCreate!(call))
    expect([outcome(again), again.body]).toEqual([[201, 'true'], first.body])
  })

  it('depends on what the caller sees at the time of the replay, record by record', async () => {
    const member = await platform.member()
    const managersAccount = await account(manager)
    const createRequest = { body: anAccount(), headers: aKey() }
    const other = { id: managersAccount.id, body: { name: 'Changed' }, headers: aKey() }
    await member.rest.accountCreate!(createRequest)
    await member.rest.accountUpdate!(other)
    await setVisibility(member, 'OWN')
    expect(outcome(await member.rest.accountCreate!(createRequest))).toEqual([201, 'true'])
    expect(await refused(platform, () => member.rest.accountUpdate!(other))).toEqual([404, 'NOT_FOUND'])
    await setVisibility(member, 'ALL')
    expect(outcome(await member.rest.accountUpdate!(other))).toEqual([200, 'true'])
  })

  it('is 404 for a caller who left the team of the owner', async () => {
    const organizationId = await platform.organization()
    const [member, colleague] = [
      await platform.member({ organizationId, visibility: 'TEAM' }),
      await platform.member({ organizationId }),
    ]
    await platform.team(organizationId, [member.userId, colleague.userId])
    platform.advanceClock(1000)
    const { id } = await account(colleague)
    const call = { id, body: { name: 'Changed' }, headers: aKey() }
    expect((await member.rest.accountUpdate!(call)).status).toBe(200)
    expect(outcome(await member.rest.accountUpdate!(call))).toEqual([200, 'true'])
    await platform.query('delete from identity.team_member where user_id = $1', [member.userId])
    platform.advanceClock(1000)
    expect(await refused(platform, () => member.rest.accountUpdate!(call))).toEqual([404, 'NOT_FOUND'])
  })

  it('of a child record is 404 when the caller does not see the parent record', async () => {
    const member = await platform.member({ visibility: 'OWN' })
    const { id } = await supportCase(member)
    const comment = { id, body: { body: 'Hello' }, headers: aKey() }
    expect((await member.rest.caseCommentCreate!(comment)).status).toBe(201)
    expect(outcome(await member.rest.caseCommentCreate!(comment))).toEqual([201, 'true'])
    await manager.rest.caseUpdate!({ id, body: { ownerId: manager.userId } })
    await manager.rest.caseAssign!({ id, body: { assignedToId: manager.userId } })
    expect((await member.rest.case!({ id })).status).toBe(404)
    expect(await refused(platform, () => member.rest.caseCommentCreate!(comment))).toEqual([404, 'NOT_FOUND'])
  })

  it('of a deleted record is returned only to callers who would see the record', async () => {
    const member = await platform.member({ visibility: 'OWN' })
    const call = { body: anAccount(), headers: aKey() }
    const { id } = (await member.rest.accountCreate!(call)).body
    await member.rest.accountDelete!({ id })
    const replay = await unchanged(platform, () => member.rest.accountCreate!(call))
    expect([outcome(replay), replay.body.id]).toEqual([[201, 'true'], id])
    await platform.query('update crm.account set owner_id = $2 where id = $1', [id, manager.userId])
    expect(await refused(platform, () => member.rest.accountCreate!(call))).toEqual([404, 'NOT_FOUND'])
  })

  it('answers the retry of a write after which the caller does not see the record', async () => {
    const member = await platform.member({ visibility: 'OWN' })
    const { id } = await account(member)
    const call = { id, body: { ownerId: manager.userId }, headers: aKey() }
    const first = await member.rest.accountUpdate!(call)
    const second = await unchanged(platform, () => member.rest.accountUpdate!(call))
    expect([first.status, outcome(second), second.body]).toEqual([200, [200, 'true'], first.body])
  })
})

describe('a replay of a GraphQL mutation', () => {
  const update = `mutation($id: ID!) { accountUpdate(id: $id, input: { industry: "Fishing" }) {
    name parent { name } cases(first: 5) { totalCount nodes { subject } } } }`

  it('reads again the data of another subgraph that the caller no longer sees', async () => {
    const member = await platform.member()
    const { id } = await account(member, { name: 'Mine' })
    await supportCase(member, { accountId: id, subject: 'Mine' })
    await supportCase(manager, { accountId: id, subject: 'Theirs' })
    const headers = aKey()
    const first = await member.graphql(update, { id }, headers)
    expect(first.body.data.accountUpdate.cases.totalCount).toBe(2)
    expect((await member.graphql(update, { id }, headers)).body).toEqual(first.body)
    await setVisibility(member, 'OWN')
    const replay = await unchangedExceptResponses(() => member.graphql(update, { id }, headers))
    expect(replay.body).toEqual({
      data: { accountUpdate: { name: 'Mine', parent: null, cases: { totalCount: 1, nodes: [{ subject: 'Mine' }] } } },
    })
  })

  it('is NOT_FOUND when the caller does not see a nested record of the response', async () => {
    const member = await platform.member()
    const parent = await account(manager, { name: 'Theirs' })
    const { id } = await account(member, { parentAccountId: parent.id })
    const headers = aKey()
    expect((await member.graphql(update, { id }, headers)).body.data.accountUpdate.parent).toEqual({ name: 'Theirs' })
    await setVisibility(member, 'OWN')
    const replay = await unchanged(platform, () => member.graphql(update, { id }, headers))
    expect([replay.body.data.accountUpdate, replay.body.errors[0].extensions.code]).toEqual([null, 'NOT_FOUND'])
  })
})

describe('a replay of a GraphQL mutation with computed values', () => {
  it('reads them again for a caller who sees less', async () => {
    const member = await platform.member()
    const deal = await opportunity(member)
    const meeting = {
      type: 'MEETING',
      direction: 'INBOUND',
      outcome: 'COMPLETED',
      subject: 'About the offer',
      opportunityId: deal.id,
    }
    const { body } = await manager.rest.activityCreate!({
      body: { ...meeting, occurredAt: platform.now.toISOString() },
    })
    const update = `mutation($id: ID!) { opportunityUpdate(id: $id, input: { nextStep: "Call" }) { nextStep score { factors { key evidence } } } }`
    const headers = aKey()
    const evidence = async () => {
      const { data } = (await member.graphql(update, { id: deal.id }, headers)).body
      return data.opportunityUpdate.score.factors.find(({ key }: { key: string }) => key === 'RECENCY').evidence
    }
    expect(await evidence()).toEqual([body.id])
    expect(await evidence()).toEqual([body.id])
    await setVisibility(member, 'OWN')
    expect(await evidence()).toEqual([])
  })
})

/** Data that is read again is stored again; nothing else is written. */
async function unchangedExceptResponses(call: () => Promise<Answer>): Promise<Answer> {
  const events = async () => (await platform.query('select count(*)::int as count from kernel.event'))[0]
  const before = await events()
  const answer = await call()
  expect(await events()).toEqual(before)
  return answer
}

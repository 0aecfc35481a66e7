import { describe, expect, it } from 'vitest'
import type { Role } from '../../subgraphs/kernel/context.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { unchanged } from '../expectations.ts'
import { usePlatform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform()

async function organization(count: number) {
  const organizationId = await platform.organization()
  const owner = await platform.member({ organizationId, role: 'OWNER' })
  const signedIn = async (role: Role) => {
    const member = role === 'OWNER' ? owner : await platform.member({ organizationId, role })
    const headers = { Authorization: `Bearer ${await sessionOf(platform, member)}` }
    return { ...member, session: restClient(platform.contract, platform.url, headers) }
  }
  const { session } = await signedIn('OWNER')
  const ids: string[] = []
  for (let index = 0; index < count; index++) ids.push((await platform.member({ organizationId })).userId)
  const setManager = (id: string | undefined, managerId: unknown) =>
    session.userUpdate!({ id: id!, body: { managerId } })
  return { organizationId, owner, signedIn, session, ids, setManager }
}

const problem = ({ status, body }: Answer) => [status, body.errors?.[0]?.path, body.errors?.[0]?.code]

describe('the manager of a user', () => {
  it('is set, shown to everybody, emitted and removed', async () => {
    const { owner, session, ids, setManager } = await organization(3)
    const [boss, ann, bea] = ids as [string, string, string]
    expect((await setManager(ann, boss.toUpperCase())).body).toMatchObject({ id: ann, managerId: boss })
    await setManager(bea, boss)
    expect(
      (await session.userList!({ query: { managerId: boss, sortBy: 'id', sortOrder: 'asc' } })).body,
    ).toMatchObject({ total: 2, data: [{ id: ann }, { id: bea }] })
    const query = `query ($ids: [ID!]) { userLookup(ids: $ids) { data { id managerId manager { id name }
      reports(first: 1) { totalCount nodes { id } pageInfo { hasNextPage endCursor } } } } }`
    const { body } = await owner.graphql(query, { ids: [boss, ann] })
    const page = { hasNextPage: true, endCursor: expect.any(String) }
    const listed = new Map(body.data.userLookup.data.map((user: { id: string }) => [user.id, user]))
    expect(listed.get(boss)).toEqual({
      id: boss,
      managerId: null,
      manager: null,
      reports: { totalCount: 2, nodes: [{ id: ann }], pageInfo: page },
    })
    expect(listed.get(ann)).toMatchObject({ managerId: boss, manager: { id: boss }, reports: { totalCount: 0 } })
    const events = await platform.query(
      "select data -> 'changedFields' as changed from kernel.event where record_id = $1 and type = 'user.updated'",
      [ann],
    )
    expect(events).toEqual([{ changed: expect.arrayContaining(['managerId']) }])
    expect((await setManager(ann, null)).body.managerId).toBe(null)
    expect((await setManager(ann, null)).body.managerId).toBe(null)
    expect(await platform.eventTypesOf(ann)).toEqual(['user.created', 'user.updated', 'user.updated'])
  })

  it('is nobody who reports to the user, also over others', async () => {
    const { ids, setManager } = await organization(4)
    for (const index of [1, 2, 3]) await setManager(ids[index], ids[index - 1])
    for (const [user, manager] of [
      [0, 0],
      [0, 1],
      [0, 3],
      [1, 3],
    ] as const) {
      const answer = await unchanged(platform, () => setManager(ids[user], ids[manager]))
      expect(problem(answer)).toEqual([400, 'managerId', 'CIRCULAR'])
    }
    expect((await setManager(ids[3], ids[0])).status).toBe(200)
  })

  it('forms no cycle when every user of a ring is changed at the same time', async () => {
    const { ids, setManager } = await organization(4)
    const answers = await Promise.all(ids.map((id, index) => setManager(id, ids[(index + 1) % ids.length])))
    const outcomes = answers.map((answer) => (answer.status === 200 ? 200 : problem(answer).join(' ')))
    expect(outcomes.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual([
      200,
      200,
      200,
      '400 managerId CIRCULAR',
    ])
  })

  it('is a user of the organization, active or not', async () => {
    const { organizationId, session, ids, setManager } = await organization(2)
    const stranger = await platform.member()
    const gone = await platform.member({ organizationId })
    await session.userDelete!({ id: gone.userId })
    for (const id of [stranger.userId, gone.userId, newId()]) {
      const answer = await unchanged(platform, () => setManager(ids[0], id))
      expect(problem(answer)).toEqual([400, 'managerId', 'UNKNOWN_REFERENCE'])
    }
    expect(problem(await unchanged(platform, () => setManager(ids[0], 'x')))[0]).toBe(400)
    await session.userDeactivate!({ id: ids[1]! })
    expect((await setManager(ids[0], ids[1])).body.managerId).toBe(ids[1])
    const { body: invited } = await session.userInvite!({ body: { email: `p${newId()}@example.com` } })
    expect((await setManager(ids[0], invited.id)).body.managerId).toBe(invited.id)
  })

  it('who leaves stays the manager, and cannot form a cycle by returning', async () => {
    const { owner, session, ids, setManager } = await organization(2)
    const [boss, ann] = ids as [string, string]
    const top = owner.userId
    await setManager(boss, top)
    await setManager(ann, boss)
    const { email } = (await session.user!({ id: boss })).body
    await session.userDelete!({ id: boss })
    const { body } = await owner.graphql(
      'query ($id: ID!, $top: ID!) { one: userLookup(ids: [$id]) { data { managerId manager { id active } } } top: userLookup(ids: [$top]) { data { reports { nodes { id } } } } }',
      { id: ann, top },
    )
    expect(body.data).toEqual({
      one: { data: [{ managerId: boss, manager: { id: boss, active: false } }] },
      top: { data: [{ reports: { nodes: [] } }] },
    })
    const { body: again } = await session.userInvite!({ body: { email } })
    expect(again).toMatchObject({ id: boss, managerId: null })
    expect(problem(await unchanged(platform, () => setManager(boss, ann)))).toEqual([400, 'managerId', 'CIRCULAR'])
  })

  it('is changed by owners and admins only, and of an owner by owners only', async () => {
    const { signedIn, ids, owner } = await organization(2)
    for (const [role, status] of [
      ['ADMIN', 200],
      ['MANAGER', 403],
      ['MEMBER', 403],
      ['READ_ONLY', 403],
    ] as const) {
      const { session } = await signedIn(role)
      const call = () => session.userUpdate!({ id: ids[0]!, body: { managerId: ids[1] } })
      expect((status === 200 ? await call() : await unchanged(platform, call)).status).toBe(status)
      const ofOwner = () => session.userUpdate!({ id: owner.userId, body: { managerId: ids[1] } })
      expect((await unchanged(platform, ofOwner)).body.code).toBe('PERMISSION_DENIED')
    }
  })
})

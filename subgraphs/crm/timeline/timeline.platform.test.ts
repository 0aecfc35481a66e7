import { beforeAll, describe, expect, it } from 'vitest'
import { account, activity, lead, opportunity, supportCase, task } from '../../../test/builders.ts'
import { refusedInputs } from '../../../test/expectations.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { newId } from '../../kernel/ids.ts'
import { assignProfile, createProfile } from '../../identity/profile/profile.actions.ts'
import { systemContext } from '../../kernel/request.ts'

const platform = usePlatform()
let member: Member
beforeAll(async () => {
  member = await platform.member()
})

const hour = 3_600_000
const hoursAgo = (hours: number) => new Date(platform.now.getTime() - hours * hour).toISOString()
const about = (relatedToId: string) => ({ relatedToType: 'ACCOUNT', relatedToId })

interface Entry {
  readonly kind: string
  readonly recordId: string
  readonly title: string | null
}

const titles = (entries: readonly Entry[]) => entries.map(({ kind, title }) => `${kind} ${title}`)
const page = async (id: string, query: Readonly<Record<string, string | number>> = {}, who = member) =>
  (await who.rest.accountTimeline!({ id, query })).body
const graph = `query ($id: ID!, $first: Int, $after: String, $kinds: [TimelineKind!]) { account(id: $id) { timeline(first: $first, after: $after, kinds: $kinds) {
  edges { cursor node { kind recordId occurredAt title type status actorId actor { id }
    record { __typename ... on Activity { body } ... on Task { priority } ... on Case { caseNumber } } } }
  pageInfo { hasNextPage hasPreviousPage endCursor } } } }`
const connection = async (variables: object, who = member) => {
  const { body } = await who.graphql(graph, variables)
  expect(body.errors).toBe(undefined)
  return body.data.account.timeline
}

/** An account with entries of every kind, one hour after another. */
async function anAccount(): Promise<string> {
  const { id } = await account(member)
  await activity(member, { ...about(id), subject: 'first', body: 'Hello', occurredAt: hoursAgo(9), outcome: 'BUSY' })
  const { id: done } = await task(member, { ...about(id), subject: 'done' })
  platform.advanceClock(hour)
  await supportCase(member, { subject: 'opened', accountId: id })
  platform.advanceClock(hour)
  await task(member, { ...about(id), subject: 'open', priority: 'LOW' })
  platform.advanceClock(hour)
  await member.rest.taskComplete!({ id: done })
  platform.advanceClock(hour)
  await activity(member, { ...about(id), type: 'NOTE', subject: 'last' })
  return id
}
const whole = ['ACTIVITY last', 'TASK done', 'TASK open', 'CASE opened', 'ACTIVITY first']

describe('the timeline of an account', () => {
  it('has its activities, tasks and cases, newest first, with their records in the graph', async () => {
    const id = await anAccount()
    expect(titles((await page(id)).data)).toEqual(whole)
    const { edges } = await connection({ id, first: 10 })
    expect(edges.map(({ node }: { node: { record: unknown } }) => node.record)).toEqual([
      { __typename: 'Activity', body: null },
      { __typename: 'Task', priority: 'MEDIUM' },
      { __typename: 'Task', priority: 'LOW' },
      { __typename: 'Case', caseNumber: 1 },
      { __typename: 'Activity', body: 'Hello' },
    ])
    expect(edges.at(-1).node).toMatchObject({
      kind: 'ACTIVITY',
      type: 'CALL',
      status: 'BUSY',
      actorId: member.userId,
      actor: { id: member.userId },
    })
  })

  it('is the same in pages of any size, in REST and in the graph', async () => {
    const id = await anAccount()
    for (const limit of [1, 2, 4, 5]) {
      const found: Entry[] = []
      for (let cursor: string | null | undefined; cursor !== null;) {
        const { data, nextCursor, hasMore } = await page(id, { limit, ...(cursor && { cursor }) })
        expect(hasMore).toBe(nextCursor !== null)
        found.push(...data)
        cursor = nextCursor
      }
      expect(titles(found)).toEqual(whole)
      const nodes: Entry[] = []
      for (let after: string | null = null, more = true; more;) {
        const { edges, pageInfo } = await connection({ id, first: limit, after })
        nodes.push(...edges.map(({ node }: { node: Entry }) => node))
        after = pageInfo.endCursor
        more = pageInfo.hasNextPage
      }
      expect(titles(nodes)).toEqual(whole)
    }
  })

  it('keeps the order of entries with the same time, and repeats none', async () => {
    const { id } = await account(member)
    const occurredAt = hoursAgo(1)
    for (let index = 0; index < 7; index++) await activity(member, { ...about(id), occurredAt })
    const first = await page(id, { limit: 3 })
    const second = await page(id, { limit: 3, cursor: first.nextCursor })
    const third = await page(id, { limit: 3, cursor: second.nextCursor })
    const ids = [first, second, third].flatMap(({ data }) => data.map(({ recordId }: Entry) => recordId)) as string[]
    expect(ids).toEqual([...new Set(ids)].toSorted().toReversed())
    expect([ids.length, third.hasMore]).toEqual([7, false])
  })

  it('has records of two types with the same id and time on pages of one', async () => {
    const { id } = await account(member)
    const same = newId()
    await activity(member, { ...about(id), id: same, subject: 'activity', occurredAt: platform.now.toISOString() })
    await task(member, { ...about(id), id: same, subject: 'task' })
    const first = await page(id, { limit: 1 })
    const second = await page(id, { limit: 1, cursor: first.nextCursor })
    expect(titles([...first.data, ...second.data]).toSorted()).toEqual(['ACTIVITY activity', 'TASK task'])
    expect(second.hasMore).toBe(false)
  })

  it('has only the kinds that are asked for', async () => {
    const id = await anAccount()
    expect(titles((await page(id, { kinds: 'CASE,TASK' })).data)).toEqual(['TASK done', 'TASK open', 'CASE opened'])
    expect(titles((await connection({ id, kinds: ['CASE'] })).edges.map(({ node }: { node: Entry }) => node))).toEqual([
      'CASE opened',
    ])
  })

  it('leaves out kinds that the key has no scope for, and deleted records', async () => {
    const id = await anAccount()
    const scopes = ['READ_ACCOUNTS', 'READ_TASKS']
    const { organizationId } = member
    expect(titles((await page(id, {}, await platform.member({ organizationId, scopes }))).data)).toEqual([
      'TASK done',
      'TASK open',
    ])
    const { data } = await page(id)
    await member.rest.activityDelete!({ id: data[0].recordId })
    expect(titles((await page(id)).data)).toEqual(whole.slice(1))
  })

  it('has only the records that the caller sees, and none of another organization', async () => {
    const { organizationId } = member
    const other = await platform.member({ organizationId, visibility: 'OWN' })
    const { id } = await account(other)
    await activity(member, { ...about(id), subject: 'theirs' })
    await activity(other, { ...about(id), subject: 'own' })
    await task(member, { ...about(id), subject: 'assigned', assignedToId: other.userId })
    expect(titles((await page(id, {}, other)).data).toSorted()).toEqual(['ACTIVITY own', 'TASK assigned'])
    const stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
    expect((await stranger.rest.accountTimeline!({ id })).status).toBe(404)
  })

  it('has null where the profile hides a field, and does not tell the time of a hidden completion', async () => {
    const id = await anAccount()
    const hiding = await platform.member({ organizationId: member.organizationId })
    const ctx = systemContext(platform.services, member.organizationId)
    const fields = {
      activity: { subject: 'HIDDEN' },
      task: { completedAt: 'HIDDEN', completedById: 'HIDDEN' },
      case: { accountId: 'HIDDEN' },
    } as const
    const profile = await createProfile(ctx, { name: 'Without completions', fields })
    await assignProfile(ctx, hiding.userId, profile.id)
    expect(titles((await page(id, {}, hiding)).data)).toEqual([
      'ACTIVITY null',
      'TASK open',
      'TASK done',
      'ACTIVITY null',
    ])
  })

  it('has a page of its own for each account of a list, in one statement for all', async () => {
    const [one, two] = [await anAccount(), await anAccount()]
    const { body } = await member.graphql(
      'query ($ids: [ID!]) { accountList(filter: { id: { in: $ids } }) { data { id timeline(first: 2) { nodes { title } } } } }',
      { ids: [one, two] },
    )
    for (const { timeline } of body.data.accountList.data)
      expect(timeline.nodes).toEqual([{ title: 'last' }, { title: 'done' }])
  })

  it.each<[string, Readonly<Record<string, string | number>>, string]>([
    ['a limit of 101', { limit: 101 }, 'limit OUT_OF_RANGE'],
    ...[
      ['createdAt-,id-', '2027-01-01T00:00:00.000Z', newId()],
      ['timeline', '2027-01-01T00:00:00.000Z', newId()],
      ['timeline', 'PARROT', '2027-01-01T00:00:00.000Z', newId(), 0],
      ['timeline', 'TASK', '2027-01-01T00:00:00.000Z', newId(), 0, 1],
      ['timeline', 'TASK', '2027-01-01T00:00:00.000Z', newId()],
      ['timeline', 'TASK', '2027-01-01T00:00:00.000Z', newId(), '0'],
      ['timeline', 'TASK', '2027-01-01T00:00:00.000Z', newId(), 0.5],
      ['timeline', 'TASK', '2027-01-01T00:00:00.000Z', newId(), 2_147_483_648],
      ['timeline', 'TASK', '2027-01-01', newId(), 0],
      ['timeline', 'TASK', "'; drop table crm.account; --", newId(), 0],
      ['timeline', 'TASK', '2027-01-01T00:00:00.000Z', 'x', 0],
      { 0: 'timeline', length: 5 },
      null,
    ].map(
      (value) =>
        [
          `the cursor ${JSON.stringify(value)}`,
          { cursor: Buffer.from(JSON.stringify(value)).toString('base64url') },
          'cursor NOT_A_CURSOR',
        ] as [string, Readonly<Record<string, string>>, string],
    ),
    ['text as a cursor', { cursor: '😀' }, 'cursor NOT_A_CURSOR'],
    ['an unknown kind', { kinds: 'PARROT' }, 'kinds.0 NOT_ALLOWED'],
  ])('refuses %s', async (_, query, problem) => {
    const { id } = await account(member)
    expect(await refusedInputs(platform, () => member.rest.accountTimeline!({ id, query }))).toEqual([
      400,
      'VALIDATION_FAILED',
      problem,
    ])
  })
})

describe('the timelines of other records', () => {
  it('have the activities and tasks of a case', async () => {
    const { id } = await supportCase(member)
    const related = { relatedToType: 'CASE', relatedToId: id }
    await activity(member, { ...related, subject: 'called', occurredAt: hoursAgo(1) })
    await task(member, { ...related, subject: 'to do' })
    expect(titles((await member.rest.caseTimeline!({ id })).body.data)).toEqual(['TASK to do', 'ACTIVITY called'])
    const { body } = await member.graphql('query ($id: ID!) { case(id: $id) { timeline { nodes { kind } } } }', { id })
    expect(body.data.case.timeline.nodes).toEqual([{ kind: 'TASK' }, { kind: 'ACTIVITY' }])
  })

  it('have the stages of an opportunity, also in the timeline of its account', async () => {
    const { id: accountId } = await account(member)
    const values = { name: 'Dock scheduling', accountId, amount: 1000, closeDate: '2027-06-30T00:00:00Z' }
    const { body: opportunity } = await member.rest.opportunityCreate!({ body: values })
    platform.advanceClock(hour)
    await member.rest.opportunityUpdate!({ id: opportunity.id, body: { stage: 'PROPOSAL' } })
    const stages = [
      { kind: 'STAGE_CHANGE', title: 'Dock scheduling', status: 'PROPOSAL', actorId: member.userId },
      { kind: 'STAGE_CHANGE', title: 'Dock scheduling', status: 'PROSPECTING', occurredAt: hoursAgo(1) },
    ]
    const { body: own } = await member.rest.opportunityTimeline!({ id: opportunity.id })
    expect(own.data).toMatchObject(stages)
    const first = await page(accountId, { limit: 1 })
    const second = await page(accountId, { limit: 1, cursor: first.nextCursor })
    expect([...first.data, ...second.data]).toMatchObject(stages)
    expect([first.hasMore, second.hasMore]).toEqual([true, false])
  })

  it('have all stages that an opportunity entered at the same time, one on each page', async () => {
    const { id: accountId } = await account(member)
    const { id } = await opportunity(member, { accountId })
    for (const stage of ['QUALIFICATION', 'PROPOSAL']) await member.rest.opportunityUpdate!({ id, body: { stage } })
    const stages: string[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const { data, nextCursor } = await page(accountId, { limit: 1, ...(cursor && { cursor }) })
      stages.push(...data.map(({ status }: { status: string }) => status))
      cursor = nextCursor
    }
    expect(stages).toEqual(['PROPOSAL', 'QUALIFICATION', 'PROSPECTING'])
  })

  it('have the entries of a lead', async () => {
    const { id } = await lead(member)
    await activity(member, { relatedToType: 'LEAD', relatedToId: id, subject: 'called' })
    expect(titles((await member.rest.leadTimeline!({ id })).body.data)).toEqual(['ACTIVITY called'])
    expect((await member.rest.lead!({ id })).body.lastActivityDate).toBe(platform.now.toISOString())
  })

  it('have the entries of a contact', async () => {
    const { body: contact } = await member.rest.contactCreate!({ body: { lastName: 'Halvorsen' } })
    await activity(member, { relatedToType: 'CONTACT', relatedToId: contact.id, subject: 'met' })
    expect(titles((await member.rest.contactTimeline!({ id: contact.id })).body.data)).toEqual(['ACTIVITY met'])
    expect((await member.rest.contact!({ id: contact.id })).body.lastActivityDate).toBe(platform.now.toISOString())
  })
})

describe('the stage changes of an opportunity', () => {
  it('follow it to another account, and leave with it', async () => {
    const [{ id: first }, { id: second }] = [await account(member), await account(member)]
    const { id } = await opportunity(member, { name: 'Dock scheduling', accountId: first })
    const inTimeline = async (accountId: string) =>
      titles((await page(accountId, { kinds: 'STAGE_CHANGE' })).data as Entry[])
    expect([await inTimeline(first), await inTimeline(second)]).toEqual([['STAGE_CHANGE Dock scheduling'], []])
    await member.rest.opportunityUpdate!({ id, body: { accountId: second } })
    expect([await inTimeline(first), await inTimeline(second)]).toEqual([[], ['STAGE_CHANGE Dock scheduling']])
    await member.rest.opportunityDelete!({ id })
    expect(await inTimeline(second)).toEqual([])
    await member.rest.opportunityRestore!({ id })
    expect(await inTimeline(second)).toEqual(['STAGE_CHANGE Dock scheduling'])
  })
})

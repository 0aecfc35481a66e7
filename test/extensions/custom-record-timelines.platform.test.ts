import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, activity, task } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { problemsOf } from './custom-fields.fixture.ts'
import { memberWithout, object, visit, withSiteVisits, type Stored } from './custom-objects.fixture.ts'

const platform = usePlatform()
let owner: Member
let member: Member
let siteVisit: Stored
beforeEach(async () => {
  ;({ owner, member, siteVisit } = await withSiteVisits(platform))
})

const hour = 3_600_000
const hoursAgo = (hours: number) => new Date(platform.now.getTime() - hours * hour).toISOString()
const about = (relatedToId: string, type = 'custom:site_visit') => ({ relatedToType: type, relatedToId })
const timeline = (id: string, query: object = {}, by = member, name = 'site_visit') =>
  by.rest['customRecordTimeline']!({ name, id, query } as never)
const titles = (entries: readonly { kind: string; title: string | null }[]) =>
  entries.map(({ kind, title }) => `${kind} ${title}`)
const shown = async (id: string, query: object = {}, by = member): Promise<string[]> => {
  const { status, body } = await timeline(id, query, by)
  expect(status, JSON.stringify(body)).toBe(200)
  return titles(body.data)
}
const document = `query ($id: ID!, $first: Int) { customRecord(object: "site_visit", id: $id) {
  timeline(first: $first) { nodes { kind title actor { id } record { __typename } } pageInfo { hasNextPage } }
  tasks { nodes { subject } } activities { nodes { subject type } } } }`

/** A visit with a call, a meeting, an open and a completed task, one hour after another. */
async function aVisit(): Promise<string> {
  const { id } = await visit(member, { subject: 'Pump' })
  await activity(member, { ...about(id), subject: 'called', occurredAt: hoursAgo(9) })
  const { id: done } = await task(member, { ...about(id), subject: 'done' })
  platform.advanceClock(hour)
  await task(member, { ...about(id), subject: 'open' })
  platform.advanceClock(hour)
  await member.rest['taskComplete']!({ id: done })
  platform.advanceClock(hour)
  await activity(member, { ...about(id), type: 'MEETING', subject: 'met' })
  return id
}
const whole = ['ACTIVITY met', 'TASK done', 'TASK open', 'ACTIVITY called']

describe('the timeline of a record of a custom object', () => {
  it('has the activities, meetings and tasks that are related to it, newest first, in REST and the graph', async () => {
    const id = await aVisit()
    const { id: other } = await visit(member, { subject: 'Tank' })
    await activity(member, { ...about(other), subject: 'of another' })
    expect(await shown(id)).toEqual(whole)
    expect(await shown(id.toUpperCase())).toEqual(whole)
    const { body } = await member.graphql(document, { id, first: 3 })
    expect(body.errors).toBeUndefined()
    const { timeline: part, tasks, activities } = body.data.customRecord
    expect(titles(part.nodes)).toEqual(whole.slice(0, 3))
    expect(part.nodes[0]).toMatchObject({ actor: { id: member.userId }, record: { __typename: 'Activity' } })
    expect(part.pageInfo).toEqual({ hasNextPage: true })
    expect(tasks).toEqual({ nodes: [{ subject: 'open' }, { subject: 'done' }] })
    expect(activities).toEqual({
      nodes: [
        { subject: 'met', type: 'MEETING' },
        { subject: 'called', type: 'CALL' },
      ],
    })
  })

  it('is the same in pages of any size, and has only the kinds that are asked for', async () => {
    const id = await aVisit()
    for (const limit of [1, 3]) {
      const found: string[] = []
      for (let cursor: string | null | undefined; cursor !== null;) {
        const { data, nextCursor, hasMore } = (await timeline(id, { limit, ...(cursor && { cursor }) })).body
        expect(hasMore).toBe(nextCursor !== null)
        found.push(...titles(data))
        cursor = nextCursor as string | null
      }
      expect(found).toEqual(whole)
    }
    expect(await shown(id, { kinds: 'TASK,CASE' })).toEqual(['TASK done', 'TASK open'])
  })

  it('has entries of the record only, whatever other record has the same id', async () => {
    const { id } = await visit(member, { subject: 'Pump' })
    await account(member, { id })
    await activity(member, { relatedToType: 'ACCOUNT', relatedToId: id, subject: 'of the account' })
    await activity(member, { ...about(id), subject: 'of the visit' })
    expect(await shown(id)).toEqual(['ACTIVITY of the visit'])
    expect(titles((await member.rest['accountTimeline']!({ id })).body.data)).toEqual(['ACTIVITY of the account'])
  })

  it('has the entries that the caller sees and may read, without what the profile hides', async () => {
    const { organizationId } = owner
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const { id } = await visit(own, { subject: 'Pump' })
    await activity(member, { ...about(id), subject: 'theirs' })
    await activity(own, { ...about(id), subject: 'own' })
    await task(member, { ...about(id), subject: 'assigned', assignedToId: own.userId })
    expect((await shown(id, {}, own)).toSorted()).toEqual(['ACTIVITY own', 'TASK assigned'])
    const keyed = await platform.member({ organizationId, scopes: ['READ_CUSTOM_OBJECTS', 'READ_TASKS'] })
    expect(await shown(id, {}, keyed)).toEqual(['TASK assigned'])
    const without = (...names: string[]) => memberWithout(platform, organizationId, { activity: names })
    expect(await shown(id, { kinds: 'ACTIVITY' }, await without('subject'))).toEqual(['ACTIVITY null', 'ACTIVITY null'])
    for (const hidden of ['relatedToId', 'relatedToType'])
      expect(await shown(id, {}, await without(hidden))).toEqual(['TASK assigned'])
  })

  it('is 404 for a record that the caller does not see, of another object or organization, and 403 without its scope', async () => {
    await object(owner, { name: 'ship' })
    const { organizationId } = owner
    const { id } = await visit(member, { subject: 'Pump' })
    const foreign = await withSiteVisits(platform)
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    for (const [by, name, one] of [
      [own, 'site_visit', id],
      [foreign.member, 'site_visit', id],
      [member, 'ship', id],
      [member, 'yard', id],
      [member, 'site_visit', newId()],
    ] as const)
      expect(problemsOf(await timeline(one, {}, by, name))).toBe('404 NOT_FOUND')
    const keyed = await platform.member({ organizationId, scopes: ['READ_ACTIVITIES'] })
    expect((await timeline(id, {}, keyed)).status).toBe(403)
    expect(problemsOf(await timeline(id, { cursor: 'x' }))).toBe('400 VALIDATION_FAILED cursor NOT_A_CURSOR')
    expect((await owner.rest['customRecordDelete']!({ name: 'site_visit', id } as never)).status).toBe(204)
    expect(problemsOf(await timeline(id))).toBe('404 NOT_FOUND')
    expect((await owner.rest['customObjectDelete']!({ id: siteVisit.id })).status).toBe(204)
    expect(problemsOf(await timeline(id))).toBe('404 NOT_FOUND')
  })
})

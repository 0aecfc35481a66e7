import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { activity, task } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { anOrganization, problemsOf } from './custom-fields.fixture.ts'
import { object, visit, type Stored } from './custom-objects.fixture.ts'
import { workflowsOf } from './workflows.fixture.ts'

const platform = usePlatform()
let flows: ReturnType<typeof workflowsOf>
let owner: Member
let member: Member
let siteVisit: Stored

beforeAll(() => {
  flows = workflowsOf(platform)
})
beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
  siteVisit = await object(owner)
})

const relatedToType = 'custom:site_visit'
const about = (relatedToId: string, type = relatedToType) => ({ relatedToType: type, relatedToId })
const creating = (related: object, by = member) =>
  by.rest['taskCreate']!({ body: { subject: 'Call', ...related } } as never)
const unknownId = '400 VALIDATION_FAILED relatedToId UNKNOWN_REFERENCE'
const unknownType = '400 VALIDATION_FAILED relatedToType UNKNOWN_REFERENCE'

describe('a task or an activity', () => {
  it('is related to a record of a custom object, and is listed by it', async () => {
    const [one, two] = [await visit(member, { subject: 'Pump' }), await visit(member, { subject: 'Tank' })]
    const call = await task(member, about(one.id.toUpperCase()))
    const note = await activity(member, about(one.id))
    await task(member, about(two.id))
    const no = { accountId: null, contactId: null, leadId: null, opportunityId: null, caseId: null }
    expect([call, note]).toMatchObject([
      { ...about(one.id), ...no },
      { ...about(one.id), ...no },
    ])
    const listed = async (operation: string) =>
      ((await member.rest[operation]!({ query: { relatedToId: one.id } })).body.data as Stored[]).map(({ id }) => id)
    expect([await listed('taskList'), await listed('activityList')]).toEqual([[call.id], [note.id]])
    const moved = await member.rest['taskUpdate']!({ id: call.id, body: { relatedToId: two.id } } as never)
    expect(moved.body).toMatchObject(about(two.id))
    const { body } = await member.graphql(
      `{ taskList(filter: { relatedToId: { eq: "${two.id}" } }) { total data { relatedToType relatedTo { __typename } } } }`,
    )
    expect(body.data.taskList).toMatchObject({ total: 2, data: [{ relatedTo: null }, { relatedTo: null }] })
  })

  it('names only a live record that the caller sees, of the object that it names', async () => {
    await object(owner, { name: 'ship' })
    const { organizationId } = owner
    const ann = await platform.member({ organizationId, visibility: 'OWN' })
    const { id } = await visit(member, { subject: 'Pump' })
    const own = await visit(ann, { subject: 'Of Ann' })
    const foreign = await anOrganization(platform)
    await object(foreign.owner, { name: 'site_visit' })
    const theirs = await visit(foreign.owner, { subject: 'Theirs' })
    const before = await platform.fingerprint(organizationId)
    expect(problemsOf(await creating(about(id), ann))).toBe(unknownId)
    expect(problemsOf(await creating(about(id, 'custom:ship')))).toBe(unknownId)
    expect(problemsOf(await creating(about(id, 'ACCOUNT')))).toBe(unknownId)
    expect(problemsOf(await creating(about(theirs.id)))).toBe(unknownId)
    expect(problemsOf(await creating(about(id, 'custom:yard')))).toBe(unknownType)
    expect(problemsOf(await creating(about(id, 'custom:Site')))).toBe('400 VALIDATION_FAILED relatedToType NOT_ALLOWED')
    expect(await platform.fingerprint(organizationId)).toBe(before)
    expect((await creating(about(own.id), ann)).status).toBe(201)
    expect((await owner.rest['customRecordDelete']!({ name: 'site_visit', id } as never)).status).toBe(204)
    expect(problemsOf(await creating(about(id)))).toBe(unknownId)
  })

  it('stays as it is when the object is deleted, which nothing new can name', async () => {
    const { id } = await visit(member, { subject: 'Pump' })
    const call = await task(member, about(id))
    expect((await owner.rest['customObjectDelete']!({ id: siteVisit.id })).status).toBe(204)
    expect(problemsOf(await creating(about(id)))).toBe(unknownType)
    const changed = await member.rest['taskUpdate']!({ id: call.id, body: { subject: 'Mail' } } as never)
    expect(changed.body).toMatchObject({ subject: 'Mail', ...about(id) })
  })

  it('is created by a workflow for its record', async () => {
    await flows.activate(owner, {
      triggerType: 'RECORD_CREATED',
      triggerEntity: relatedToType,
      steps: [
        {
          id: 'call',
          name: 'Call',
          type: 'CREATE_TASK',
          config: { subject: 'Call about {{record.name}}' },
          next: null,
        },
      ],
    })
    const { id } = await visit(member, { subject: 'Pump' })
    await flows.react(owner)
    await flows.react(owner)
    const { body } = await owner.rest['taskList']!({ query: { relatedToId: id } })
    expect(body.data).toMatchObject([{ subject: 'Call about Pump', ...about(id) }])
  })
})

import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { account, activity, task } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { anOrganization, problemsOf } from './custom-fields.fixture.ts'
import { memberWithout, object, visit, withSiteVisits, type Stored } from './custom-objects.fixture.ts'
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
  ;({ owner, member, siteVisit } = await withSiteVisits(platform))
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
  })

  it('has the record beside its id, as far as the caller sees it, in GraphQL and REST', async () => {
    await object(owner, { name: 'ship' })
    const { organizationId } = owner
    const { id } = await visit(member, { subject: 'Pump', hours: 2 })
    const ship = await visit(member, { subject: 'Nordlys' }, {}, 'ship')
    const call = await task(member, about(id))
    await task(member, about(ship.id, 'custom:ship'))
    const { id: accountId } = await account(member)
    await task(member, { relatedToType: 'ACCOUNT', relatedToId: accountId })
    const document = `{ taskList(orderBy: [{ field: createdAt, direction: ASC }]) { data {
      relatedTo { __typename } relatedCustomRecord { object name customFields } } } }`
    const related = async (by: Member) => {
      const { body } = await by.graphql(document)
      expect(body.errors).toBeUndefined()
      return body.data.taskList.data as object[]
    }
    const visited = { object: 'site_visit', name: 'Pump', customFields: { subject: 'Pump', hours: 2 } }
    expect(await related(member)).toEqual([
      { relatedTo: null, relatedCustomRecord: visited },
      {
        relatedTo: null,
        relatedCustomRecord: { object: 'ship', name: 'Nordlys', customFields: { subject: 'Nordlys' } },
      },
      { relatedTo: { __typename: 'Account' }, relatedCustomRecord: null },
    ])
    const agent = await memberWithout(platform, organizationId, { [relatedToType]: ['customFields.subject'] })
    expect((await related(agent))[0]).toEqual({
      relatedTo: null,
      relatedCustomRecord: { object: 'site_visit', name: null, customFields: { hours: 2 } },
    })
    const expanded = async (by: Member) =>
      (await by.rest['task']!({ id: call.id, query: { expand: 'relatedCustomRecord' } } as never)).body
    expect((await expanded(member)).relatedCustomRecord).toMatchObject({ id, ...visited })
    const shown = (await expanded(agent)).relatedCustomRecord
    expect([shown.customFields, Object.hasOwn(shown, 'name')]).toEqual([{ hours: 2 }, false])

    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const { id: given } = await task(member, { ...about(id), assignedToId: own.userId })
    const { body } = await own.rest['task']!({ id: given, query: { expand: 'relatedCustomRecord' } } as never)
    expect([body.relatedToId, body.relatedCustomRecord]).toEqual([id, null])
    const keyed = await platform.member({ organizationId, scopes: ['READ_TASKS'] })
    expect((await keyed.graphql(document)).body.errors[0].extensions.missingScopes).toContain('READ_CUSTOM_OBJECTS')
    expect((await keyed.graphql('{ taskList { data { relatedToId } } }')).body.data.taskList.data).toHaveLength(4)
    expect((await owner.rest['customRecordDelete']!({ name: 'site_visit', id } as never)).status).toBe(204)
    expect((await expanded(member)).relatedCustomRecord).toBeNull()
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

describe('node', () => {
  it('is a record of a custom object that the caller sees, with the scope of its type', async () => {
    const { organizationId } = owner
    const { id } = await visit(member, { subject: 'Pump' })
    const document = 'query($id: ID!) { node(id: $id) { __typename id ... on CustomRecord { object name } } }'
    const node = async (by: Member, text = document, one = id) => (await by.graphql(text, { id: one })).body
    const found = { __typename: 'CustomRecord', id, object: 'site_visit', name: 'Pump' }
    expect(await node(member)).toEqual({ data: { node: found } })
    expect(await node(member, document, id.toUpperCase())).toEqual({ data: { node: found } })
    const foreign = await anOrganization(platform)
    await object(foreign.owner)
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    for (const by of [own, foreign.owner]) expect(await node(by)).toEqual({ data: { node: null } })
    const keyed = await platform.member({ organizationId, scopes: ['READ_TASKS'] })
    expect(await node(keyed, 'query($id: ID!) { node(id: $id) { id } }')).toEqual({ data: { node: null } })
    const of = await platform.member({ organizationId, scopes: ['READ_CUSTOM_OBJECTS'] })
    expect(await node(of)).toEqual({ data: { node: found } })
    expect((await owner.rest['customObjectDelete']!({ id: siteVisit.id })).status).toBe(204)
    expect(await node(member)).toEqual({ data: { node: null } })
  })
})

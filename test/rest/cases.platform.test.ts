import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUser, deactivateUser } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, contact, aCase, each, opportunity, supportCase } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs, unchanged, values } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let stranger: Member

beforeAll(async () => {
  member = await platform.member()
  stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
})
afterAll(() => expectValidEvents(platform))

const hour = 3_600_000
const hoursFromNow = (hours: number) => new Date(platform.now.getTime() + hours * hour).toISOString()

describe('caseCreate', () => {
  it('returns the whole case and emits one event', async () => {
    const first = await platform.member({ organizationId: await platform.organization('First') })
    const { status, body, headers } = await first.rest.caseCreate!({ body: { subject: 'Nothing prints' } })

    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organizationId: first.organizationId,
      ownerId: first.userId,
      externalId: null,
      tags: [],
      metadata: null,
      customFields: {},
      version: 1,
      createdAt: platform.now.toISOString(),
      updatedAt: platform.now.toISOString(),
      createdById: first.userId,
      updatedById: first.userId,
      deletedAt: null,
      caseNumber: 1,
      subject: 'Nothing prints',
      description: null,
      status: 'NEW',
      priority: 'MEDIUM',
      type: 'QUESTION',
      origin: 'INTERNAL',
      accountId: null,
      contactId: null,
      opportunityId: null,
      assignedToId: null,
      slaDueAt: hoursFromNow(72),
      firstResponseDueAt: hoursFromNow(8),
      firstResponseAt: null,
      resolvedAt: null,
      closedAt: null,
      escalatedAt: null,
      escalationLevel: 0,
      reopenCount: 0,
      aiSummary: null,
    })
    expect([headers.get('etag'), headers.get('location')]).toEqual(['"1"', `/v1/cases/${body.id}`])
    expect(await platform.eventTypesOf(body.id)).toEqual(['case.created'])
    expect((await first.rest.case!({ id: body.id })).body).toEqual(body)
  })

  it('stores every field unchanged', async () => {
    const given = {
      subject: 'Invoice is wrong',
      description: 'The total is too high.',
      status: 'OPEN',
      priority: 'LOW',
      type: 'BILLING',
      origin: 'PORTAL',
      accountId: (await account(member)).id,
      contactId: (await contact(member)).id,
      opportunityId: (await opportunity(member)).id,
      ownerId: member.userId,
      assignedToId: member.userId,
      slaDueAt: '2027-03-01T00:00:00.000Z',
      externalId: 'zendesk-9',
      tags: ['billing'],
      metadata: { free: ['form', null] },
      customFields: { product: 'Dock planner' },
    }
    const body = await supportCase(member, given)
    expect(body).toMatchObject(given)
    expect((await member.rest.case!({ id: body.id })).body).toEqual(body)
  })

  it.each([
    ['URGENT', 1, 4],
    ['HIGH', 4, 24],
    ['MEDIUM', 8, 72],
    ['LOW', 24, 120],
  ])(
    'sets the due times of priority %s to %d hours for the first response and %d for the resolution',
    async (priority, response, resolution) => {
      expect(await supportCase(member, { priority })).toMatchObject({
        firstResponseDueAt: hoursFromNow(response),
        slaDueAt: hoursFromNow(resolution),
      })
    },
  )

  it.each<[string, object]>([
    ['a subject of 300 letters', { subject: 'x'.repeat(300) }],
    ['a subject of 300 emoji', { subject: '😀'.repeat(300) }],
    ['a description of 20000 letters', { description: 'x'.repeat(20_000) }],
    ['a description of 20000 emoji', { description: '😀'.repeat(20_000) }],
  ])('accepts %s', async (_, given) => {
    const { id } = await supportCase(member, given)
    expect((await member.rest.case!({ id })).body).toMatchObject(given)
  })

  it.each<[string, object, string]>([
    ['no subject', { subject: undefined }, 'subject REQUIRED'],
    ['a subject of 301 letters', { subject: 'x'.repeat(301) }, 'subject TOO_LONG'],
    ['a subject of 301 emoji', { subject: '😀'.repeat(301) }, 'subject TOO_LONG'],
    ['a description of 20001 letters', { description: 'x'.repeat(20_001) }, 'description TOO_LONG'],
    ['a description of 20001 emoji', { description: '😀'.repeat(20_001) }, 'description TOO_LONG'],
    ['a status that does not exist', { status: 'new' }, 'status NOT_ALLOWED'],
    ['a due date that does not exist', { slaDueAt: '2027-02-29T00:00:00Z' }, 'slaDueAt WRONG_FORMAT'],
    ['a name as account id', { accountId: 'Northwind' }, 'accountId WRONG_FORMAT'],
  ])('refuses %s with 400', async (_, given, problem) => {
    const answer = await refusedInputs(platform, () => member.rest.caseCreate!({ body: aCase(given) }))
    expect(answer).toEqual([400, 'VALIDATION_FAILED', problem])
  })

  it.each([
    'caseNumber',
    'firstResponseAt',
    'firstResponseDueAt',
    'resolvedAt',
    'closedAt',
    'escalatedAt',
    'escalationLevel',
    'reopenCount',
    'aiSummary',
    'pausedAt',
    'slaBreachedAt',
    'version',
    'organizationId',
  ])('refuses %s with 400, because it cannot be set', async (name) => {
    expect(await refusedInputs(platform, () => member.rest.caseCreate!({ body: aCase({ [name]: null }) }))).toEqual([
      400,
      'UNKNOWN_FIELD',
      `${name} UNKNOWN_FIELD`,
    ])
  })

  it.each<[string, () => Promise<object>]>([
    ['an account of another organization', async () => ({ accountId: (await account(stranger)).id })],
    ['an account that is a user', async () => ({ accountId: member.userId })],
    ['an owner of another organization', async () => ({ ownerId: stranger.userId })],
    ['an assignee of another organization', async () => ({ assignedToId: stranger.userId })],
    ['a deactivated assignee', async () => ({ assignedToId: await formerUser() })],
    ['a READ_ONLY assignee', async () => ({ assignedToId: await reader() })],
  ])('refuses %s with 400', async (_, values) => {
    const given = await values()
    const [name] = Object.keys(given)
    expect(await refusedInputs(platform, () => member.rest.caseCreate!({ body: aCase(given) }))).toEqual([
      400,
      'VALIDATION_FAILED',
      `${name} UNKNOWN_REFERENCE`,
    ])
    const { id } = await supportCase(member)
    expect(await refusedInputs(platform, () => member.rest.caseUpdate!({ id, body: given }))).toEqual([
      400,
      'VALIDATION_FAILED',
      `${name} UNKNOWN_REFERENCE`,
    ])
  })
})

const reader = async (): Promise<string> => (await platform.member({ role: 'READ_ONLY' })).userId

async function formerUser(): Promise<string> {
  const { userId, organizationId } = await platform.member()
  await deactivateUser(platform.services, organizationId, userId)
  return userId
}

describe('caseList', () => {
  let reader: Member
  let ids: Record<string, string>

  beforeAll(async () => {
    reader = await platform.member({ organizationId: await platform.organization('Lists') })
    const second = await platform.member({ organizationId: reader.organizationId })
    const { id: accountId } = await account(reader)
    ids = { account: accountId, contact: (await contact(reader)).id, second: second.userId }
    await each(
      [
        { subject: 'Alpha', status: 'OPEN', priority: 'URGENT', accountId, customFields: { tier: 'gold' } },
        { subject: 'Beta 50%', type: 'INCIDENT', contactId: ids.contact, description: 'Nothing_prints' },
        { subject: 'gamma', origin: 'EMAIL', ownerId: second.userId, status: 'RESOLVED' },
        { subject: 'Delta', assignedToId: second.userId, accountId, priority: 'LOW' },
      ],
      async (body) => {
        platform.advanceClock(1000)
        return supportCase(reader, body)
      },
    )
    ids.moment = new Date(platform.now.getTime() - 2000).toISOString()
  })

  it.each<[query: string, subjects: string[]]>([
    ['', ['Delta', 'gamma', 'Beta 50%', 'Alpha']],
    ['status=RESOLVED', ['gamma']],
    ['status=OPEN,RESOLVED', ['gamma', 'Alpha']],
    ['status=OPEN, RESOLVED', ['gamma', 'Alpha']],
    ['status=RESOLVED&status=OPEN', ['gamma', 'Alpha']],
    ['status=OPEN,RESOLVED&origin=EMAIL,PHONE', ['gamma']],
    ['status=CLOSED,ESCALATED', []],
    ['priority=URGENT', ['Alpha']],
    ['type=INCIDENT', ['Beta 50%']],
    ['origin=EMAIL', ['gamma']],
    ['accountId=:account', ['Delta', 'Alpha']],
    ['contactId=:contact', ['Beta 50%']],
    ['ownerId=:second', ['gamma']],
    ['assignedToId=:second', ['Delta']],
    ['createdAfter=:moment', ['Delta', 'gamma']],
    ['updatedAfter=:moment', ['Delta', 'gamma']],
    ['customFields[tier]=gold', ['Alpha']],
    ['search=A', ['Alpha']],
    ['search=NO', ['Beta 50%']],
    ['search=AMM', ['gamma']],
    ['search=%25', ['Beta 50%']],
    ['search=g_p', ['Beta 50%']],
    ['search=_prints', ['Beta 50%']],
    ['search=a_p', []],
    ['accountId=:account&priority=LOW', ['Delta']],
    ['sortBy=caseNumber&sortOrder=asc', ['Alpha', 'Beta 50%', 'gamma', 'Delta']],
    ['sortBy=subject&sortOrder=asc', ['Alpha', 'Beta 50%', 'Delta', 'gamma']],
    ['sortBy=slaDueAt&sortOrder=asc', ['Alpha', 'Beta 50%', 'gamma', 'Delta']],
    ['page=2&limit=3', ['Alpha']],
  ])('answers ?%s', async (template, subjects) => {
    const query = template.replaceAll(/:([a-z]+)/g, (text, name: string) => ids[name] ?? text)
    const answer = await reader.rest.caseList!({ query })
    expect(values(answer, 'subject')).toEqual(subjects)
    expect(answer.body.total).toBe(template.startsWith('page') ? 4 : subjects.length)
  })

  it('omits custom fields and totals on request', async () => {
    const { body } = await reader.rest.caseList!({ query: { withCustomFields: false, includeTotal: false } })
    expect(['total' in body, 'totalPages' in body, 'customFields' in body.data[0]]).toEqual([false, false, false])
  })

  it.each<[query: string, path: string, message?: string]>([
    ['status=open', 'status.0', 'status.0 must be one of NEW, OPEN, PENDING_CUSTOMER, ESCALATED, RESOLVED, CLOSED.'],
    ['status=OPEN,WRONG,NEW', 'status.1'],
    ['status=OPEN,', 'status.1'],
    ['status=', 'status', 'status must have 1 to 100 items.'],
    ['priority=HUGE', 'priority.0'],
    ['accountId=1', 'accountId'],
    [`externalId=${'x'.repeat(256)}`, 'externalId', 'externalId must have at most 255 characters.'],
    ['externalId=a&externalId=b', 'externalId', 'externalId must be given only once.'],
    ['sortBy=aiSummary', 'sortBy'],
    ['limit=101', 'limit'],
    ['page=-1', 'page'],
  ])('refuses ?%s with 400', async (query, path, message) => {
    const { status, body } = await reader.rest.caseList!({ query })
    expect([status, body.code, body.errors[0].path]).toEqual([400, 'VALIDATION_FAILED', path])
    if (message) expect(body.errors[0].message).toBe(message)
  })
})

describe('caseUpdate', () => {
  it('changes the named fields, and the event has the previous values', async () => {
    const before = await supportCase(member, { tags: ['a'], customFields: { tier: 'gold', seats: 1 } })
    platform.advanceClock(1000)
    const { status, body } = await member.rest.caseUpdate!({
      id: before.id,
      body: { subject: 'Renamed', tags: [], customFields: { seats: null } },
    })
    const after = {
      ...before,
      subject: 'Renamed',
      tags: [],
      customFields: { tier: 'gold' },
      version: 2,
      updatedAt: platform.now.toISOString(),
    }
    expect([status, body]).toEqual([200, after])
    const [, event] = await platform.eventsOf(before.id)
    expect(event!.data).toEqual({
      object: 'case',
      id: before.id,
      record: after,
      previous: before,
      changedFields: ['tags', 'customFields', 'subject'],
      actorId: member.userId,
    })
  })

  it('emits the same event for an assignment as caseAssign', async () => {
    const { id } = await supportCase(member)
    await member.rest.caseUpdate!({ id, body: { assignedToId: member.userId } })
    expect(await platform.eventTypesOf(id)).toEqual(['case.created', 'case.updated', 'case.assigned'])
  })

  it('refuses another version with 409 and changes nothing', async () => {
    const { id } = await supportCase(member)
    const stale = { id, headers: { 'If-Match': '"2"' } }
    expect(await refused(platform, () => member.rest.caseUpdate!({ ...stale, body: { status: 'CLOSED' } }))).toEqual([
      409,
      'VERSION_CONFLICT',
    ])
    for (const call of [
      () => member.rest.caseSetStatus!({ ...stale, body: { status: 'CLOSED' } }),
      () => member.rest.caseSetStatus!({ ...stale, body: { status: 'NEW' } }),
      () => member.rest.caseAssign!({ ...stale, body: { assignedToId: member.userId } }),
      () => member.rest.caseDelete!(stale),
    ]) {
      expect(await refused(platform, call)).toEqual([409, 'VERSION_CONFLICT'])
    }
  })

  it('accepts the current version, also in verbs', async () => {
    const { id } = await supportCase(member)
    const at = (version: number) => ({ id, headers: { 'If-Match': `"${version}"` } })
    const assigned = await member.rest.caseAssign!({ ...at(1), body: { assignedToId: member.userId } })
    const resolved = await member.rest.caseSetStatus!({ ...at(2), body: { status: 'RESOLVED' } })
    const deleted = await member.rest.caseDelete!(at(3))
    expect(await refused(platform, () => member.rest.caseRestore!(at(3)))).toEqual([409, 'VERSION_CONFLICT'])
    const restored = await member.rest.caseRestore!(at(4))
    expect([assigned, resolved, deleted, restored].map(({ status }) => status)).toEqual([200, 200, 204, 200])
  })
})

describe('caseAssign', () => {
  it('assigns the case, removes the assignee, and emits an event for both', async () => {
    const { id } = await supportCase(member)
    const second = await platform.member()
    const assigned = await member.rest.caseAssign!({ id, body: { assignedToId: second.userId } })
    const taken = await member.rest.caseAssign!({ id, body: { assignedToId: null } })

    expect([assigned.status, assigned.body.assignedToId, assigned.body.version]).toEqual([200, second.userId, 2])
    expect([taken.status, taken.body.assignedToId, taken.body.version]).toEqual([200, null, 3])
    expect(
      (await platform.eventsOf(id)).map(({ type, data }) => [type, data.previousAssignedToId, data.assignedToId]),
    ).toEqual([
      ['case.created', undefined, undefined],
      ['case.updated', undefined, undefined],
      ['case.assigned', null, second.userId],
      ['case.updated', undefined, undefined],
      ['case.assigned', second.userId, null],
    ])
  })

  it.each<[string, (userId: string) => string | null]>([
    ['the current assignee', (userId) => userId],
    ['the current assignee in upper case', (userId) => userId.toUpperCase()],
    ['null, when the case has no assignee', () => null],
  ])('treats %s as no change', async (_, written) => {
    const assignedToId = written(member.userId)
    const { id } = await supportCase(member, { assignedToId })
    const answer = await unchanged(platform, () => member.rest.caseAssign!({ id, body: { assignedToId } }))
    expect([answer.status, answer.body.version]).toEqual([200, 1])
    await member.rest.caseUpdate!({ id, body: { assignedToId, subject: 'Something else' } })
    expect(await platform.eventTypesOf(id)).toEqual(['case.created', 'case.updated'])
  })

  it('emits the id of an assignee in lower case, as it is stored', async () => {
    const { id } = await supportCase(member)
    await member.rest.caseAssign!({ id, body: { assignedToId: member.userId.toUpperCase() } })
    const announced = (await platform.eventsOf(id)).map(({ type, data }) => [type, data.assignedToId])
    expect(announced.at(-1)).toEqual(['case.assigned', member.userId])
  })

  it('refuses invalid assignees and a missing assignee with 400', async () => {
    const { id } = await supportCase(member)
    for (const assignedToId of [stranger.userId, await formerUser(), await reader(), newId()]) {
      expect(await refusedInputs(platform, () => member.rest.caseAssign!({ id, body: { assignedToId } }))).toEqual([
        400,
        'VALIDATION_FAILED',
        'assignedToId UNKNOWN_REFERENCE',
      ])
    }
    expect(await refusedInputs(platform, () => member.rest.caseAssign!({ id, body: {} }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'assignedToId REQUIRED',
    ])
  })
})

describe('caseDelete and caseRestore', () => {
  it('delete and restore a case unchanged, with its comments and number', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Deleted') })
    const before = await supportCase(own)
    await own.rest.caseCommentCreate!({ id: before.id, body: { body: 'Stays', isInternal: true } })
    expect((await own.rest.caseDelete!({ id: before.id })).status).toBe(204)
    expect((await own.rest.case!({ id: before.id })).status).toBe(404)
    expect((await own.rest.caseCommentList!({ id: before.id })).status).toBe(404)
    expect((await own.rest.caseListDeleted!()).body.map(({ id }: { id: string }) => id)).toEqual([before.id])
    for (const call of [
      own.rest.caseSetStatus!({ id: before.id, body: { status: 'OPEN' } }),
      own.rest.caseAssign!({ id: before.id, body: { assignedToId: null } }),
    ]) {
      expect((await call).status).toBe(404)
    }

    const { status, body } = await own.rest.caseRestore!({ id: before.id })
    expect([status, body]).toEqual([200, { ...before, version: 3 }])
    expect((await own.rest.caseCommentList!({ id: before.id })).body.total).toBe(1)
    expect(await platform.eventTypesOf(before.id)).toEqual(['case.created', 'case.deleted', 'case.restored'])
    expect(await refused(platform, () => own.rest.caseRestore!({ id: before.id }))).toEqual([409, 'INVALID_STATE'])
    expect((await supportCase(own)).caseNumber).toBe(before.caseNumber + 1)
  })
})

describe('caseStats', () => {
  it('counts the live cases that the caller sees', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Figures') })
    const make = (body: object) => supportCase(own, body)
    const answered = await make({ priority: 'URGENT', type: 'INCIDENT', origin: 'EMAIL', assignedToId: own.userId })
    const reopened = await make({ status: 'RESOLVED', assignedToId: own.userId })
    const late = await make({ priority: 'URGENT' })
    const waiting = await make({ priority: 'URGENT', status: 'PENDING_CUSTOMER' })
    const onTime = await make({ priority: 'LOW', origin: 'EMAIL' })
    const gone = await make({ priority: 'LOW' })

    platform.advanceClock(0.5 * hour)
    await own.rest.caseCommentCreate!({ id: answered.id, body: { body: 'Hello' } })
    await own.rest.caseSetStatus!({ id: reopened.id, body: { status: 'OPEN' } })
    await own.rest.caseDelete!({ id: gone.id })
    platform.advanceClock(1.5 * hour)
    await own.rest.caseSetStatus!({ id: onTime.id, body: { status: 'RESOLVED' } })
    platform.advanceClock(4 * hour)
    await own.rest.caseSetStatus!({ id: late.id, body: { status: 'CLOSED' } })
    expect((await own.rest.case!({ id: waiting.id })).body.status).toBe('PENDING_CUSTOMER')

    expect((await own.rest.caseStats!()).body).toEqual({
      total: 5,
      byStatus: { NEW: 1, OPEN: 1, PENDING_CUSTOMER: 1, ESCALATED: 0, RESOLVED: 1, CLOSED: 1 },
      byPriority: { LOW: 1, MEDIUM: 1, HIGH: 0, URGENT: 3 },
      byType: { QUESTION: 4, INCIDENT: 1, PROBLEM: 0, FEATURE_REQUEST: 0, BILLING: 0, OTHER: 0 },
      byOrigin: { EMAIL: 2, PHONE: 0, WEB: 0, CHAT: 0, PORTAL: 0, INTERNAL: 3 },
      open: 3,
      overdue: 1,
      unassigned: 1,
      slaBreached: 2,
      averageFirstResponseMinutes: 30,
      averageResolutionHours: 4,
      avgFirstResponseMinutes: 30,
      avgResolutionHours: 4,
      reopenRate: 0.3333,
    })
  })
})

describe('caseAssignees', () => {
  it('returns the active users who may change records, sorted by name, with their open cases', async () => {
    const organizationId = await platform.organization('Team')
    const [ann, admin] = [
      await platform.member({ organizationId }),
      await platform.member({ organizationId, role: 'ADMIN' }),
    ]
    const reader = await platform.member({ organizationId, role: 'READ_ONLY' })
    const former = await platform.member({ organizationId })
    await deactivateUser(platform.services, organizationId, former.userId)
    for (const status of ['NEW', 'PENDING_CUSTOMER', 'RESOLVED', 'CLOSED'])
      await supportCase(ann, { assignedToId: ann.userId, status })

    const { status, body } = await reader.rest.caseAssignees!()
    const user = (one: Member, role: string, openCases: number) => ({
      id: one.userId,
      name: 'Ann Lee',
      email: expect.stringMatching(/@example\.com$/),
      role,
      openCases,
    })
    expect([status, body]).toEqual([200, [user(ann, 'MEMBER', 2), user(admin, 'ADMIN', 0)]])
  })

  it('returns every user in pages and finds users by name', async () => {
    const organizationId = await platform.organization('Large team')
    const first = await platform.member({ organizationId })
    const names = Array.from({ length: 130 }, (_, index) => `User ${String(index).padStart(3, '0')}%`)
    for (const name of names)
      await createUser(platform.services, organizationId, {
        email: `u${newId()}@example.com`,
        name,
        role: 'MEMBER',
        visibility: 'ALL',
      })
    const found = async (query: Readonly<Record<string, string | number>>) => {
      const { status, body } = await first.rest.caseAssignees!({ query })
      return status === 200 ? (body as { name: string }[]).map(({ name }) => name) : [status, body.errors]
    }
    const all = ['Ann Lee', ...names]
    expect(await found({})).toEqual(all.slice(0, 100))
    expect(await found({ page: 2 })).toEqual(all.slice(100))
    expect(await found({ page: 3, limit: 50 })).toEqual(all.slice(100))
    expect(await found({ page: 4, limit: 50 })).toEqual([])
    expect(await found({ search: 'USER 12' })).toEqual(names.slice(120))
    expect(await found({ search: 'le' })).toEqual(['Ann Lee'])
    expect(await found({ search: '5%' })).toEqual(names.filter((name) => name.endsWith('5%')))
    expect(await found({ search: 'x'.repeat(201) })).toMatchObject([400, [{ path: 'search' }]])
    expect((await found({ limit: 101 }))[0]).toBe(400)
  })
})

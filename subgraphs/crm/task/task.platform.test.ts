import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, activity, supportCase, task } from '../../../test/builders.ts'
import { expectValidEvents, refusedInputs, unchanged } from '../../../test/expectations.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { newId } from '../../kernel/ids.ts'

const platform = usePlatform()
let member: Member
beforeAll(async () => {
  member = await platform.member()
})
afterAll(() => expectValidEvents(platform))

const minutesFromNow = (minutes: number) => new Date(platform.now.getTime() + minutes * 60_000).toISOString()
const eventTypes = (id: string) => platform.eventTypesOf(id)

describe('taskCreate', () => {
  it('takes the other records that it concerns from the related record', async () => {
    const { id: accountId } = await account(member)
    const { id: caseId } = await supportCase(member, { accountId })
    expect(await task(member, { relatedToType: 'CASE', relatedToId: caseId.toUpperCase() })).toMatchObject({
      relatedToId: caseId,
      caseId,
      accountId,
      contactId: null,
      status: 'NOT_STARTED',
      isOverdue: false,
      ownerId: member.userId,
    })
  })

  it('keeps the account of a case that its assignee does not see', async () => {
    const assignee = await platform.member({ visibility: 'OWN' })
    const { id: accountId } = await account(member)
    const { id: caseId } = await supportCase(member, { accountId, assignedToId: assignee.userId })
    expect(await task(assignee, { relatedToType: 'CASE', relatedToId: caseId })).toMatchObject({ caseId, accountId })
    const other = await account(member)
    const given = { relatedToType: 'CASE', relatedToId: caseId, accountId: other.id }
    expect(
      await refusedInputs(platform, () => assignee.rest.taskCreate!({ body: { subject: 'Call', ...given } })),
    ).toEqual([400, 'VALIDATION_FAILED', 'accountId UNKNOWN_REFERENCE'])
  })

  it.each<[string, (ids: { accountId: string; foreignId: string }) => object, string]>([
    ['an unknown invoice', () => ({ relatedToType: 'INVOICE', relatedToId: newId() }), 'relatedToId UNKNOWN_REFERENCE'],
    [
      'a custom object',
      () => ({ relatedToType: 'custom:yard', relatedToId: newId() }),
      'relatedToType UNKNOWN_REFERENCE',
    ],
    ['an unknown type', () => ({ relatedToType: 'PARROT', relatedToId: newId() }), 'relatedToType NOT_ALLOWED'],
    [
      'a record that does not exist',
      () => ({ relatedToType: 'ACCOUNT', relatedToId: newId() }),
      'relatedToId UNKNOWN_REFERENCE',
    ],
    [
      'a record of another organization',
      ({ foreignId }) => ({ relatedToType: 'ACCOUNT', relatedToId: foreignId }),
      'relatedToId UNKNOWN_REFERENCE',
    ],
    [
      'a record of another type',
      ({ accountId }) => ({ relatedToType: 'CASE', relatedToId: accountId }),
      'relatedToId UNKNOWN_REFERENCE',
    ],
    ['a type without an id', () => ({ relatedToType: 'ACCOUNT' }), 'relatedToId REQUIRED'],
    ['an id without a type', ({ accountId }) => ({ relatedToId: accountId }), 'relatedToType REQUIRED'],
    [
      'another account than the related one',
      ({ accountId }) => ({ relatedToType: 'ACCOUNT', relatedToId: accountId, accountId: newId() }),
      'accountId NOT_ALLOWED',
    ],
  ])('refuses %s as the related record', async (_, values, problem) => {
    const stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
    const ids = { accountId: (await account(member)).id, foreignId: (await account(stranger)).id }
    const body = { subject: 'Call', ...values(ids) }
    expect((await refusedInputs(platform, () => member.rest.taskCreate!({ body }))).slice(2)).toEqual([problem])
  })

  it('is overdue at once if the due date has passed', async () => {
    expect(await task(member, { dueDate: minutesFromNow(-1) })).toMatchObject({ isOverdue: true })
    expect(await task(member, { dueDate: minutesFromNow(1) })).toMatchObject({ isOverdue: false })
    expect(await task(member, { dueDate: minutesFromNow(-1), status: 'CANCELLED' })).toMatchObject({ isOverdue: false })
  })
})

describe('taskUpdate', () => {
  it('sets and clears the completion with the status, and emits an event for each', async () => {
    const { id } = await task(member, { dueDate: minutesFromNow(-1) })
    const { body: done } = await member.rest.taskUpdate!({ id, body: { status: 'COMPLETED' } })
    expect(done).toMatchObject({
      completedAt: platform.now.toISOString(),
      completedById: member.userId,
      isOverdue: false,
    })
    const { body: again } = await member.rest.taskUpdate!({ id, body: { status: 'WAITING' } })
    expect(again).toMatchObject({ completedAt: null, completedById: null, isOverdue: true })
    expect(await eventTypes(id)).toEqual([
      'task.created',
      'task.updated',
      'task.completed',
      'task.updated',
      'task.reopened',
      'task.overdue',
    ])
  })

  it('derives the links anew when the related record changes', async () => {
    const [first, second] = [await account(member), await account(member)]
    const { id: caseId } = await supportCase(member, { accountId: first.id })
    const { id } = await task(member, { relatedToType: 'CASE', relatedToId: caseId })
    const { body: moved } = await member.rest.taskUpdate!({
      id,
      body: { relatedToType: 'ACCOUNT', relatedToId: second.id },
    })
    expect(moved).toMatchObject({ accountId: second.id, caseId: null })
    const { body: alone } = await member.rest.taskUpdate!({ id, body: { relatedToType: null, relatedToId: null } })
    expect(alone).toMatchObject({ relatedToType: null, relatedToId: null, accountId: null })
  })

  it('emits task.assigned for another assignee only', async () => {
    const other = await platform.member()
    const { id } = await task(member, { assignedToId: other.userId })
    await member.rest.taskUpdate!({ id, body: { assignedToId: other.userId.toUpperCase(), priority: 'LOW' } })
    await member.rest.taskUpdate!({ id, body: { assignedToId: null } })
    expect(await eventTypes(id)).toEqual(['task.created', 'task.updated', 'task.updated', 'task.assigned'])
  })
})

describe('taskComplete and taskReopen', () => {
  it('change the status once, and return a task that is in it already', async () => {
    const { id } = await task(member)
    const complete = () => member.rest.taskComplete!({ id })
    expect((await complete()).body).toMatchObject({ status: 'COMPLETED', completedById: member.userId, version: 2 })
    expect((await unchanged(platform, complete)).body).toMatchObject({ version: 2 })
    const reopen = () => member.rest.taskReopen!({ id })
    expect((await reopen()).body).toMatchObject({ status: 'NOT_STARTED', completedAt: null, version: 3 })
    expect((await unchanged(platform, reopen)).status).toBe(200)
    expect(await eventTypes(id)).toEqual([
      'task.created',
      'task.updated',
      'task.completed',
      'task.updated',
      'task.reopened',
    ])
  })
})

describe('a task that recurs', () => {
  const recurring = (values: object = {}) =>
    task(member, { dueDate: '2027-02-05T10:00:00.000Z', recurrenceRule: 'FREQ=WEEKLY;COUNT=3', ...values })
  const inSeries = async () =>
    platform.query<{ id: string }>(`select id from crm.task where recurrence_rule is not null order by due_date, id`)

  it('has the next task after its completion, with the same owner, assignee and related record', async () => {
    const { id: accountId } = await account(member)
    const assignee = await platform.member({ visibility: 'OWN' })
    const { id } = await recurring({
      relatedToType: 'ACCOUNT',
      relatedToId: accountId,
      assignedToId: assignee.userId,
      reminderAt: '2027-02-05T09:00:00.000Z',
      customFields: { yard: 3 },
    })
    const { body } = await assignee.rest.taskComplete!({ id })
    const { body: next } = await assignee.rest.task!({ id: body.nextTaskId })
    expect(next).toMatchObject({
      subject: 'Call the yard',
      status: 'NOT_STARTED',
      dueDate: '2027-02-12T10:00:00.000Z',
      reminderAt: '2027-02-12T09:00:00.000Z',
      recurrenceRule: 'FREQ=WEEKLY;COUNT=2',
      ownerId: member.userId,
      assignedToId: assignee.userId,
      createdById: assignee.userId,
      accountId,
      customFields: { yard: 3 },
      nextTaskId: null,
      completedAt: null,
    })
    const { body: second } = await assignee.rest.taskComplete!({ id: next.id })
    const { body: third } = await assignee.rest.taskComplete!({ id: second.nextTaskId })
    expect(third).toMatchObject({ dueDate: '2027-02-19T10:00:00.000Z', nextTaskId: null, status: 'COMPLETED' })
  })

  it('has one next task after many completions at once, and after a reopening', async () => {
    const { id } = await recurring({ recurrenceRule: 'FREQ=DAILY' })
    const before = (await inSeries()).length
    const answers = await Promise.all(Array.from({ length: 20 }, () => member.rest.taskComplete!({ id })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.nextTaskId)).size).toBe(1)
    await member.rest.taskReopen!({ id })
    await member.rest.taskComplete!({ id })
    expect((await inSeries()).length).toBe(before + 1)
  })

  it('recurs as well when many tasks are completed in one request', async () => {
    const created = [await recurring(), await recurring()]
    const items = created.map(({ id }) => ({ id, status: 'COMPLETED' }))
    expect((await member.rest.taskBulkUpdate!({ body: { items } })).body).toMatchObject({ failed: 0 })
    for (const { id } of created) {
      const { body } = await member.rest.task!({ id })
      expect((await member.rest.task!({ id: body.nextTaskId })).body).toMatchObject({ status: 'NOT_STARTED' })
    }
  })

  it('leaves out an assignee who left and an account that was deleted', async () => {
    const [{ id: accountId }, assignee] = [await account(member), await platform.member()]
    const { id } = await recurring({
      relatedToType: 'ACCOUNT',
      relatedToId: accountId,
      assignedToId: assignee.userId,
    })
    await member.rest.accountDelete!({ id: accountId })
    await platform.query('update identity.app_user set is_active = false where id = $1', [assignee.userId])
    const { body } = await member.rest.taskComplete!({ id })
    expect((await member.rest.task!({ id: body.nextTaskId })).body).toMatchObject({
      ownerId: member.userId,
      assignedToId: null,
      relatedToId: null,
      accountId: null,
    })
  })

  it.each<[string, object, string]>([
    ['an invalid rule', { recurrenceRule: 'FREQ=SECONDLY' }, 'recurrenceRule NOT_A_RULE'],
    ['a rule without a due date', { dueDate: null }, 'dueDate REQUIRED'],
  ])('is refused with %s', async (_, values, problem) => {
    const body = { subject: 'Call', dueDate: '2027-02-05T10:00:00Z', recurrenceRule: 'FREQ=DAILY', ...values }
    expect(await refusedInputs(platform, () => member.rest.taskCreate!({ body }))).toEqual([
      400,
      'VALIDATION_FAILED',
      problem,
    ])
  })
})

describe('taskBulkUpdate', () => {
  it('follows the same rules as a single change', async () => {
    const { id } = await task(member)
    await member.rest.taskBulkUpdate!({ body: { items: [{ id, status: 'COMPLETED' }] } })
    expect((await member.rest.task!({ id })).body).toMatchObject({ completedById: member.userId })
  })
})

describe('Task.relatedTo', () => {
  const query = `query ($ids: [ID!]) { taskList(filter: { id: { in: $ids } }, orderBy: [{ field: subject, direction: ASC }]) { data { subject
    account { name } case { caseNumber }
    relatedTo { __typename ... on Account { name } ... on Case { subject account { name } } ... on Contact { lastName } } } } }`

  it('is the record of whichever type, with the fields of that type', async () => {
    const { id: accountId } = await account(member)
    const { id: caseId } = await supportCase(member, { accountId })
    const { body: contact } = await member.rest.contactCreate!({ body: { lastName: 'Halvorsen' } })
    const created = [
      await task(member, { subject: '1', relatedToType: 'ACCOUNT', relatedToId: accountId }),
      await task(member, { subject: '2', relatedToType: 'CASE', relatedToId: caseId }),
      await task(member, { subject: '3', relatedToType: 'CONTACT', relatedToId: contact.id }),
      await task(member, { subject: '4' }),
    ]
    const { body } = await member.graphql(query, { ids: created.map(({ id }) => id as string) })
    const northwind = { name: 'Northwind Traders' }
    expect(body).toEqual({
      data: {
        taskList: {
          data: [
            { subject: '1', account: northwind, case: null, relatedTo: { __typename: 'Account', ...northwind } },
            {
              subject: '2',
              account: northwind,
              case: { caseNumber: expect.any(Number) },
              relatedTo: { __typename: 'Case', subject: 'Labels print without a barcode', account: northwind },
            },
            { subject: '3', account: null, case: null, relatedTo: { __typename: 'Contact', lastName: 'Halvorsen' } },
            { subject: '4', account: null, case: null, relatedTo: null },
          ],
        },
      },
    })
  })

  it('needs the scopes of all types of the union', async () => {
    const { organizationId } = member
    const scopes = ['TASKS', 'ACCOUNTS', 'CONTACTS', 'LEADS', 'OPPORTUNITIES', 'CASES', 'QUOTES', 'ORDERS'].map(
      (resource) => `READ_${resource}`,
    )
    const ask = async (held: string[]) => {
      const reader = await platform.member({ organizationId, scopes: held })
      const { body } = await reader.graphql('{ taskList { data { relatedTo { ... on Case { id } } } } }')
      return (body.errors as { extensions: { code: string } }[] | undefined)?.[0]?.extensions.code
    }
    expect(await ask(scopes)).toBe(undefined)
    expect(await ask(scopes.slice(0, -1))).toBe('API_KEY_SCOPE_INSUFFICIENT')
  })

  it('is null for a record that the caller does not see', async () => {
    const assignee = await platform.member({ visibility: 'OWN' })
    const { id: caseId } = await supportCase(member)
    const { id } = await task(member, { relatedToType: 'CASE', relatedToId: caseId, assignedToId: assignee.userId })
    const { body } = await assignee.graphql(query, { ids: [id] })
    expect(body.data.taskList.data).toMatchObject([{ relatedTo: null, case: null }])
  })
})

describe('Account.tasks and Account.activities', () => {
  it('are the lists of the account', async () => {
    const { id } = await account(member)
    await task(member, { subject: 'to do', relatedToType: 'ACCOUNT', relatedToId: id })
    await activity(member, { subject: 'done', relatedToType: 'ACCOUNT', relatedToId: id })
    const { body } = await member.graphql(
      'query ($id: ID!) { account(id: $id) { tasks { totalCount nodes { subject status } } activities { totalCount nodes { subject direction account { id } } } } }',
      { id },
    )
    expect(body.data.account).toEqual({
      tasks: { totalCount: 1, nodes: [{ subject: 'to do', status: 'NOT_STARTED' }] },
      activities: { totalCount: 1, nodes: [{ subject: 'done', direction: null, account: { id } }] },
    })
  })
})

describe('the visibility of a task', () => {
  it('includes its assignee', async () => {
    const assignee = await platform.member({ visibility: 'OWN' })
    const { id } = await task(member, { assignedToId: assignee.userId })
    const { id: hidden } = await task(member)
    expect((await assignee.rest.task!({ id })).status).toBe(200)
    expect((await assignee.rest.task!({ id: hidden })).status).toBe(404)
  })
})

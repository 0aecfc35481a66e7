import { beforeAll, describe, expect, it } from 'vitest'
import { account, activity, each, task } from '../../../test/builders.ts'
import { unchanged } from '../../../test/expectations.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { activityBegin } from './activity-begin.job.ts'

const platform = usePlatform()
let member: Member
beforeAll(async () => {
  member = await platform.member()
})

const day = 86_400_000
const daysFromNow = (days: number) => new Date(platform.now.getTime() + days * day).toISOString()
const about = (relatedToId: string) => ({ relatedToType: 'ACCOUNT', relatedToId })

async function dates(id: string) {
  const { body } = await member.rest.account!({ id })
  return [body.lastActivityDate, body.nextActivityDate]
}

describe('the activity dates of an account', () => {
  it('are those of its newest activity and of its next open task', async () => {
    const { id } = await account(member)
    await activity(member, { ...about(id), occurredAt: daysFromNow(-2) })
    await activity(member, { ...about(id), occurredAt: daysFromNow(-5) })
    await task(member, { ...about(id), dueDate: daysFromNow(9) })
    await task(member, { ...about(id), dueDate: daysFromNow(3), status: 'CANCELLED' })
    expect(await dates(id)).toEqual([daysFromNow(-2), daysFromNow(9)])
    await task(member, { ...about(id), dueDate: daysFromNow(-1) })
    expect(await dates(id)).toEqual([daysFromNow(-2), daysFromNow(-1)])
  })

  it('change with a completed, reopened, deleted, restored and moved entry', async () => {
    const [{ id }, { id: other }] = [await account(member), await account(member)]
    const { id: activityId } = await activity(member, { ...about(id), occurredAt: daysFromNow(-2) })
    const { id: taskId } = await task(member, { ...about(id), dueDate: daysFromNow(1) })
    await member.rest.taskUpdate!({ id: taskId, body: { status: 'COMPLETED' } })
    expect(await dates(id)).toEqual([daysFromNow(0), null])
    await member.rest.taskUpdate!({ id: taskId, body: { status: 'IN_PROGRESS' } })
    expect(await dates(id)).toEqual([daysFromNow(-2), daysFromNow(1)])
    await member.rest.activityDelete!({ id: activityId })
    await member.rest.taskDelete!({ id: taskId })
    expect(await dates(id)).toEqual([null, null])
    await member.rest.activityRestore!({ id: activityId })
    await member.rest.taskRestore!({ id: taskId })
    expect(await dates(id)).toEqual([daysFromNow(-2), daysFromNow(1)])
    await member.rest.activityUpdate!({ id: activityId, body: about(other) })
    await member.rest.taskUpdate!({ id: taskId, body: about(other) })
    expect([await dates(id), await dates(other)]).toEqual([
      [null, null],
      [daysFromNow(-2), daysFromNow(1)],
    ])
  })

  it('have the begin of a planned meeting as the next date, and as the last one once it has begun', async () => {
    const { id } = await account(member)
    const begin = daysFromNow(1)
    await activity(member, { ...about(id), type: 'MEETING', occurredAt: begin })
    expect(await dates(id)).toEqual([null, begin])
    platform.advanceClock(day)
    await activityBegin.run(platform.services)
    expect(await dates(id)).toEqual([begin, null])
  })

  it('change without a new version and without an event of the account', async () => {
    const { id } = await account(member)
    await activity(member, about(id))
    expect((await member.rest.account!({ id })).body).toMatchObject({
      version: 1,
      updatedAt: platform.now.toISOString(),
      lastActivityDate: platform.now.toISOString(),
    })
    expect(await platform.eventTypesOf(id)).toEqual(['account.created'])
  })

  it('are part of the ETag, which If-Match compares by the version only', async () => {
    const { id } = await account(member)
    const before = (await member.rest.account!({ id })).headers.get('etag')!
    await activity(member, about(id))
    const read = await member.rest.account!({ id, headers: { 'If-None-Match': before } })
    const etag = read.headers.get('etag')!
    expect([before, read.status, etag.startsWith('"1-')]).toEqual(['"1"', 200, true])
    expect((await member.rest.account!({ id, headers: { 'If-None-Match': etag } })).status).toBe(304)
    const change = (tag: string, name: string) =>
      member.rest.accountUpdate!({ id, body: { name }, headers: { 'If-Match': tag } })
    expect((await change(before, 'Edited during the call')).status).toBe(200)
    expect((await change(etag, 'Edited again')).body).toMatchObject({ code: 'VERSION_CONFLICT', currentVersion: 2 })
  })

  it('stay when the change is refused', async () => {
    const { id } = await account(member)
    await member.rest.activityCreate!({ body: { type: 'CALL', ...about(id), endedAt: daysFromNow(-9) } })
    expect(await dates(id)).toEqual([null, null])
  })

  it('and the activity are written together, or neither', async () => {
    const { id } = await account(member)
    await platform.query("create function refused() returns trigger language plpgsql as $$ begin raise 'ended'; end $$")
    await platform.query(
      `create trigger refused before update on crm.account for each row when (new.id = '${id}') execute function refused()`,
    )
    const answer = await unchanged(platform, () =>
      member.rest.activityCreate!({ body: { type: 'CALL', ...about(id) } }),
    )
    expect(answer.status).toBe(500)
    await platform.query('drop function refused cascade')
    await activity(member, about(id))
    expect(await dates(id)).toEqual([daysFromNow(0), null])
  })

  it('are right after many changes at once, which do not wait for each other forever', async () => {
    const accounts = await each(
      Array.from({ length: 4 }, (_, index) => index),
      () => account(member),
    )
    const ids = accounts.map(({ id }) => id as string)
    const created = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        activity(member, { ...about(ids[index % 4]!), occurredAt: daysFromNow(-1 - ((index * 7) % 32)) }),
      ),
    )
    // Each request changes entries of all accounts, in another order than the others.
    const answers = await Promise.all(
      [0, 1, 2, 3].map((shift) => {
        const own = created.slice(shift * 8, shift * 8 + 8)
        return member.rest.activityBulkUpdate!({
          body: { items: own.map(({ id }, index) => ({ id, ...about(ids[(index + shift) % 4]!) })) },
        })
      }),
    )
    expect(answers.map(({ status, body }) => [status, body.failed])).toEqual(answers.map(() => [200, 0]))
    await Promise.all(created.slice(0, 16).map(({ id }) => member.rest.activityDelete!({ id: id as string })))
    const expected = await platform.query<{ id: string; last: string }>(
      'select account_id as id, max(occurred_at) as last from crm.activity where account_id = any($1) and deleted_at is null group by 1',
      [ids],
    )
    expect(expected).toHaveLength(4)
    for (const { id, last } of expected) expect(await dates(id)).toEqual([last, null])
  })
})

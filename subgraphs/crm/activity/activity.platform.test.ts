import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, activity } from '../../../test/builders.ts'
import { expectValidEvents, refusedInputs } from '../../../test/expectations.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { newId } from '../../kernel/ids.ts'

const platform = usePlatform()
let member: Member
beforeAll(async () => {
  member = await platform.member()
})
afterAll(() => expectValidEvents(platform))

const secondsFromNow = (seconds: number) => new Date(platform.now.getTime() + seconds * 1000).toISOString()
const day = 86_400

describe('activityCreate', () => {
  it('happened now and by the caller unless the input says otherwise', async () => {
    const { id: accountId } = await account(member)
    expect(await activity(member, { relatedToType: 'ACCOUNT', relatedToId: accountId })).toMatchObject({
      type: 'CALL',
      occurredAt: platform.now.toISOString(),
      actorId: member.userId,
      ownerId: member.userId,
      accountId,
      durationSeconds: null,
      participants: [],
      isAutomated: false,
    })
  })

  it('computes the duration from the end, unless it is given', async () => {
    const times = { occurredAt: secondsFromNow(-600), endedAt: secondsFromNow(-60) }
    expect(await activity(member, times)).toMatchObject({ durationSeconds: 540 })
    expect(await activity(member, { ...times, durationSeconds: 500 })).toMatchObject({ durationSeconds: 500 })
  })

  it('accepts a meeting up to two years ahead, and nothing else later than five minutes', async () => {
    await activity(member, { occurredAt: secondsFromNow(300) })
    await activity(member, { type: 'MEETING', occurredAt: secondsFromNow(731 * day) })
    for (const values of [
      { occurredAt: secondsFromNow(301) },
      { type: 'MEETING', occurredAt: secondsFromNow(731 * day + 1) },
    ])
      expect(
        await refusedInputs(platform, () => member.rest.activityCreate!({ body: { type: 'CALL', ...values } })),
      ).toEqual([400, 'VALIDATION_FAILED', 'occurredAt OUT_OF_RANGE'])
  })

  it('accepts an actor who has left, and keeps participants as they were sent', async () => {
    const left = await platform.member()
    await platform.query('update identity.app_user set is_active = false where id = $1', [left.userId])
    const participants = [
      { type: 'USER', id: left.userId, email: null, role: 'caller' },
      { type: 'EMAIL', id: null, email: 'Ida@Halvorsen.example', role: null },
    ]
    expect(await activity(member, { actorId: left.userId, participants })).toMatchObject({
      actorId: left.userId,
      participants,
    })
  })

  it.each<[string, object, string]>([
    ['an end before the begin', { endedAt: '2020-01-01T00:00:00Z' }, 'endedAt OUT_OF_RANGE'],
    [
      'a user who does not exist',
      { participants: [{ type: 'USER', id: newId() }] },
      'participants.0.id UNKNOWN_REFERENCE',
    ],
    ['a user without an id', { participants: [{ type: 'USER', email: 'a@b.example' }] }, 'participants.0.id REQUIRED'],
    ['an address that is missing', { participants: [{ type: 'EMAIL' }] }, 'participants.0.email REQUIRED'],
    [
      'an address with an id',
      { participants: [{ type: 'EMAIL', id: newId(), email: 'a@b.example' }] },
      'participants.0.id NOT_ALLOWED',
    ],
  ])('refuses %s', async (_, values, problem) => {
    expect(
      await refusedInputs(platform, () => member.rest.activityCreate!({ body: { type: 'CALL', ...values } })),
    ).toEqual([400, 'VALIDATION_FAILED', problem])
  })
})

describe('activityUpdate', () => {
  it('changes labels and where it is filed, and refuses facts', async () => {
    const { id } = await activity(member)
    expect((await member.rest.activityUpdate!({ id, body: { tags: ['won back'] } })).body).toMatchObject({
      tags: ['won back'],
      version: 2,
    })
    const { id: accountId } = await account(member)
    const filed = { relatedToType: 'ACCOUNT', relatedToId: accountId }
    expect((await member.rest.activityUpdate!({ id, body: filed })).body).toMatchObject({ accountId, version: 3 })
    for (const fact of [{ subject: 'Other' }, { occurredAt: secondsFromNow(-1) }])
      expect(
        (await refusedInputs(platform, () => member.rest.activityUpdate!({ id, body: fact }))).slice(0, 2),
      ).toEqual([400, 'VALIDATION_FAILED'])
  })
})

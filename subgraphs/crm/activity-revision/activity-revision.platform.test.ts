import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { activity } from '../../../test/builders.ts'
import { expectValidEvents, refused, refusedInputs, values } from '../../../test/expectations.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { assignProfile, createProfile } from '../../identity/profile/profile.actions.ts'
import { newId } from '../../kernel/ids.ts'
import { systemContext } from '../../kernel/request.ts'

const platform = usePlatform()
let organizationId: string
let member: Member

beforeEach(async () => {
  organizationId = await platform.organization()
  member = await platform.member({ organizationId, visibility: 'OWN' })
})
afterAll(() => expectValidEvents(platform))

const note = async (): Promise<string> => {
  const { id } = await activity(member, { type: 'NOTE', subject: 'Renewal', body: 'They want 14 seats.' })
  return id as string
}
const correct = (id: string, body: object, by = member) => by.rest.activityCorrect!({ id, body })
const revisionsOf = async (id: string, by = member) =>
  (await by.rest.activityRevisionList!({ id })).body.data as Record<string, unknown>[]
let profiles = 0
const restricted = async (fields: object): Promise<Member> => {
  const other = await platform.member({ organizationId })
  const ctx = systemContext(platform.services, organizationId)
  const { id } = await createProfile(ctx, { name: `Profile ${++profiles}`, fields })
  await assignProfile(ctx, other.userId, id)
  return other
}

describe('activityCorrect', () => {
  it('changes the wording and keeps the former one, with who corrected it and when', async () => {
    const id = await note()
    platform.advanceClock(60_000)
    const correctedAt = platform.now.toISOString()
    const boss = await platform.member({ organizationId })
    const first = await correct(id, { body: 'They want 40 seats.' }, boss)
    expect([first.status, first.body]).toEqual([
      200,
      expect.objectContaining({ subject: 'Renewal', body: 'They want 40 seats.', version: 2, correctedAt }),
    ])
    platform.advanceClock(60_000)
    await correct(id, { subject: null })

    expect(await revisionsOf(id)).toEqual([
      expect.objectContaining({ activityVersion: 2, subject: 'Renewal', body: 'They want 40 seats.' }),
      {
        id: expect.any(String),
        activityId: id,
        activityVersion: 1,
        subject: 'Renewal',
        body: 'They want 14 seats.',
        correctedById: boss.userId,
        createdAt: correctedAt,
      },
    ])
    expect(await platform.eventTypesOf(id)).toEqual(['activity.created', 'activity.corrected', 'activity.corrected'])
    expect((await platform.eventsOf(id))[1]!.data).toMatchObject({
      changedFields: ['body', 'correctedAt'],
      actorId: boss.userId,
      previous: { body: 'They want 14 seats.' },
    })
    const { body } = await member.graphql(
      'query ($id: ID!) { activity(id: $id) { revisions(first: 1) { totalCount nodes { body activity { body } } } } }',
      { id },
    )
    expect(body.data.activity.revisions).toEqual({
      totalCount: 2,
      nodes: [{ body: 'They want 40 seats.', activity: { body: 'They want 40 seats.' } }],
    })
  })

  it.each([{}, { subject: 'Renewal' }, { body: 'They want 14 seats.', subject: 'Renewal' }])(
    'changes nothing by the same wording: %j',
    async (wording) => {
      const id = await note()
      expect((await correct(id, wording)).body).toMatchObject({ version: 1, correctedAt: null })
      expect(await revisionsOf(id)).toEqual([])
      expect(await platform.eventTypesOf(id)).toEqual(['activity.created'])
    },
  )

  it('keeps every wording when corrections come at the same time', async () => {
    const id = await note()
    const wordings = ['A', 'B', 'C', 'D']
    const answers = await Promise.all(wordings.map((body) => correct(id, { body })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const current = (await member.rest.activity!({ id })).body
    const former = await revisionsOf(id)
    expect(new Set(former.map(({ activityVersion }) => activityVersion))).toEqual(new Set([1, 2, 3, 4]))
    const kept = [current.body, ...former.map(({ body }) => body)]
    expect(new Set(kept)).toEqual(new Set([...wordings, 'They want 14 seats.']))
  })

  it('refuses the version of another correction with 409, a text that is too long with 400', async () => {
    const id = await note()
    await correct(id, { body: 'They want 40 seats.' })
    const outdated = () => member.rest.activityCorrect!({ id, body: { body: 'x' }, headers: { 'If-Match': '"1"' } })
    expect(await refused(platform, outdated)).toEqual([409, 'VERSION_CONFLICT'])
    expect(await refusedInputs(platform, () => correct(id, { subject: 'x'.repeat(256) }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'subject TOO_LONG',
    ])
  })

  it('refuses those who do not see the activity with 404, and those who may not change it with 403', async () => {
    const id = await note()
    const others = [await platform.member({ organizationId, visibility: 'OWN' }), await platform.member()]
    for (const other of others) {
      expect(await refused(platform, () => correct(id, { body: 'x' }, other))).toEqual([404, 'NOT_FOUND'])
      expect((await other.rest.activityRevisionList!({ id })).status).toBe(404)
    }
    const reader = await platform.member({ organizationId, role: 'READ_ONLY' })
    expect(await refused(platform, () => correct(id, { body: 'x' }, reader))).toEqual([403, 'PERMISSION_DENIED'])
    const bound = await restricted({ activity: { body: 'READ' } })
    expect(await refused(platform, () => correct(id, { body: 'x' }, bound))).toEqual([403, 'FIELD_NOT_WRITABLE'])
    expect((await correct(id, { subject: 'Renewal of the licences' }, bound)).status).toBe(200)
    expect(await refused(platform, () => correct(newId(), { body: 'x' }))).toEqual([404, 'NOT_FOUND'])
  })
})

describe('activityRevisionList', () => {
  it('hides what the profile hides of activities', async () => {
    const id = await note()
    const blind = await restricted({ activity: { body: 'HIDDEN' } })
    expect((await correct(id, { subject: 'Renewal of the licences' }, blind)).body).not.toHaveProperty('body')
    await correct(id, { body: 'They want 40 seats.' })
    expect((await revisionsOf(id)).map(({ body }) => body)).toEqual(['They want 14 seats.', 'They want 14 seats.'])
    expect((await revisionsOf(id, blind)).map(({ subject, body }) => [subject, body])).toEqual([
      ['Renewal of the licences', undefined],
      ['Renewal', undefined],
    ])
    const filter = 'revisions(filter: { body: { contains: "14" } }) { nodes { id } }'
    const { body } = await blind.graphql(`query ($id: ID!) { activity(id: $id) { ${filter} } }`, { id })
    expect(body.errors[0].extensions.code).toBe('FIELD_NOT_READABLE')
  })

  it('is read in pages, and is gone with the activity until it is restored', async () => {
    const id = await note()
    for (const body of ['A', 'B', 'C']) {
      platform.advanceClock(1_000)
      await correct(id, { body })
    }
    const first = await member.rest.activityRevisionList!({ id, query: { limit: 2 } })
    expect([values(first, 'body'), first.body.hasMore, first.body.total]).toEqual([['B', 'A'], true, 3])
    const next = await member.rest.activityRevisionList!({ id, query: { limit: 2, cursor: first.body.nextCursor } })
    expect([values(next, 'body'), next.body.hasMore]).toEqual([['They want 14 seats.'], false])
    await member.rest.activityDelete!({ id })
    expect((await member.rest.activityRevisionList!({ id })).status).toBe(404)
    await member.rest.activityRestore!({ id })
    expect(await revisionsOf(id)).toHaveLength(3)
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aLead, each, lead } from '../../../test/builders.ts'
import { expectValidEvents, refused, refusedInputs, unchanged } from '../../../test/expectations.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { automaticRating, leadStates } from './lead.rules.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member()
})
afterAll(() => expectValidEvents(platform))

const patch = (id: string, body: object) => member.rest.leadUpdate!({ id, body })

describe('leadCreate', () => {
  it('returns the whole lead and emits one event', async () => {
    const body = await lead(member, { company: 'Nordkaj', leadScore: 70, customFields: { tier: 'gold' } })
    expect(body).toMatchObject({
      name: 'Jonas Lindqvist',
      status: 'NEW',
      leadSource: 'OTHER',
      rating: 'HOT',
      ratingOverridden: false,
      leadScore: 70,
      convertedAccountId: null,
      convertedContactId: null,
      convertedOpportunityId: null,
      firstResponseAt: null,
      ownerId: member.userId,
    })
    expect(await platform.eventTypesOf(body.id)).toEqual(['lead.created'])
    expect((await member.rest.lead!({ id: body.id })).body).toEqual(body)
    const [event] = await platform.eventsOf(body.id)
    expect(event!.data.record).toEqual(body)
  })

  it('refuses a text that is no email', async () => {
    const create = () => member.rest.leadCreate!({ body: aLead({ email: 'jonas' }) })
    expect(await refusedInputs(platform, create)).toEqual([400, 'VALIDATION_FAILED', 'email NOT_AN_EMAIL'])
  })

  it('refuses CONVERTED', async () => {
    const create = () => member.rest.leadCreate!({ body: aLead({ status: 'CONVERTED' }) })
    expect(await refused(platform, create)).toEqual([409, 'INVALID_STATE'])
  })
})

describe('status', () => {
  const statuses = ['NEW', 'CONTACTED', 'QUALIFIED', 'NURTURING', 'UNQUALIFIED', 'CONVERTED']
  const moves = statuses.slice(0, 5).flatMap((from) => statuses.map((to) => [from, to]))
  const isAllowed = ([from, to]: string[]) =>
    from === to || (to !== 'CONVERTED' && (from !== 'UNQUALIFIED' || to === 'NEW'))

  it.each(moves.filter(isAllowed))('goes from %s to %s', async (from, to) => {
    const { id } = await lead(member, { status: from })
    expect((await patch(id, { status: to })).body.status).toBe(to)
  })

  it.each(moves.filter((move) => !isAllowed(move)))('does not go from %s to %s', async (from, to) => {
    const { id } = await lead(member, { status: from })
    const { status, body } = await unchanged(platform, () => patch(id, { status: to }))
    expect([status, body.code, body.allowed]).toEqual([
      409,
      'INVALID_STATE',
      Object.keys(leadStates.transitions[from as 'NEW']),
    ])
  })

  it('records the first response, and a move back to NEW clears the reason', async () => {
    const { id } = await lead(member)
    const answered = platform.now.toISOString()
    expect((await patch(id, { status: 'CONTACTED' })).body.firstResponseAt).toBe(answered)
    platform.advanceClock(60_000)
    const { body } = await patch(id, { status: 'UNQUALIFIED', unqualifiedReason: 'No budget' })
    expect([body.firstResponseAt, body.unqualifiedReason]).toEqual([answered, 'No budget'])
    expect((await patch(id, { status: 'NEW' })).body.unqualifiedReason).toBeNull()
  })

  it('is checked in a bulk update', async () => {
    const [one, other] = await each(['NEW', 'UNQUALIFIED'], (status) => lead(member, { status }))
    const items = [one.id, other.id].map((id: string) => ({ id, status: 'QUALIFIED' }))
    const { body } = await member.rest.leadBulkUpdate!({ body: { items } })
    expect(body.results.map(({ status, code }: Record<string, string>) => [status, code])).toEqual([
      ['UPDATED', null],
      ['FAILED', 'INVALID_STATE'],
    ])
  })
})

describe('rating', () => {
  it.each([
    [100, 'HOT'],
    [70, 'HOT'],
    [69, 'WARM'],
    [40, 'WARM'],
    [39, 'COLD'],
    [0, 'COLD'],
    [null, null],
  ])('is automatic for the score %s: %s', (score, rating) => {
    expect(automaticRating(score)).toBe(rating)
  })

  it('follows the score until a client sets it, and again after null', async () => {
    const { id } = await lead(member, { leadScore: 20 })
    const rated = async (body: object) => {
      const answer = await patch(id, body)
      return [answer.body.rating, answer.body.ratingOverridden]
    }
    expect(await rated({ leadScore: 45 })).toEqual(['WARM', false])
    expect(await rated({ rating: 'COLD' })).toEqual(['COLD', true])
    expect(await rated({ leadScore: 90 })).toEqual(['COLD', true])
    expect(await rated({ rating: null })).toEqual(['HOT', false])
    expect(await rated({ leadScore: null })).toEqual([null, false])
  })
})

describe('ownerId', () => {
  it('emits lead.assigned when it changes', async () => {
    const other = await platform.member()
    const { id } = await lead(member)
    await patch(id, { ownerId: other.userId.toUpperCase() })
    await patch(id, { ownerId: other.userId })
    const events = await platform.eventsOf(id)
    expect(events.map(({ type }) => type)).toEqual(['lead.created', 'lead.updated', 'lead.assigned'])
    expect(events[2]!.data).toMatchObject({ previousOwnerId: member.userId, ownerId: other.userId })
  })
})

describe('leadStats', () => {
  it('counts the live leads that the caller sees', async () => {
    const reader = await platform.member({ organizationId: await platform.organization('Stats') })
    await lead(reader, { leadSource: 'WEB', leadScore: 80 })
    await lead(reader, { status: 'QUALIFIED', leadScore: 41 })
    const { id } = await lead(reader)
    await reader.rest.leadDelete!({ id })
    expect((await reader.rest.leadStats!()).body).toMatchObject({
      total: 2,
      byStatus: { NEW: 1, QUALIFIED: 1, CONVERTED: 0 },
      byLeadSource: { WEB: 1, OTHER: 1 },
      byRating: { HOT: 1, WARM: 1, COLD: 0 },
      averageLeadScore: 60.5,
      conversionRate: 0,
    })
  })
})

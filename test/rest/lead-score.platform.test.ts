import { beforeAll, describe, expect, it } from 'vitest'
import { activity, each, lead } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { engagementConsumer } from '../../subgraphs/insights/engagement/stored/engagement-consumer.ts'
import { leadRates } from '../../subgraphs/insights/lead-score/lead-rate.job.ts'
import { consumeNext } from '../../subgraphs/kernel/outbox/consume-events.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'

const platform = usePlatform()
let member: Member

const document = `query ($id: ID!) { lead(id: $id) { computedScore {
  score grade fit engagement sampleSize modelVersion factors { factor weight value contribution }
} } }`
const scoreFor = async (caller: Member, id: unknown) => {
  const { body } = await caller.graphql(document, { id })
  expect(body.errors).toBeUndefined()
  return body.data.lead.computedScore as Record<string, unknown> & {
    factors: { factor: string; weight: number; value: number; contribution: number }[]
  }
}
const valuesOf = ({ factors }: Awaited<ReturnType<typeof scoreFor>>) =>
  Object.fromEntries(factors.map(({ factor, value }) => [factor, value]))

const good = {
  industry: 'Logistics',
  numberOfEmployees: 85,
  title: 'Vice President',
  country: 'SE',
  leadSource: 'WEBINAR',
}
const bad = { industry: ' logistics ', numberOfEmployees: 5, title: 'Intern', country: 'SE', leadSource: 'OTHER' }

beforeAll(async () => {
  member = await platform.member()
  await each(Array.from({ length: 6 }), () => lead(member, { ...good, status: 'CONTACTED' }))
  await platform.query(`update crm.lead set status = 'CONVERTED' where organization_id = $1`, [member.organizationId])
  await each(Array.from({ length: 6 }), () => lead(member, { ...bad, status: 'UNQUALIFIED' }))
  // Another organization whose leads must not count.
  const stranger = await platform.member({ organizationId: await platform.organization() })
  await each(Array.from({ length: 6 }), () => lead(stranger, { ...good, status: 'UNQUALIFIED' }))
  await leadRates.run(platform.services)
})

describe('Lead.computedScore', () => {
  it('compares the facts of the lead with those of the closed leads of the organization', async () => {
    const { id } = await lead(member, { ...good, title: 'Director', country: 'NO' })
    const score = await scoreFor(member, id)
    // Director and Vice President are one group. Average 0.5; six of six: (6 + 10) / 26 = 0.6154, so 55.17; six of twelve is average.
    expect(valuesOf(score)).toEqual({
      INDUSTRY: 50,
      SIZE: 55.17,
      SENIORITY: 55.17,
      COUNTRY: 50,
      SOURCE: 55.17,
      ENGAGEMENT: 0,
    })
    expect(score).toMatchObject({ engagement: 0, sampleSize: 12, grade: 'B4' })
    expect(score.factors.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(
      score['score'] as number,
      10,
    )
    expect(score['modelVersion']).toMatch(/^lead-[0-9a-f]{8}-\d{4}-\d\d-\d\d$/)
  })

  it('has the engagement of the lead', async () => {
    const { id } = await lead(member, good)
    await activity(member, { type: 'MEETING', leadId: id, outcome: 'COMPLETED' })
    await platform.query('select kernel.assign_event_positions(100000)')
    while (await consumeNext(platform.services, engagementConsumer, member.organizationId));
    const { body } = await member.graphql('query ($id: ID!) { lead(id: $id) { engagement { score } } }', { id })
    const score = await scoreFor(member, id)
    expect(score['engagement']).toBe(body.data.lead.engagement.score)
    expect(score['engagement']).toBeGreaterThan(0)
  })

  it('never changes the score that clients have given the lead', async () => {
    const { id } = await lead(member, { ...good, leadScore: 12 })
    expect((await scoreFor(member, id))['score']).not.toBe(12)
    expect((await member.rest.lead!({ id })).body).toMatchObject({ leadScore: 12, version: 1 })
  })

  it('leaves out hidden facts, and scales the weights of the others', async () => {
    const { id } = await lead(member, good)
    const other = await platform.member({ organizationId: member.organizationId })
    const ctx = systemContext(platform.services, member.organizationId)
    const fields = { lead: { industry: 'HIDDEN', title: 'HIDDEN' }, activity: { outcome: 'HIDDEN' } } as never
    const profile = await createProfile(ctx, { name: 'Narrow', fields })
    await assignProfile(ctx, other.userId, profile.id)
    const score = await scoreFor(other, id)
    expect(score.factors.map(({ factor, weight }) => [factor, weight])).toEqual([
      ['SIZE', 0.3636],
      ['COUNTRY', 0.2727],
      ['SOURCE', 0.3636],
    ])
    expect(score).toMatchObject({ engagement: null })
  })

  it('of a lead out of sight is no answer', async () => {
    const { id } = await lead(member, good)
    const narrow = await platform.member({ organizationId: member.organizationId, visibility: 'OWN' })
    const stranger = await platform.member({ organizationId: await platform.organization() })
    for (const caller of [narrow, stranger]) {
      const { body } = await caller.graphql(document, { id })
      expect(body.data.lead).toBeNull()
    }
  })
})

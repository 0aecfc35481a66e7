import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, opportunity } from '../../../test/builders.ts'
import { expectValidEvents, refused, refusedInputs } from '../../../test/expectations.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'

const platform = usePlatform()
let admin: Member
let member: Member
let accountId: string

beforeAll(async () => {
  admin = await platform.member({ role: 'ADMIN' })
  member = await platform.member()
  accountId = (await account(member)).id
})
afterAll(() => expectValidEvents(platform))

const open = (name: string, probability: number) =>
  ({ name, label: name, kind: 'OPEN', probability, forecastCategory: 'PIPELINE' }) as const
const won = { name: 'WON', label: 'Won', kind: 'WON', probability: 100, forecastCategory: 'CLOSED' } as const
const lost = { name: 'LOST', label: 'Lost', kind: 'LOST', probability: 0, forecastCategory: 'OMITTED' } as const

let names = 0
const create = async (values: object = {}) => {
  const body = { name: `Renewals ${++names}`, stages: [open('REVIEW', 30), open('OFFER', 60), won, lost], ...values }
  const answer = await admin.rest.pipelineCreate!({ body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const update = (id: string, body: object) => admin.rest.pipelineUpdate!({ id, body })
const stagesOf = ({ stages }: { stages: { name: string }[] }) => stages.map(({ name }) => name)

describe('The default pipeline', () => {
  it('exists in every organization without setup, with the documented stages', async () => {
    const elsewhere = await platform.member({ organizationId: await platform.organization('Fresh') })
    const { body } = await elsewhere.rest.pipelineList!()
    expect(body.data).toMatchObject([{ name: 'Sales', isDefault: true, isActive: true, version: 1 }])
    expect(
      body.data[0].stages.map((stage: Record<string, unknown>) =>
        [stage.name, stage.kind, stage.probability, stage.forecastCategory, stage.rottenAfterDays].join(' '),
      ),
    ).toEqual([
      'PROSPECTING OPEN 10 PIPELINE 30',
      'QUALIFICATION OPEN 20 PIPELINE 21',
      'NEEDS_ANALYSIS OPEN 35 PIPELINE 21',
      'PROPOSAL OPEN 55 BEST_CASE 14',
      'NEGOTIATION OPEN 80 COMMIT 14',
      'CLOSED_WON WON 100 CLOSED ',
      'CLOSED_LOST LOST 0 OMITTED ',
    ])
    expect(body.data[0].id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('is another one after a change, and there is exactly one', async () => {
    const organizationId = await platform.organization('Two pipelines')
    const owner = await platform.member({ organizationId, role: 'OWNER' })
    const [former] = (await owner.rest.pipelineList!()).body.data
    const { body } = await owner.rest.pipelineCreate!({
      body: { name: 'Second', isDefault: true, stages: [open('ONLY', 5), won, lost] },
    })
    expect((await owner.rest.pipeline!({ id: former.id })).body).toMatchObject({ isDefault: false, version: 2 })
    const deal = await opportunity(owner)
    expect(deal).toMatchObject({ pipelineId: body.id, stage: 'ONLY', probability: 5 })

    expect(
      await refusedInputs(platform, () => owner.rest.pipelineUpdate!({ id: body.id, body: { isDefault: false } })),
    ).toEqual([400, 'VALIDATION_FAILED', 'isDefault NOT_ALLOWED'])
    expect(
      await refusedInputs(platform, () => owner.rest.pipelineUpdate!({ id: body.id, body: { isActive: false } })),
    ).toEqual([400, 'VALIDATION_FAILED', 'isActive NOT_ALLOWED'])
  })

  it('stays exactly one when several pipelines become it at once', async () => {
    const owner = await platform.member({ organizationId: await platform.organization('Race'), role: 'OWNER' })
    const stages = [open('ONLY', 5), won, lost]
    const created = await Promise.all(
      [1, 2, 3, 4].map((index) => owner.rest.pipelineCreate!({ body: { name: `P${index}`, isDefault: true, stages } })),
    )
    expect(created.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    const { body } = await owner.rest.pipelineList!({ query: { isDefault: 'true' } })
    expect(body.total).toBe(1)
  })
})

describe('pipelineCreate', () => {
  it('stores the stages in their order, and emits one event', async () => {
    const body = await create()
    expect(stagesOf(body)).toEqual(['REVIEW', 'OFFER', 'WON', 'LOST'])
    expect(body.stages[0]).toEqual({ ...open('REVIEW', 30), rottenAfterDays: null, isActive: true })
    expect(await platform.eventTypesOf(body.id)).toEqual(['pipeline.created'])
  })

  it('copies the stages in use of the default pipeline if none are given', async () => {
    const { body } = await admin.rest.pipelineCreate!({ body: { name: 'Copied' } })
    const [sales] = (await admin.rest.pipelineList!({ query: { isDefault: 'true' } })).body.data
    expect(body.stages).toEqual(sales.stages)
  })

  it.each<[string, object, string]>([
    ['a name that is no API name', { stages: [open('Review', 1), won, lost] }, 'stages.0.name WRONG_FORMAT'],
    ['two stages with one name', { stages: [open('A', 1), open('A', 2), won, lost] }, 'stages.1.name NOT_UNIQUE'],
    ['no open stage', { stages: [won, lost] }, 'stages TOO_FEW'],
    ['no stage for lost opportunities', { stages: [open('A', 1), won] }, 'stages TOO_FEW'],
    ['only a retired stage of a kind', { stages: [open('A', 1), won, { ...lost, isActive: false }] }, 'stages TOO_FEW'],
    [
      'a won stage with another probability',
      { stages: [open('A', 1), { ...won, probability: 90 }, lost] },
      'stages.1.probability NOT_ALLOWED',
    ],
    [
      'an open stage with the category CLOSED',
      { stages: [{ ...open('A', 1), forecastCategory: 'CLOSED' }, won, lost] },
      'stages.0.forecastCategory NOT_ALLOWED',
    ],
    ['a retired default pipeline', { isDefault: true, isActive: false }, 'isActive NOT_ALLOWED'],
  ])('refuses %s with 400', async (_, values, problem) => {
    const body = { name: 'Refused', stages: [open('A', 1), won, lost], ...values }
    expect(await refusedInputs(platform, () => admin.rest.pipelineCreate!({ body }))).toEqual([
      400,
      'VALIDATION_FAILED',
      problem,
    ])
  })

  it('refuses the name of another pipeline with 409', async () => {
    const { name } = await create()
    const body = { name: name.toUpperCase(), stages: [open('A', 1), won, lost] }
    expect(await refused(platform, () => admin.rest.pipelineCreate!({ body }))).toEqual([409, 'UNIQUE_VIOLATION'])
  })

  it('refuses a member with 403', async () => {
    const body = { name: 'By a member', stages: [open('A', 1), won, lost] }
    expect(await refused(platform, () => member.rest.pipelineCreate!({ body }))).toEqual([403, 'PERMISSION_DENIED'])
  })
})

describe('pipelineUpdate', () => {
  it('renames, reorders, adds and retires stages without changing opportunities', async () => {
    const { id, stages } = await create()
    const deal = await opportunity(member, { accountId, pipelineId: id, stage: 'REVIEW', amount: 100 })
    const [review, offer] = stages
    const { status, body } = await update(id, {
      stages: [
        open('FIRST', 10),
        { ...offer, label: 'Best offer' },
        { ...review, probability: 45, isActive: false },
        won,
        lost,
      ],
    })

    expect([status, stagesOf(body), body.version]).toEqual([200, ['FIRST', 'OFFER', 'REVIEW', 'WON', 'LOST'], 2])
    expect((await member.rest.opportunity!({ id: deal.id })).body).toEqual(deal)
    expect(
      (await member.rest.opportunityUpdate!({ id: deal.id, body: { stage: 'REVIEW', amount: 200 } })).body,
    ).toMatchObject({
      stage: 'REVIEW',
      probability: 30,
      expectedRevenue: 60,
    })
  })

  it('lets nothing move into a retired stage, and names the allowed ones', async () => {
    const { id, stages } = await create()
    const deal = await opportunity(member, { accountId, pipelineId: id, stage: 'OFFER' })
    await update(id, { stages: [{ ...stages[0], isActive: false }, ...stages.slice(1)] })
    const { status, body } = await member.rest.opportunityUpdate!({ id: deal.id, body: { stage: 'REVIEW' } })
    expect([status, body.errors]).toEqual([
      400,
      [
        expect.objectContaining({
          path: 'stage',
          message: expect.stringContaining('one of OFFER, WON, LOST in the pipeline'),
        }),
      ],
    ])
    expect(await opportunity(member, { accountId, pipelineId: id })).toMatchObject({ stage: 'OFFER' })
  })

  it('refuses to remove a stage or to change its kind with 400', async () => {
    const { id, stages } = await create()
    const [review, offer] = stages
    expect(await refusedInputs(platform, () => update(id, { stages: [review, won, lost] }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'stages MISSING',
    ])
    const changed = { ...offer, kind: 'LOST', probability: 0, forecastCategory: 'OMITTED' }
    expect(await refusedInputs(platform, () => update(id, { stages: [review, changed, won, lost] }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'stages.1.kind NOT_ALLOWED',
    ])
  })

  it('retires a pipeline: its opportunities move on in it, and no other enters', async () => {
    const { id } = await create()
    const inside = await opportunity(member, { accountId, pipelineId: id })
    const outside = await opportunity(member, { accountId })
    await update(id, { isActive: false })
    expect((await member.rest.opportunityUpdate!({ id: inside.id, body: { stage: 'OFFER' } })).body.stage).toBe('OFFER')
    const enter = () => member.rest.opportunityUpdate!({ id: outside.id, body: { pipelineId: id, stage: 'REVIEW' } })
    expect(await refusedInputs(platform, enter)).toEqual([400, 'VALIDATION_FAILED', 'pipelineId UNKNOWN_REFERENCE'])
  })
})

describe('An opportunity that moves to another pipeline', () => {
  it('needs a stage of that pipeline', async () => {
    const { id } = await create()
    const deal = await opportunity(member, { accountId })
    const move = (body: object) => member.rest.opportunityUpdate!({ id: deal.id, body: { pipelineId: id, ...body } })
    expect(await refusedInputs(platform, () => move({}))).toEqual([400, 'VALIDATION_FAILED', 'stage NOT_ALLOWED'])
    expect((await move({ stage: 'OFFER' })).body).toMatchObject({ pipelineId: id, stage: 'OFFER', probability: 60 })
    expect((await platform.eventTypesOf(deal.id)).at(-1)).toBe('opportunity.stage_changed')
  })
})

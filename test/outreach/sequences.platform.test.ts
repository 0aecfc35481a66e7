import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { expectValidEvents, refused, refusedInputs, unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aMail, aSequence, aWait, enrollmentIn, step, stepIds } from './sequence-rules.fixture.ts'

const platform = usePlatform()
let owner: Member
let member: Member
let stranger: Member

beforeAll(async () => {
  owner = await platform.member({ role: 'OWNER' })
  member = await platform.member()
  stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
})
afterAll(() => expectValidEvents(platform))

const read = async (id: string) => (await member.rest.sequence!({ id })).body
const add = (id: string, body: object, by = member) => by.rest.sequenceStepAdd!({ id, body })

describe('sequenceCreate', () => {
  it('returns a draft with the default settings, no steps and no figures, and emits one event', async () => {
    const { status, body } = await member.rest.sequenceCreate!({ body: { name: 'After the fair' } })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'After the fair',
      description: null,
      status: 'DRAFT',
      entityTypes: ['LEAD', 'CONTACT'],
      settings: {
        timezone: 'RECIPIENT',
        sendDays: ['MON', 'TUE', 'WED', 'THU', 'FRI'],
        sendStart: '09:00',
        sendEnd: '17:00',
        skipHolidays: true,
        dailyLimitPerSender: 200,
        threadReplies: true,
        stopOnReply: true,
        stopOnMeeting: true,
        stopOnBounce: true,
        stopOnUnsubscribe: true,
        stopOnOpportunityStage: [],
        stopCompanyOnReply: false,
      },
      steps: [],
      stepCount: 0,
      stats: { enrolled: 0, active: 0, contacted: 0, openRate: null, replyRate: null },
      ownerId: member.userId,
      version: 1,
    })
    expect(await platform.eventTypesOf(body.id)).toEqual(['sequence.created'])
    expect(await read(body.id)).toEqual(body)
  })

  it.each([
    ['entityTypes', { entityTypes: [] }, 'REQUIRED'],
    ['entityTypes.0', { entityTypes: ['ACCOUNT'] }, 'NOT_ALLOWED'],
    ['entityTypes.1', { entityTypes: ['LEAD', 'LEAD'] }, 'NOT_UNIQUE'],
    ['settings.timezone', { settings: { timezone: 'Europe/Atlantis' } }, 'NOT_A_TIMEZONE'],
    ['settings.timezone', { settings: { timezone: '+05:30' } }, 'NOT_A_TIMEZONE'],
    ['settings.sendDays', { settings: { sendDays: [] } }, 'REQUIRED'],
    ['settings.sendDays.0', { settings: { sendDays: ['XXX'] } }, 'NOT_ALLOWED'],
    ['settings.sendDays.1', { settings: { sendDays: ['MON', 'MON'] } }, 'NOT_UNIQUE'],
    ['settings.sendStart', { settings: { sendStart: '24:00' } }, 'WRONG_FORMAT'],
    ['settings.sendEnd', { settings: { sendEnd: '25:00' } }, 'WRONG_FORMAT'],
    ['settings.sendEnd', { settings: { sendStart: '10:00', sendEnd: '10:00' } }, 'OUT_OF_RANGE'],
    ['settings.dailyLimitPerSender', { settings: { dailyLimitPerSender: 0 } }, 'OUT_OF_RANGE'],
    ['settings.dailyLimitPerSender', { settings: { dailyLimitPerSender: 1001 } }, 'OUT_OF_RANGE'],
  ])('refuses %s in %j with 400 and stores nothing', async (path, values, code) => {
    const create = () => member.rest.sequenceCreate!({ body: { name: 'X', ...values } })
    expect(await refusedInputs(platform, create)).toEqual([400, 'VALIDATION_FAILED', `${path} ${code}`])
  })

  const days = 'MON, TUE, WED, THU, FRI, SAT, SUN'
  it.each([
    ['settings.sendDays.1', { settings: { sendDays: ['MON', 'MONDAY'] } }, days],
    ['settings.sendDays.0', { settings: { sendDays: ['mon'] } }, days],
    ['settings.sendDays.0', { settings: { sendDays: [''] } }, days],
    ['entityTypes.0', { entityTypes: ['OPPORTUNITY'] }, 'LEAD, CONTACT'],
  ])('names %s and the allowed words for %j in one message, over REST and GraphQL', async (path, values, words) => {
    const input = { name: 'X', ...values }
    const { status, body } = await unchanged(platform, () => member.rest.sequenceCreate!({ body: input }))
    expect([status, body.errors]).toEqual([
      400,
      [{ path, code: 'NOT_ALLOWED', message: `${path} must be one of ${words}.` }],
    ])

    const query = `mutation ($input: SequenceCreateInput!) { sequenceCreate(input: $input) { id } }`
    const answer = await unchanged(platform, () => member.graphql(query, { input }))
    const message = expect.stringMatching(new RegExp(`^Value "\\w*" does not exist in .* Allowed values: ${words}\\.$`))
    expect(answer.body.errors[0].extensions.errors).toEqual([{ path: `input.${path}`, code: 'INVALID_VALUE', message }])
    expect(answer.body.errors).toHaveLength(1)
  })

  it('are found by what can be enrolled, with a filter that has the same enumeration', async () => {
    const externalId = newId()
    const { body } = await member.rest.sequenceCreate!({ body: { name: 'X', externalId, entityTypes: ['LEAD'] } })
    const query = `query ($has: SequenceEntityType) {
      sequenceList(filter: { externalId: { eq: "${externalId}" }, entityTypes: { has: $has } }) { data { id entityTypes } }
    }`
    const found = async (has: string) => (await member.graphql(query, { has })).body
    expect(await found('LEAD')).toEqual({ data: { sequenceList: { data: [{ id: body.id, entityTypes: ['LEAD'] }] } } })
    expect(await found('CONTACT')).toEqual({ data: { sequenceList: { data: [] } } })
    expect((await found('ACCOUNT')).errors[0].message).toBe(
      'Value "ACCOUNT" does not exist in "SequenceEntityType" enum. Allowed values: LEAD, CONTACT.',
    )
  })

  it('accepts an IANA zone, and a window until 24:00', async () => {
    const settings = { timezone: 'Europe/Oslo', sendStart: '00:00', sendEnd: '24:00', dailyLimitPerSender: 1000 }
    const { status, body } = await member.rest.sequenceCreate!({ body: { name: 'X', settings } })
    expect([status, body.settings.sendEnd, body.settings.skipHolidays]).toEqual([201, '24:00', true])
  })
})

describe('steps of sequenceCreate', () => {
  const create = (steps: readonly object[], by = member) =>
    by.rest.sequenceCreate!({ body: { name: 'After the fair', steps } })
  const refusal = (steps: readonly object[], by = member) => refusedInputs(platform, () => create(steps, by))

  it('are created with the sequence, in their order, as a single step would be, with an event each', async () => {
    const [waitId, conditionId] = [newId(), newId()]
    const conditions = [{ field: 'enrollment.openedAt', operator: 'IS_NOT_EMPTY' }]
    const { status, body } = await create([
      aMail(),
      { ...aWait(), id: waitId },
      { type: 'CONDITION', id: conditionId, condition: { conditions, onFalseStepId: waitId } },
      { type: 'CALL', task: { subject: 'Call' }, position: 1 },
    ])
    expect([status, body.status, body.version, body.stepCount, body.stepRevision]).toEqual([201, 'DRAFT', 1, 4, 4])
    const shown = (body.steps as { type: string; position: number }[]).map(({ type, position }) => [type, position])
    expect(shown).toEqual([
      ['CALL', 1],
      ['EMAIL', 2],
      ['WAIT', 3],
      ['CONDITION', 4],
    ])
    expect([stepIds(body)[2], stepIds(body)[3], body.steps[3].condition.onFalseStepId]).toEqual([
      waitId,
      conditionId,
      waitId,
    ])
    expect(await read(body.id)).toEqual(body)
    expect(await platform.eventTypesOf(body.id)).toEqual(['sequence.created'])
    for (const id of stepIds(body)) expect(await platform.eventTypesOf(id)).toEqual(['sequence_step.created'])
    expect((await member.rest.sequenceToggle!({ id: body.id })).body.status).toBe('ACTIVE')
  })

  it('are created through the graph, too', async () => {
    const query = `mutation ($input: SequenceCreateInput!) { sequenceCreate(input: $input) { stepCount steps { type delayDays } } }`
    const { body } = await member.graphql(query, { input: { name: 'G', steps: [aWait()] } })
    expect(body.data.sequenceCreate).toEqual({ stepCount: 1, steps: [{ type: 'WAIT', delayDays: 1 }] })
  })

  it.each([
    ['steps.1.bodyHtml REQUIRED', { type: 'EMAIL' }],
    ['steps.1.bodyHtml TEMPLATE_SYNTAX', aMail({ bodyHtml: '{{ a' })],
    ['steps.1.delayDays OUT_OF_RANGE', aMail({ delayDays: 366 })],
    ['steps.1.templateId UNKNOWN_REFERENCE', { type: 'EMAIL', templateId: newId() }],
    ['steps.1.position OUT_OF_RANGE', { ...aWait(), position: 51 }],
    [
      'steps.1.condition.conditions REQUIRED',
      { type: 'CONDITION', condition: { conditions: [], onTrueStepId: newId() } },
    ],
    [
      'steps.1.condition.onTrueStepId UNKNOWN_REFERENCE',
      {
        type: 'CONDITION',
        condition: { conditions: [{ field: 'email', operator: 'IS_EMPTY' }], onTrueStepId: newId() },
      },
    ],
  ])('are refused together with the sequence: %s', async (problem, bad) => {
    expect(await refusal([aWait(), bad, aMail()])).toEqual([400, 'VALIDATION_FAILED', problem])
  })

  it('are refused in a loop without a delay, at its condition', async () => {
    const id = newId()
    const conditions = [{ field: 'email', operator: 'IS_EMPTY' }]
    const back = { type: 'CONDITION', condition: { conditions, onTrueStepId: id } }
    expect(await refusal([{ ...aMail(), id }, back])).toEqual([
      400,
      'VALIDATION_FAILED',
      'steps.1.condition ENDLESS_LOOP',
    ])
  })

  it('are at most 50 with at most 500,000 characters, and never an id twice', async () => {
    const waits = (count: number) => Array.from({ length: count }, aWait)
    expect((await create(waits(50))).body.stepCount).toBe(50)
    expect((await refusal(waits(51))).slice(0, 2)).toEqual([400, 'VALIDATION_FAILED'])
    const input = { name: 'G', steps: waits(51) }
    const query = 'mutation ($input: SequenceCreateInput!) { sequenceCreate(input: $input) { id } }'
    const { body } = await member.graphql(query, { input })
    expect(body.errors[0].extensions.errors[0]).toMatchObject({ path: 'steps', code: 'TOO_MANY' })
    const long = aMail({ bodyHtml: 'x'.repeat(100_000) })
    expect(await refusal([long, long, long, long, long])).toEqual([400, 'VALIDATION_FAILED', 'steps TOO_LONG'])
    const id = newId()
    expect(
      await refused(platform, () =>
        create([
          { ...aWait(), id },
          { ...aWait(), id },
        ]),
      ),
    ).toEqual([409, 'UNIQUE_VIOLATION'])
  })

  it('have addresses that only owners and admins set, and only public ones', async () => {
    const webhook = { type: 'WEBHOOK', webhookUrl: 'https://erp.example.com/hooks' }
    expect(await refused(platform, () => create([aWait(), webhook]))).toEqual([403, 'PERMISSION_DENIED'])
    expect((await create([aWait(), webhook], owner)).status).toBe(201)
    expect(await refusal([aWait(), { ...webhook, webhookUrl: 'https://10.0.0.1/' }], owner)).toEqual([
      400,
      'VALIDATION_FAILED',
      'steps.1.webhookUrl ADDRESS_NOT_PUBLIC',
    ])
  })
})

describe('sequenceStepAdd', () => {
  it.each([
    ['bodyHtml REQUIRED', { type: 'EMAIL' }],
    ['subject REQUIRED', { type: 'EMAIL', bodyHtml: '<p>Hi</p>' }],
    ['bodyHtml NOT_ALLOWED', { ...aMail(), templateId: null, variants: [{ subject: 'A', bodyHtml: 'B' }] }],
    ['subject NOT_ALLOWED', { type: 'EMAIL', subject: 'A', variants: [{ subject: 'A', bodyHtml: 'B' }] }],
    ['variants.0.weight REQUIRED', { type: 'EMAIL', variants: [{ weight: 0, subject: 'A', bodyHtml: 'B' }] }],
    ['bodyHtml TEMPLATE_SYNTAX', aMail({ bodyHtml: '{{ a' })],
    ['variants.0.bodyHtml TEMPLATE_SYNTAX', { type: 'EMAIL', variants: [{ subject: 'A', bodyHtml: '{% if %}' }] }],
    ['bodyText TEMPLATE_SYNTAX', { type: 'SMS', bodyText: '{% include "x" %}' }],
    ['templateId UNKNOWN_REFERENCE', { type: 'EMAIL', templateId: newId() }],
    ['task REQUIRED', { type: 'TASK' }],
    ['task REQUIRED', { type: 'CALL' }],
    ['bodyText REQUIRED', { type: 'SMS' }],
    ['bodyText REQUIRED', { type: 'SOCIAL', bodyText: '  ' }],
    ['delayHours REQUIRED', { type: 'WAIT' }],
    ['condition REQUIRED', { type: 'CONDITION' }],
    ['webhookUrl REQUIRED', { type: 'WEBHOOK' }],
    ['subject NOT_ALLOWED', { type: 'TASK', task: { subject: 'Call' }, subject: 'A' }],
    ['task NOT_ALLOWED', aMail({ task: { subject: 'Call' } })],
    ['replyInThread NOT_ALLOWED', { ...aWait(), replyInThread: true }],
    ['delayDays OUT_OF_RANGE', aMail({ delayDays: 366 })],
  ])('refuses with %s: %j', async (problem, body) => {
    const { id } = await aSequence(member)
    expect(await refusedInputs(platform, () => add(id, body))).toEqual([400, 'VALIDATION_FAILED', problem])
  })

  it.each([
    ['EMAIL', aMail()],
    ['EMAIL', { type: 'EMAIL', variants: [{ weight: 3, subject: 'A', bodyHtml: 'B' }] }],
    ['TASK', { type: 'TASK', task: { subject: 'Call', priority: 'HIGH' } }],
    ['CALL', { type: 'CALL', task: { subject: 'Call' } }],
    ['SMS', { type: 'SMS', bodyText: 'Hello {{contact.firstName | there}}' }],
    ['SOCIAL', { type: 'SOCIAL', bodyText: 'Hello', task: { subject: 'Write' } }],
    ['WAIT', aWait()],
    ['WEBHOOK', { type: 'WEBHOOK', webhookUrl: 'https://erp.example.com/hooks' }],
  ])('adds %s at the end, raises the version of the sequence and emits both events', async (type, body) => {
    const { id } = await aSequence(owner, [aWait()])
    const { status, body: added } = await add(id, body, owner)
    expect([status, added.type, added.position, added.sequenceId]).toEqual([201, type, 2, id])
    const sequence = (await owner.rest.sequence!({ id })).body
    expect([sequence.version, sequence.stepCount, sequence.stepRevision]).toEqual([3, 2, 2])
    expect(sequence.steps[1]).toEqual(added)
    expect(await platform.eventTypesOf(added.id)).toEqual(['sequence_step.created'])
    expect(await platform.eventTypesOf(id)).toEqual(['sequence.created', 'sequence.updated', 'sequence.updated'])
  })

  it('inserts at a position and moves the later steps; a position behind the end means the end', async () => {
    const { id, steps } = await aSequence(member, [aWait(), aWait()])
    const first = await step(member, id, { ...aWait(), position: 1 })
    const last = await step(member, id, { ...aWait(), position: 50 })
    const found = await read(id)
    expect(stepIds(found)).toEqual([first.id, ...stepIds({ steps }), last.id])
    expect(found.steps.map(({ position }: { position: number }) => position)).toEqual([1, 2, 3, 4])
  })

  it('keeps a sequence at 50 steps, variants at 5 and all texts at 500,000 characters', async () => {
    const variants = (count: number) =>
      Array.from({ length: count }, () => ({ subject: 'A', bodyHtml: 'x'.repeat(80_000) }))
    const { id } = await aSequence(member)
    expect((await add(id, { type: 'EMAIL', variants: variants(6) })).status).toBe(400)
    expect((await add(id, { type: 'EMAIL', variants: variants(5) })).status).toBe(201)
    expect(await refusedInputs(platform, () => add(id, aMail({ bodyHtml: 'x'.repeat(100_000) })))).toEqual([
      400,
      'VALIDATION_FAILED',
      'bodyHtml TOO_LONG',
    ])
    const full = await aSequence(member)
    for (let count = 0; count < 50; count++) await step(member, full.id, aWait())
    expect(await refusedInputs(platform, () => add(full.id, aWait()))).toEqual([
      400,
      'VALIDATION_FAILED',
      'steps TOO_MANY',
    ])
  })

  it('lets only owners and admins send data to an address, and only to a public one', async () => {
    const { id } = await aSequence(member)
    const webhook = (webhookUrl: string) => ({ type: 'WEBHOOK', webhookUrl })
    expect(await refused(platform, () => add(id, webhook('https://erp.example.com/')))).toEqual([
      403,
      'PERMISSION_DENIED',
    ])
    for (const [url, code] of [
      ['https://10.0.0.1/', 'ADDRESS_NOT_PUBLIC'],
      ['http://erp.example.com/', 'NOT_HTTPS'],
      ['https://user:secret@erp.example.com/', 'CREDENTIALS_IN_URL'],
      ['ftp://erp.example.com/', 'NOT_A_URL'],
    ] as const)
      expect(await refusedInputs(platform, () => add(id, webhook(url), owner))).toEqual([
        400,
        'VALIDATION_FAILED',
        `webhookUrl ${code}`,
      ])
  })

  it('answers 404 for a sequence of another organization or of nobody', async () => {
    const { id } = await aSequence(member)
    expect(await refused(platform, () => add(id, aWait(), stranger))).toEqual([404, 'NOT_FOUND'])
    expect(await refused(platform, () => add(newId(), aWait()))).toEqual([404, 'NOT_FOUND'])
  })

  it('serializes additions of two callers, so that no position is taken twice', async () => {
    const { id } = await aSequence(member)
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(id, { ...aWait(), position: 1 })))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
    const found = await read(id)
    expect(found.steps.map(({ position }: { position: number }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(found.stepRevision).toBe(8)
  })
})

describe('conditions', () => {
  const opened = [{ field: 'enrollment.openedAt', operator: 'IS_NOT_EMPTY' }]
  const condition = (values: object) => ({ type: 'CONDITION', condition: { conditions: opened, ...values } })

  it('lead to steps of the same sequence, also backwards through a delay', async () => {
    const { id, steps } = await aSequence(member, [aMail(), aWait()])
    const [mail] = stepIds({ steps })
    const { status, body } = await add(id, condition({ onTrueStepId: mail }))
    expect([status, body.condition]).toEqual([
      201,
      { conditions: opened, logic: 'AND', onTrueStepId: mail, onFalseStepId: null },
    ])
  })

  it('are refused without a target, with a step of another sequence and in a loop without a delay', async () => {
    const { id, steps } = await aSequence(member, [aMail(), aMail()])
    const other = await aSequence(member, [aMail()])
    const problem = (values: object) => refusedInputs(platform, () => add(id, condition(values)))
    expect(await problem({})).toEqual([400, 'VALIDATION_FAILED', 'condition.onTrueStepId REQUIRED'])
    expect(await problem({ onFalseStepId: stepIds(other)[0] })).toEqual([
      400,
      'VALIDATION_FAILED',
      'condition.onFalseStepId UNKNOWN_REFERENCE',
    ])
    expect(await problem({ onTrueStepId: stepIds({ steps })[0] })).toEqual([
      400,
      'VALIDATION_FAILED',
      'condition ENDLESS_LOOP',
    ])
  })

  it.each([
    ['condition.conditions REQUIRED', []],
    ['condition.conditions.0.field UNKNOWN_FIELD', [{ field: 'leadScore', operator: 'IS_EMPTY' }]],
    ['condition.conditions.0.operator NOT_ALLOWED', [{ field: 'email', operator: 'CHANGED' }]],
    ['condition.conditions.0.field UNKNOWN_FIELD', [{ field: 'enrollment.status', operator: 'IS_EMPTY' }]],
  ])('are refused with %s: %j', async (problem, conditions) => {
    const { id, steps } = await aSequence(member, [aWait()])
    const body = condition({ conditions, onTrueStepId: stepIds({ steps })[0] })
    expect(await refusedInputs(platform, () => add(id, body))).toEqual([400, 'VALIDATION_FAILED', problem])
  })

  it('must fit a type that is added to the sequence', async () => {
    const { id, steps } = await aSequence(member, [aWait()], { entityTypes: ['LEAD'] })
    const [onTrueStepId] = stepIds({ steps })
    await step(member, id, condition({ conditions: [{ field: 'leadScore', operator: 'IS_EMPTY' }], onTrueStepId }))
    const update = () => member.rest.sequenceUpdate!({ id, body: { entityTypes: ['LEAD', 'CONTACT'] } })
    expect(await refusedInputs(platform, update)).toEqual([400, 'VALIDATION_FAILED', 'entityTypes NOT_ALLOWED'])
  })

  it('protect the step to which they lead from removal', async () => {
    const { id, steps } = await aSequence(member, [aMail(), aWait()])
    const [mail] = stepIds({ steps })
    const lead = await step(member, id, condition({ onTrueStepId: mail }))
    const { status, body } = await member.rest.sequenceStepRemove!({ id, stepId: mail })
    expect([status, body.code, body.stepIds]).toEqual([409, 'HAS_DEPENDENTS', [lead.id]])
    expect((await read(id)).stepCount).toBe(3)
  })
})

describe('sequenceStepChange', () => {
  it('changes the named fields only, and keeps the ids of variants', async () => {
    const { id } = await aSequence(member)
    const added = await step(member, id, { type: 'EMAIL', variants: [{ subject: 'A', bodyHtml: 'B' }] })
    const [variant] = added.variants
    const body = {
      delayDays: 2,
      variants: [
        { ...variant, weight: 5 },
        { subject: 'C', bodyHtml: 'D' },
      ],
    }
    const { status, body: changed } = await member.rest.sequenceStepChange!({ id, stepId: added.id, body })
    expect([status, changed.delayDays, changed.version, changed.variants[0]]).toEqual([
      200,
      2,
      2,
      { ...variant, weight: 5 },
    ])
    expect(changed.variants[1].id).not.toBe(variant.id)
  })

  it('refuses a stale version with 409, and a step of another sequence with 404', async () => {
    const { id, steps } = await aSequence(member, [aWait()])
    const other = await aSequence(member, [aWait()])
    const [stepId] = stepIds({ steps })
    const stale = () =>
      member.rest.sequenceStepChange!({ id, stepId, body: { delayDays: 9 }, headers: { 'If-Match': '"7"' } })
    expect(await refused(platform, stale)).toEqual([409, 'VERSION_CONFLICT'])
    const foreign = () => member.rest.sequenceStepChange!({ id, stepId: stepIds(other)[0], body: { delayDays: 9 } })
    expect(await refused(platform, foreign)).toEqual([404, 'NOT_FOUND'])
  })
})

describe('sequenceStepRemove', () => {
  it('removes the step, closes the gap and names the step that took its place', async () => {
    const { id, steps } = await aSequence(member, [aWait(), aMail(), aWait()])
    const [first, second, third] = stepIds({ steps })
    const { status, body } = await member.rest.sequenceStepRemove!({ id, stepId: second })
    expect([status, stepIds(body), body.stepCount]).toEqual([200, [first, third], 2])
    expect(body.steps.map(({ position }: { position: number }) => position)).toEqual([1, 2])
    const successors = await platform.query<{ to: string | null }>(
      'select successor_id as to from outreach.sequence_step where id = $1',
      [second],
    )
    expect(successors).toEqual([{ to: third }])
    expect(await platform.eventTypesOf(second!)).toEqual(['sequence_step.created', 'sequence_step.deleted'])
  })
})

describe('sequenceStepReorder', () => {
  it('puts the steps in the named order', async () => {
    const { id, steps } = await aSequence(member, [aWait(), aMail(), aWait()])
    const [first, second, third] = stepIds({ steps })
    const wanted = [third, first, second]
    const { status, body } = await member.rest.sequenceStepReorder!({ id, body: { stepIds: wanted } })
    expect([status, stepIds(body), stepIds(await read(id))]).toEqual([200, wanted, wanted])
  })

  it('refuses everything but an exact permutation with 400 and moves nothing', async () => {
    const { id, steps } = await aSequence(member, [aWait(), aMail()])
    const [first, second] = stepIds({ steps }) as [string, string]
    for (const wrong of [[first], [first, first], [first, second, second], [first, newId()], [first, second, newId()]])
      expect(
        await refusedInputs(platform, () => member.rest.sequenceStepReorder!({ id, body: { stepIds: wrong } })),
      ).toEqual([400, 'VALIDATION_FAILED', 'stepIds NOT_A_PERMUTATION'])
    expect(stepIds(await read(id))).toEqual([first, second])
  })

  it('refuses an order with a loop without a delay', async () => {
    const { id, steps } = await aSequence(member, [aMail(), aWait(), aMail()])
    const [mail, wait, last] = stepIds({ steps }) as [string, string, string]
    const conditions = [{ field: 'email', operator: 'IS_EMPTY' }]
    const lead = await step(member, id, { type: 'CONDITION', condition: { conditions, onTrueStepId: mail } })
    const reorder = (order: string[]) => () => member.rest.sequenceStepReorder!({ id, body: { stepIds: order } })
    expect(await refusedInputs(platform, reorder([wait, mail, last, lead.id]))).toEqual([
      400,
      'VALIDATION_FAILED',
      'condition ENDLESS_LOOP',
    ])
  })
})

describe('sequenceToggle', () => {
  it('starts a draft, pauses it and starts it again, each with its event', async () => {
    const { id } = await aSequence(member, [aMail()])
    const toggle = async () => (await member.rest.sequenceToggle!({ id })).body
    const started = await toggle()
    expect([started.status, started.activatedAt, started.pausedAt]).toEqual([
      'ACTIVE',
      platform.now.toISOString(),
      null,
    ])
    expect([(await toggle()).status, (await toggle()).status]).toEqual(['PAUSED', 'ACTIVE'])
    expect((await platform.eventTypesOf(id)).slice(2)).toEqual([
      'sequence.activated',
      'sequence.paused',
      'sequence.activated',
    ])
  })

  it('refuses a sequence without an active step with 409', async () => {
    const empty = await aSequence(member)
    const inactive = await aSequence(member, [aMail({ isActive: false })])
    for (const { id } of [empty, inactive])
      expect(await refused(platform, () => member.rest.sequenceToggle!({ id }))).toEqual([409, 'INVALID_STATE'])
  })

  it('keeps an active step while the sequence runs', async () => {
    const { id, steps } = await aSequence(member, [aMail()])
    await member.rest.sequenceToggle!({ id })
    const [stepId] = stepIds({ steps })
    const remove = () => member.rest.sequenceStepRemove!({ id, stepId })
    expect(await refused(platform, remove)).toEqual([409, 'INVALID_STATE'])
    const stop = () => member.rest.sequenceStepChange!({ id, stepId, body: { isActive: false } })
    expect(await refused(platform, stop)).toEqual([409, 'INVALID_STATE'])
  })

  it('refuses a template that is not ACTIVE, and accepts it afterwards', async () => {
    const body = { name: 'T', subject: 'S', bodyHtml: '<p>B</p>' }
    const template = (await member.rest.emailTemplateCreate!({ body })).body
    const { id } = await aSequence(member, [{ type: 'EMAIL', templateId: template.id }])
    expect(await refusedInputs(platform, () => member.rest.sequenceToggle!({ id }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'templateId NOT_ACTIVE',
    ])
    await platform.query(`update outreach.email_template set status = 'ACTIVE' where id = $1`, [template.id])
    expect((await member.rest.sequenceToggle!({ id })).body.status).toBe('ACTIVE')
  })

  it('moves the clocks of enrollments by the pause, and wakes those that came due during it', async () => {
    const { id, steps } = await aSequence(member, [aMail()])
    await member.rest.sequenceToggle!({ id })
    const [stepId] = stepIds({ steps })
    const hour = 3_600_000
    const at = (hours: number) => new Date(platform.now.getTime() + hours * hour).toISOString()
    const [soon, late] = [at(1), at(48)]
    const parked = await enrollmentIn(platform, member, id, { stepId, nextRunAt: soon, isParked: true })
    const waiting = await enrollmentIn(platform, member, id, { stepId, nextRunAt: late })
    const paused = await enrollmentIn(platform, member, id, { stepId, nextRunAt: null, status: 'PAUSED' })
    await member.rest.sequenceToggle!({ id })
    platform.advanceClock(24 * hour)
    await member.rest.sequenceToggle!({ id })
    const rows = await platform.query<{ id: string; next: Date | null; parked: boolean; ms: number }>(
      `select id, next_run_at as next, is_parked as parked, paused_ms as ms from outreach.sequence_enrollment
       where sequence_id = $1 order by id`,
      [id],
    )
    const moved = (time: string) => new Date(Date.parse(time) + 24 * hour).toISOString()
    const found = new Map(
      rows.map((row) => [row.id, [row.next && new Date(row.next).toISOString(), row.parked, row.ms]]),
    )
    expect(found.get(parked)).toEqual([moved(soon), false, 24 * hour])
    expect(found.get(waiting)).toEqual([moved(late), false, 24 * hour])
    expect(found.get(paused)).toEqual([null, false, 0])
    expect(await platform.query('select from outreach.sequence_work')).toEqual([])
  })
})

describe('sequenceDelete', () => {
  it('refuses running enrollments with 409 and their number, and ends them with force=true', async () => {
    const { id, steps } = await aSequence(member, [aMail()])
    await member.rest.sequenceToggle!({ id })
    const [stepId] = stepIds({ steps })
    const nextRunAt = platform.now.toISOString()
    const active = await enrollmentIn(platform, member, id, { stepId, nextRunAt })
    const paused = await enrollmentIn(platform, member, id, { stepId, nextRunAt: null, status: 'PAUSED' })
    const done = await enrollmentIn(platform, member, id, { stepId: null, nextRunAt: null, status: 'COMPLETED' })
    const kept = await member.rest.sequenceDelete!({ id })
    expect([kept.status, kept.body.code, kept.body.activeEnrollments]).toEqual([409, 'HAS_DEPENDENTS', 2])
    expect((await member.rest.sequenceDelete!({ id, query: { force: 'false' } })).status).toBe(409)
    expect((await read(id)).status).toBe('ACTIVE')

    expect((await member.rest.sequenceDelete!({ id, query: { force: 'true' } })).status).toBe(204)
    expect((await member.rest.sequence!({ id })).status).toBe(404)
    const statuses = await platform.query<{ id: string; status: string; reason: string | null }>(
      'select id, status, exit_reason as reason from outreach.sequence_enrollment where sequence_id = $1',
      [id],
    )
    const found = new Map(statuses.map((row) => [row.id, [row.status, row.reason]]))
    const ended = ['UNENROLLED', 'The sequence was deleted.']
    expect([found.get(active), found.get(paused), found.get(done)]).toEqual([ended, ended, ['COMPLETED', null]])
    expect(await platform.eventTypesOf(active)).toEqual(['sequence.unenrolled'])
    expect(await platform.eventTypesOf(done)).toEqual([])
  })

  it('restores a running sequence as PAUSED', async () => {
    const { id } = await aSequence(member, [aMail()])
    await member.rest.sequenceToggle!({ id })
    await member.rest.sequenceDelete!({ id })
    const { status, body } = await member.rest.sequenceRestore!({ id })
    expect([status, body.status, body.stepCount]).toEqual([200, 'PAUSED', 1])
  })
})

describe('sequenceArchive', () => {
  it('is final: it cannot change, start or be archived again', async () => {
    const { id } = await aSequence(member, [aMail()])
    expect((await member.rest.sequenceArchive!({ id })).body.status).toBe('ARCHIVED')
    for (const call of [
      () => member.rest.sequenceToggle!({ id }),
      () => member.rest.sequenceArchive!({ id }),
      () => member.rest.sequenceUpdate!({ id, body: { name: 'Y' } }),
      () => add(id, aWait()),
    ])
      expect(await refused(platform, call)).toEqual([409, 'INVALID_STATE'])
  })

  it('ends running enrollments with force only', async () => {
    const { id, steps } = await aSequence(member, [aMail()])
    const running = { stepId: stepIds({ steps })[0], nextRunAt: platform.now.toISOString() }
    const enrollment = await enrollmentIn(platform, member, id, running)
    expect((await member.rest.sequenceArchive!({ id })).body.activeEnrollments).toBe(1)
    expect((await member.rest.sequenceArchive!({ id, query: { force: 'true' } })).status).toBe(200)
    expect(
      await platform.query('select status, exit_reason as reason from outreach.sequence_enrollment where id = $1', [
        enrollment,
      ]),
    ).toEqual([{ status: 'UNENROLLED', reason: 'The sequence was archived.' }])
  })
})

describe('sequenceDuplicate', () => {
  it('copies steps under new ids, leads conditions to the copies, and starts as a draft of the caller', async () => {
    const { id, steps } = await aSequence(member, [aMail(), aWait()], { tags: ['fair'], description: 'D' })
    const [mail] = stepIds({ steps })
    const conditions = [{ field: 'email', operator: 'IS_EMPTY' }]
    await step(member, id, { type: 'CONDITION', condition: { conditions, onTrueStepId: mail } })
    await step(member, id, { type: 'EMAIL', variants: [{ weight: 2, subject: 'A', bodyHtml: 'B' }] })
    await member.rest.sequenceToggle!({ id })
    const source = await read(id)
    const { status, body } = await owner.rest.sequenceDuplicate!({ id })
    expect([status, body.name, body.status, body.ownerId, body.tags, body.description]).toEqual([
      201,
      'Copy of After the fair',
      'DRAFT',
      owner.userId,
      ['fair'],
      'D',
    ])
    expect(body.stepCount).toBe(4)
    const ids = [...stepIds(source), ...stepIds(body)]
    expect(new Set(ids).size).toBe(8)
    expect(body.steps[2].condition.onTrueStepId).toBe(stepIds(body)[0])
    expect(body.steps[3].variants).toEqual([{ ...source.steps[3].variants[0], id: body.steps[3].variants[0].id }])
    expect(body.steps[3].variants[0].id).not.toBe(source.steps[3].variants[0].id)
    expect(await read(id)).toEqual(source)
  })

  it('refuses a copy of a step whose template the caller does not see, and copies nothing', async () => {
    const body = { name: 'T', subject: 'S', bodyHtml: '<p>B</p>' }
    const template = (await member.rest.emailTemplateCreate!({ body })).body
    const { id } = await aSequence(member, [{ type: 'EMAIL', templateId: template.id }])
    expect(await refusedInputs(platform, () => owner.rest.sequenceDuplicate!({ id }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'templateId UNKNOWN_REFERENCE',
    ])
  })
})

describe('figures', () => {
  it('count enrollments of the sequence, mails of its steps and variants, and all sequences together', async () => {
    const alone = await platform.member({ organizationId: await platform.organization('Figures') })
    const { id, steps } = await aSequence(alone, [aMail(), aWait()])
    const stepId = stepIds({ steps })[0]!
    const variantId = newId()
    const now = platform.now.toISOString()
    const enrolled = (values: object) => enrollmentIn(platform, alone, id, { stepId, nextRunAt: null, ...values })
    await enrolled({ status: 'ACTIVE', contactedAt: now, openedAt: now })
    await enrolled({ status: 'REPLIED', contactedAt: now, openedAt: now, clickedAt: now, repliedAt: now })
    await enrolled({ status: 'BOUNCED', contactedAt: now, bouncedAt: now })
    await enrolled({ status: 'COMPLETED' })
    for (const [result, opened] of [
      ['SENT', now],
      ['SENT', null],
      ['SKIPPED', null],
    ])
      await platform.query(
        `insert into outreach.sequence_attempt (organization_id, id, enrollment_id, sequence_id, step_id, visit, step_type, step_position,
           variant_id, result, executed_at, opened_at)
         values ($1, $2, $3, $4, $5, 1, 'EMAIL', 1, $6, $7, $8, $9)`,
        [alone.organizationId, newId(), newId(), id, stepId, variantId, result, now, opened],
      )
    const expected = {
      enrolled: 4,
      active: 1,
      paused: 0,
      completed: 1,
      contacted: 3,
      replied: 1,
      bounced: 1,
      unsubscribed: 0,
      openRate: 0.6667,
      clickRate: 0.3333,
      replyRate: 0.3333,
      meetingRate: 0,
    }
    const { body } = await alone.rest.sequence!({ id })
    expect(body.stats).toEqual(expected)
    expect(body.steps[0].stats).toEqual({
      executed: 3,
      sent: 2,
      skipped: 1,
      failed: 0,
      opened: 1,
      clicked: 0,
      replied: 0,
      bounced: 0,
      openRate: 0.5,
      clickRate: 0,
      replyRate: 0,
      variants: [{ variantId, sent: 2, openRate: 0.5, clickRate: 0, replyRate: 0 }],
    })
    expect(body.steps[1].stats).toMatchObject({ executed: 0, openRate: null, variants: [] })
    const stats = (await alone.rest.sequenceStats!({})).body
    expect(stats).toEqual({
      total: 1,
      byStatus: { DRAFT: 1, ACTIVE: 0, PAUSED: 0, ARCHIVED: 0 },
      ...expected,
    })
    const strange = (await stranger.rest.sequenceStats!({})).body
    expect(strange.enrolled).toBe(0)
  })
})

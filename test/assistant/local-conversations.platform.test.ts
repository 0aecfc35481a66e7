import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, opportunity, task } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { framesOf } from './frames.ts'

const platform = usePlatform()
let ann: Member
let own: Member
let restricted: Member
let annsId: string
let ownsId: string

beforeAll(async () => {
  ann = await platform.member()
  const { organizationId } = ann
  own = await platform.member({ organizationId, visibility: 'OWN' })
  restricted = await platform.member({ organizationId })
  const ctx = systemContext(platform.services, organizationId)
  const fields = {
    account: { annualRevenue: 'HIDDEN', industry: 'HIDDEN' },
    task: { dueDate: 'HIDDEN' },
  }
  const { id } = await createProfile(ctx, { name: 'No money', fields: fields as never })
  await assignProfile(ctx, restricted.userId, id)
  annsId = (await account(ann, { name: 'Halvorsen Marine', annualRevenue: 7_300_400.5, industry: 'SHIPPING' })).id
  ownsId = (await account(own, { name: 'Fjordline', annualRevenue: 200 })).id
  await opportunity(ann, { name: 'Pumps', accountId: annsId, amount: 51_234, currency: 'EUR' })
  await task(ann, { subject: 'Call', dueDate: '2031-05-17' })
})

interface Told {
  readonly content: string
  readonly citations: readonly { readonly entityId: string }[]
  readonly toolCalls: readonly {
    readonly name: string
    readonly input: Record<string, unknown>
    readonly status: string
  }[]
  readonly notUnderstood: readonly string[]
}

/** The stored answer, after the streamed one was compared with it. */
async function ask(member: Member, content: string, context: object | null = null): Promise<Told> {
  const { id } = (await member.rest.conversationCreate!({ body: {} })).body
  const alone = await member.rest.conversationSend!({ id, body: { content, mode: 'local', context } })
  expect(alone.status).toBe(201)
  const streamed = await fetch(`${platform.url}/v1/conversations/${id}/messages/stream`, {
    method: 'POST',
    headers: { ...member.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ content, mode: 'local', context }),
  })
  const frames = await framesOf(streamed)
  const told = frames.flatMap(({ event, data }) => (event === 'token' ? [data['delta']] : [])).join('')
  expect([frames.at(-1)!.event, told]).toEqual(['done', alone.body.content])
  const { messages } = (await member.rest.conversation!({ id })).body
  expect(messages[3]).toMatchObject({
    content: alone.body.content,
    citations: alone.body.citations,
    toolCalls: alone.body.toolCalls,
  })
  const cited = frames.flatMap(({ event, data }) => (event === 'citation' ? [data['entityId']] : []))
  expect(cited).toEqual(alone.body.citations.map(({ entityId }: { entityId: string }) => entityId))
  return alone.body as Told
}

describe('an answer without a language model', () => {
  it('has its query with every number, and cites the records that it shows', async () => {
    const counted = await ask(ann, 'How many accounts are there?')
    expect(counted).toMatchObject({ content: '**2** accounts.', notUnderstood: [], citations: [] })
    expect(counted.toolCalls).toEqual([
      {
        id: 'call-1',
        name: 'ask',
        input: expect.objectContaining({ intent: 'COUNT', object: 'account', filters: [] }),
        output: { rows: 0, total: 2, figures: [], groups: [] },
        status: 'OK',
      },
    ])
    const summed = await ask(ann, 'What is the total amount of my open deals?')
    expect(summed.content).toContain('**EUR 51,234**')
    expect(summed.toolCalls[0]!.input).toMatchObject({ intent: 'SUM', object: 'opportunity', measure: 'amount' })
    const told = await ask(ann, 'Who owns Halvorsen Marine?')
    expect(told.citations.map(({ entityId }) => entityId)).toEqual([annsId])
    expect(told.toolCalls[0]!.input).toMatchObject({ filters: [{ field: 'id', operator: 'eq', value: annsId }] })
  })

  it('has no number when a word is not understood, and names the word', async () => {
    const { content, notUnderstood, toolCalls } = await ask(ann, 'How many purple accounts are there?')
    expect([notUnderstood, toolCalls, /\d/.test(content)]).toEqual([['purple'], [], false])
  })

  it('changes nothing when it is told to', async () => {
    const before = (await ann.rest.account!({ id: annsId })).body
    const { content } = await ask(ann, 'Delete the account Halvorsen Marine')
    expect(content).toContain('nothing was changed')
    expect((await ann.rest.account!({ id: annsId })).body).toEqual(before)
  })

  it('knows a name without quotes with all of its signs, and says plainly that it knows none or several', async () => {
    const member = await platform.member({ organizationId: await platform.organization('Signs') })
    const names = [
      'Meyer - Nord GmbH',
      'Meyer Nord GmbH',
      'Meyer - Nord',
      'Smith, Jones & Co',
      'A/S Fjord – Ships',
      'Twin - One',
      'twin - one',
    ]
    for (const [index, name] of names.entries()) {
      const { id } = await account(member, { name })
      for (let at = 0; at <= index; at++)
        await opportunity(member, { name: `Deal ${index} ${at}`, accountId: id, amount: 10 ** at, currency: 'EUR' })
    }
    const truth = async (name: string) => {
      const [row] = await platform.query<{ count: string; sum: string }>(
        `select count(*)::text as count, sum(o.amount)::int::text as sum from crm.opportunity o join crm.account a on a.id = o.account_id
         where a.name = $1 and not o.is_closed`,
        [name],
      )
      return row!
    }
    const figures = ({ content }: Told) =>
      Array.from(content.matchAll(/\*\*([^*]+)\*\*/g), ([, text]) => text!.replaceAll(',', ''))
    for (const [text, name, what] of [
      ['open deals of Meyer - Nord GmbH', 'Meyer - Nord GmbH', 'count'],
      ['How many open deals does Meyer - Nord GmbH have?', 'Meyer - Nord GmbH', 'count'],
      ['how many open deals does meyer - nord gmbh have', 'Meyer - Nord GmbH', 'count'],
      ['How many open deals does Meyer Nord GmbH have?', 'Meyer Nord GmbH', 'count'],
      ['How many open deals does Meyer, Nord GmbH have?', 'Meyer Nord GmbH', 'count'],
      ['Total amount of the open deals of Smith, Jones & Co', 'Smith, Jones & Co', 'sum'],
      ["What is the total amount of A/S Fjord – Ships' open deals?", 'A/S Fjord – Ships', 'sum'],
      ['Meyer - Nord open deals', 'Meyer - Nord', 'count'],
    ] as const) {
      const expected = (await truth(name))[what]
      expect([figures(await ask(member, text)), text]).toEqual([[what === 'sum' ? `EUR ${expected}` : expected], text])
    }
    for (const [text, words] of [
      ['open deals of Meyer - South GmbH', '"Meyer - South GmbH"'],
      ['open deals of Nord - Meyer', '"Nord - Meyer"'],
      ['How many open deals does Twin - One have?', 'Several records have the name "Twin - One"'],
    ] as const) {
      const told = await ask(member, text)
      expect([told.content, figures(told), told.toolCalls], text).toEqual([expect.stringContaining(words), [], []])
    }
  })

  it('takes weeks and days in the zone of the user', async () => {
    const member = await platform.member({ organizationId: await platform.organization('Zoned') })
    platform.now = new Date('2027-03-10T22:30:00.000Z')
    await account(member, { name: 'Late' })
    platform.now = new Date('2027-03-11T08:00:00.000Z')
    expect((await ask(member, 'How many accounts were created today?')).content).toContain('**0** accounts')
    await platform.query(
      `update identity.person set timezone = 'Asia/Tokyo' where id = (select person_id from identity.app_user where id = $1)`,
      [member.userId],
    )
    expect((await ask(member, 'How many accounts were created today?')).content).toContain('**1** account')
  })
})

describe('what the user may not see', () => {
  it('is not counted, named or shown to a user with the visibility OWN, also not as the record of the page', async () => {
    expect((await ask(own, 'How many accounts are there?')).content).toBe('**1** account.')
    expect((await ask(own, 'List the accounts')).citations.map(({ entityId }) => entityId)).toEqual([ownsId])
    expect((await ask(own, 'How many deals are there?')).content).toBe('**0** deals.')
    const foreign = await ask(own, 'Who owns Halvorsen Marine?')
    const missing = await ask(own, 'Who owns Halvorsen Nothing?')
    expect(foreign.notUnderstood).toEqual(['Halvorsen Marine'])
    expect(foreign.content.replace('Marine', 'Nothing')).toBe(missing.content)
    const page = { entityType: 'ACCOUNT', entityId: annsId, entityName: 'Halvorsen Marine' }
    const about = await ask(own, 'What do you know about this account?', page)
    expect([about.citations, /7,300,400|SHIPPING/i.test(about.content)]).toEqual([[], false])
  })

  it.each([
    'What is the total annual revenue of all accounts?',
    'What is the average annual revenue of the accounts?',
    'What are the top 3 accounts by annual revenue?',
    'How many accounts have an annual revenue above 1,000?',
    'How many accounts by industry?',
    'How many accounts are in the industry SHIPPING?',
    'How many tasks are due in 2031?',
    'Which tasks are due in May 2031?',
    'How many tasks are overdue?',
    'What is the due date of "Call"?',
    'Tell me about Halvorsen Marine',
    'Tell me about "Call"',
    'List the accounts',
    'List the tasks',
  ])('%s: nothing of a hidden field, neither as a value nor through a condition or an order', async (question) => {
    const { content, toolCalls } = await ask(restricted, question)
    expect(content.replace(/^I do not understand .*?, so/, '')).not.toMatch(/7,?300,?400|2031-05-17|shipping/i)
    const [call] = toolCalls
    const isByHidden = /annualRevenue|industry|dueDate/.test(JSON.stringify(call?.input ?? {}))
    if (isByHidden) expect([call!.status, content.includes('**')]).toEqual(['ERROR', false])
    else expect(JSON.stringify(toolCalls)).not.toMatch(/7300400|2031|SHIPPING/)
  })
})

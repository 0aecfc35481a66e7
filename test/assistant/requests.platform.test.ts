import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { fieldWords } from '../../subgraphs/assistant/question/label.ts'
import { createUser } from '../../subgraphs/identity/public.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, contact, lead, opportunity, supportCase, task } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { framesOf } from './frames.ts'
import { refusals, requests, type Expected } from './requests.ts'

const platform = usePlatform()
let ann: Member
const ids = new Map<string, string>()

beforeAll(async () => {
  platform.now = new Date('2027-03-10T09:00:00.000Z')
  ann = await platform.member()
  await platform.member({ organizationId: ann.organizationId })
  await platform.query(
    `update identity.person set timezone = 'Europe/Berlin' where id = (select person_id from identity.app_user where id = $1)`,
    [ann.userId],
  )
  const kim = await createUser(platform.services, ann.organizationId, {
    email: 'kim@requests.example',
    name: 'Kim Berg',
    role: 'MEMBER',
    visibility: 'ALL',
    isEmailVerified: true,
  })
  ids.set('kim', kim.id).set('me', ann.userId)
  const add = (key: string, { id }: { id: string }) => ids.set(key, id)
  add('acme', await account(ann, { name: 'Acme' }))
  add('halvorsen', await account(ann, { name: 'Halvorsen Marine', industry: 'SHIPPING' }))
  add('fjordline', await account(ann, { name: 'Fjordline AS' }))
  add('meyer', await account(ann, { name: 'Meyer - Nord GmbH' }))
  const accountId = ids.get('acme')!
  add('pumps', await opportunity(ann, { name: 'Pumps for two yards', accountId, amount: 100, currency: 'EUR' }))
  add('valves', await opportunity(ann, { name: 'Valves', accountId, amount: 500, currency: 'EUR' }))
  add('lena', await contact(ann, { firstName: 'Lena', lastName: 'Holm' }))
  await contact(ann, { firstName: 'Jonas', lastName: 'Berg' })
  await contact(ann, { firstName: 'Jonas', lastName: 'Berg' })
  add('ida', await lead(ann, { firstName: 'Ida', lastName: 'Moe', company: 'Moe AS' }))
  add('pallets', await task(ann, { subject: 'Count the pallets' }))
  add('gate', await supportCase(ann, { subject: 'Gate is stuck' }))
})

interface Told {
  readonly content: string
  readonly toolCalls: readonly {
    readonly name: string
    readonly output: { readonly proposalId: string; readonly summary: string }
  }[]
  readonly notUnderstood: readonly string[]
}

async function ask(content: string, member = ann): Promise<Told> {
  const { id } = (await member.rest.conversationCreate!({ body: {} })).body
  const context = { entityType: 'OPPORTUNITY', entityId: ids.get('pumps')!, entityName: 'Pumps for two yards' }
  const { status, body } = await member.rest.conversationSend!({ id, body: { content, mode: 'local', context } })
  expect([status, body.errorCode ?? null], content).toEqual([201, null])
  return body as Told
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const resolved = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/\{(\w+)\}/g, (_, key: string) => ids.get(key)!))

async function proposalOf({ toolCalls }: Told, member = ann) {
  const [call] = toolCalls
  return call ? (await member.rest.proposal!({ id: call.output.proposalId })).body : null
}

/** What is wrong with the answer; null if nothing is. `NOT_UNDERSTOOD` is no wrong proposal. */
async function wrong(text: string, expected: Expected): Promise<string | null> {
  const told = await ask(text)
  const proposal = await proposalOf(told)
  if ('refused' in expected)
    return proposal === null && expected.refused.test(told.content)
      ? null
      : `${text}: ${proposal ? JSON.stringify(proposal.input) : told.content}`
  if (!proposal) return `NOT_UNDERSTOOD ${text}: ${told.content}`
  const { mutation, recordId, input } = proposal
  const got = 'create' in expected ? { mutation, input } : { mutation, recordId, input }
  let wanted: object
  if ('create' in expected)
    wanted = { mutation: 'taskCreate', input: resolved({ assignedToId: '{me}', ...expected.create }) }
  else {
    const [object, key] = expected.update.split(' ') as [string, string]
    wanted = { mutation: `${object}Update`, recordId: ids.get(key), input: resolved(expected.input) }
  }
  try {
    expect(got).toEqual(wanted)
    expect([told.toolCalls[0]!.output.summary, told.content.slice(0, 11)]).toEqual([proposal.summary, 'I propose: '])
    return null
  } catch {
    return `WRONG ${text}: ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`
  }
}

const records = () =>
  platform.query<{ hash: string }>(
    `select md5(string_agg(x, ',' order by x)) as hash from (
       select t::text as x from crm.task t union all select o::text from crm.opportunity o union all select a::text from crm.account a
       union all select c::text from crm.contact c union all select l::text from crm.lead l union all select s::text from support."case" s) s`,
  )

describe('requests for changes without a language model', () => {
  it('become the proposals that they ask for, none becomes another one, and no record is changed', async () => {
    const before = await records()
    const problems: string[] = []
    for (const [text, expected] of requests) {
      const problem = await wrong(text, expected)
      if (problem) problems.push(problem)
      await platform.query('delete from assistant.proposal where organization_id = $1', [ann.organizationId])
    }
    expect(problems).toEqual([])
    expect(await records()).toEqual(before)
  })

  it('are refused with the word that has no meaning, and then nothing is proposed', async () => {
    const problems: string[] = []
    for (const [text, expected] of refusals) {
      const problem = await wrong(text, expected)
      if (problem) problems.push(problem)
    }
    expect(problems).toEqual([])
    expect((await ann.rest.proposalList!()).body).toEqual([])
  })

  it('have the id and the words of the proposal in the frame of a stream, and are made by a confirmation only', async () => {
    const { id } = (await ann.rest.conversationCreate!({ body: {} })).body
    const response = await fetch(`${platform.url}/v1/conversations/${id}/messages/stream`, {
      method: 'POST',
      headers: { ...ann.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'Set the next step of Valves to "Send the drawings"', mode: 'local' }),
    })
    const frames = await framesOf(response)
    const tool = frames.find(({ event }) => event === 'tool')
    const { body: proposal } = await ann.rest.proposal!({ id: tool!.data['proposalId'] as string })
    expect([tool!.data, proposal]).toMatchObject([
      { name: 'propose_change', status: 'OK', summary: 'Set next step of deal Valves to Send the drawings' },
      {
        conversationId: id,
        status: 'PENDING',
        before: { nextStep: null },
        influencedBy: [],
        recordId: ids.get('valves'),
      },
    ])
    const nextStep = async () => (await ann.rest.opportunity!({ id: ids.get('valves')! })).body.nextStep as unknown
    expect(await nextStep()).toBeNull()
    expect((await ann.rest.proposalConfirm!({ id: proposal.id })).body.status).toBe('CONFIRMED')
    expect(await nextStep()).toBe('Send the drawings')
    const again = await ask('Set the next step of Valves to "Send the drawings"')
    expect([again.toolCalls, again.content]).toEqual([[], expect.stringContaining('already')])
  })

  it.each([
    ['set the website of Acme to https://acme.example/yard', '`https://acme.example/yard`'],
    ['set the website of Acme to www.acme.example', '`www.acme.example`'],
    [
      'set the next step of Valves to "Send [the *new* drawings](https://x.example) to <b>Kim</b>"',
      '`Send [the *new* drawings](https://x.example) to <b>Kim</b>`',
    ],
    ['set the next step of Valves to "`a` and ``b``"', '``` `a` and ``b`` ```'],
    ['set the next step of Valves to "Call\n\n# Kim"', '`Call # Kim`'],
    ['set the next step of Valves to Call Kim', 'Call Kim'],
  ])('show the value that will be written as it is, and never as a link: %s', async (text, shown) => {
    const told = await ask(text)
    const proposal = await proposalOf(told)
    const [value] = Object.values(proposal.input) as string[]
    const [sentence, ...lines] = told.content.split('\n')
    const [, name] = /^(?:set the )(.+?) of/.exec(text)!
    const record = name === 'website' ? 'account Acme' : 'deal Valves'
    expect([sentence, lines.at(-1), proposal.summary]).toEqual([
      `I propose: Set ${name} of ${record} to ${shown}`,
      'Nothing is changed until you confirm the proposal, within an hour.',
      `Set ${name} of ${record} to ${value}`,
    ])
    await platform.query('delete from assistant.proposal where organization_id = $1', [ann.organizationId])
  })

  it.each([
    [
      'website',
      'halvorsen',
      'https://old.example/yard_2',
      '`https://old.example/yard_2`',
      'account Halvorsen Marine to x.example',
    ],
    ['parentAccountId', 'halvorsen', '{acme}', 'Acme', 'account Halvorsen Marine to Fjordline AS'],
    ['ownerId', 'halvorsen', '{kim}', 'Kim Berg', 'account Halvorsen Marine to me'],
  ])(
    'show the value of %s before, a link as it is and a record or user by name',
    async (field, key, old, shown, to) => {
      await platform.query(`update crm.account set ${snakeCase(field)} = $2 where id = $1`, [
        ids.get(key),
        resolved(old),
      ])
      const told = await ask(`set the ${fieldWords(field.replace(/Id$/, ''))} of ${to}`)
      const [sentence, ...lines] = told.content.split('\n')
      expect([sentence!.slice(0, 11), lines]).toEqual([
        'I propose: ',
        [`- before: ${shown}`, 'Nothing is changed until you confirm the proposal, within an hour.'],
      ])
      expect((await proposalOf(told)).before).toEqual({ [field]: resolved(old) })
      await platform.query('delete from assistant.proposal where organization_id = $1', [ann.organizationId])
    },
  )

  it('do not show the name of a record before that their user does not see', async () => {
    const { organizationId } = ann
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const { id } = await account(own, { name: 'Own Yard' })
    await platform.query('update crm.account set parent_account_id = $2 where id = $1', [id, ids.get('acme')])
    await account(own, { name: 'Own Group' })
    const told = await ask('set the parent account of Own Yard to Own Group', own)
    expect(told.content).toContain('I propose: Set parent account of account Own Yard to Own Group')
    expect(told.content).not.toContain('Acme')
  })

  it('show the subject of a task as it will be written', async () => {
    const told = await ask('create a task to read https://acme.example/terms_of_use tomorrow')
    expect(told.content.split('\n')[0]).toBe(
      'I propose: Create task "`Read https://acme.example/terms_of_use`", due 2027-03-11',
    )
    expect((await proposalOf(told)).input).toMatchObject({ subject: 'Read https://acme.example/terms_of_use' })
    await platform.query('delete from assistant.proposal where organization_id = $1', [ann.organizationId])
  })

  it('do not know a field that the profile hides or does not let the user change, nor a record that the user does not see', async () => {
    const { organizationId } = ann
    const [limited, own, reader] = [
      await platform.member({ organizationId }),
      await platform.member({ organizationId, visibility: 'OWN' }),
      await platform.member({ organizationId, role: 'READ_ONLY' }),
    ]
    const ctx = systemContext(platform.services, organizationId)
    const fields = { opportunity: { nextStep: 'HIDDEN', amount: 'READ' }, task: { dueDate: 'READ' } }
    const profile = await createProfile(ctx, { name: 'Limited', fields: fields as never })
    await assignProfile(ctx, limited.userId, profile.id)
    const said: readonly (readonly [Member, string, string])[] = [
      [limited, 'set the next step of Valves to Call', '"next step"'],
      [limited, 'set the amount of Valves to 900', '"amount"'],
      [limited, 'postpone the task "Count the pallets" to Friday', '"Friday"'],
      [limited, 'create a task to call Acme tomorrow', '"2027-03-11"'],
      [own, 'set the next step of Valves to Call', '"Valves"'],
      [own, 'create a task for Halvorsen Marine to call', '"Halvorsen Marine"'],
      [reader, 'set the next step of Valves to Call', 'READ_ONLY'],
      [reader, 'create a task to call Acme tomorrow', 'READ_ONLY'],
    ]
    for (const [member, text, words] of said) {
      const told = await ask(text, member)
      expect([told.content, told.toolCalls], text).toEqual([expect.stringContaining(words), []])
      expect((await member.rest.proposalList!()).body).toEqual([])
    }
  })
})

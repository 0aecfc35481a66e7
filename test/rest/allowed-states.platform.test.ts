import { readFileSync, globSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import type { Role } from '../../subgraphs/kernel/context.ts'
import type { NextState } from '../../subgraphs/kernel/record/transitions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { Sweep } from '../requests/sweep.ts'
import { restClient, type Answer } from '../rest-client.ts'
import { copyOf, stateful, type Stateful } from './stateful-records.ts'

const platform = usePlatform()
let owner: Member
let organizationId: string
beforeAll(async () => {
  owner = await platform.member({ role: 'OWNER' })
  organizationId = owner.organizationId
})

const settings = (values: object) =>
  platform.query(`update identity.organization set settings = $2 where id = $1`, [
    organizationId,
    JSON.stringify(values),
  ])

const bases = new Map<Stateful, Promise<string>>()
const baseOf = (record: Stateful): Promise<string> => {
  let base = bases.get(record)
  if (!base) bases.set(record, (base = record.create(owner, platform)))
  return base
}

const operationsOf = ({ states: { transitions } }: Stateful): string[] => {
  const moves = Object.values(transitions).flatMap((next) => Object.values(next ?? {}).flatMap((list) => list ?? []))
  return [...new Set(moves.map((move) => (typeof move === 'string' ? move : move.operation)))]
}

/** The states that the operations lead to, found by calling each of them for a record of its own. */
async function reached(record: Stateful, member: Member, state: string, columns: object): Promise<NextState[]> {
  const found: NextState[] = []
  for (const operation of operationsOf(record))
    for (const call of record.calls?.[operation] ?? [{}]) {
      const { id, parameters } = await aRecord(record, member, state, columns)
      await platform.query('delete from kernel.mail_count')
      await member.rest[operation]!({ ...parameters, ...call })
      const [row] = await platform.query<{ status: string }>(`select status from ${record.table} where id = $1`, [id])
      if (row!.status !== state) found.push({ state: row!.status, operation })
    }
  return found
}

async function aRecord(record: Stateful, member: Member, state: string, columns: object) {
  const base = await baseOf(record)
  const id = await copyOf(platform, record, base, { ...columns, status: state, owner_id: member.userId })
  const parentId = record.table.endsWith('enrollment') ? await sequenceOf(base) : base
  return { id, parameters: record.parameters?.(id, parentId) ?? { id } }
}

const sequenceOf = async (enrollmentId: string): Promise<string> => {
  const sql = 'select sequence_id as id from outreach.sequence_enrollment where id = $1'
  return (await platform.query<{ id: string }>(sql, [enrollmentId]))[0]!.id
}

const keysOf = (moves: readonly NextState[]): string[] =>
  [...new Set(moves.map(({ state, operation }) => `${operation} ${state}`))].sort()

async function refusalOf(record: Stateful, member: Member, state: string, columns: object) {
  const { parameters } = await aRecord(record, member, state, columns)
  const operation = typeof record.refused === 'string' ? record.refused : record.refused(state)
  return unchanged(platform, () => member.rest[operation]!(parameters))
}

const cases = Object.entries(stateful).flatMap(([name, record]) =>
  Object.keys(record.states.transitions).flatMap((state) =>
    (record.columns?.(state) ?? [{}]).map((columns, index) => [name, state, index, columns] as const),
  ),
)

/** Records whose operations ask for more than the right to change records. */
const byRole = cases.filter(([name]) => {
  const { mayChange, transitions } = stateful[name]!.states
  return mayChange !== undefined || JSON.stringify(transitions).includes('"roles"')
})
const casesOf = { OWNER: cases, MEMBER: byRole }
const members = new Map<Role, Promise<Member>>()
const memberWith = (role: Role): Promise<Member> => {
  let member = members.get(role)
  if (!member) members.set(role, (member = platform.member({ organizationId, role })))
  return member
}

/** Compares what the refusal names with what the operations do. */
async function expectExact(name: string, state: string, columns: object, role: Role): Promise<void> {
  const [record, member] = [stateful[name]!, await memberWith(role)]
  const { status, body } = await refusalOf(record, member, state, columns)
  expect([status, body.code]).toEqual([409, 'INVALID_STATE'])
  const listed = (body.operations as NextState[]).filter((move) => move.state !== state)
  expect(keysOf(listed)).toEqual(keysOf(await reached(record, member, state, columns)))
  expect(body.allowed).toEqual([...new Set((body.operations as NextState[]).map((move) => move.state))])
}

describe('allowed', () => {
  describe.each(['OWNER', 'MEMBER'] as const)('for a user with the role %s', (role) => {
    it.each(casesOf[role])('of the %s in %s (%i) is what the operations lead to', (name, state, _index, columns) =>
      expectExact(name, state, columns, role),
    )
  })

  // The rights of a caller are checked before the state, so one state of each record type, and some of the others, show it.
  const sweep = new Sweep()
  const read = cases.filter(([name, state, index]) => sweep.includes(name, `${name} ${state} ${index}`, 4))
  it.each(read)('is not told to a user who may only read: %s in %s (%i)', async (name, state, _index, columns) => {
    const record = stateful[name]!
    const { status, body } = await refusalOf(record, await memberWith('READ_ONLY'), state, columns)
    expect([status, body.code, body.allowed]).toEqual([403, 'PERMISSION_DENIED', undefined])
  })

  it('follows the settings of the organization', async () => {
    await settings({ requireQuoteApproval: true, enforceCaseTransitions: true })
    for (const state of ['DRAFT', 'APPROVED']) await expectExact('quote', state, {}, 'MEMBER')
    for (const state of Object.keys(stateful['case']!.states.transitions))
      await expectExact('case', state, {}, 'MEMBER')
    await settings({})
  })

  it('names no operation for which the key lacks the scope', async () => {
    const seller = await platform.member({ organizationId, scopes: ['WRITE_QUOTES', 'WRITE_LEADS'] })
    const accepted = await refusalOf(stateful['quote']!, seller, 'ACCEPTED', {})
    expect([accepted.body.allowed, accepted.body.operations]).toEqual([[], []])
    const open = await refusalOf(stateful['lead']!, seller, 'UNQUALIFIED', {})
    expect(open.body.operations).toEqual([{ state: 'NEW', operation: 'leadUpdate' }])
    const qualified = await refusalOf(stateful['lead']!, seller, 'QUALIFIED', {})
    expect(qualified.body.allowed).toEqual(['NEW', 'CONTACTED', 'NURTURING', 'UNQUALIFIED'])
  })

  it('of a user and of an API key is what their operations lead to', async () => {
    const alone = await platform.member({ organizationId: await platform.organization('Solo'), role: 'OWNER' })
    const session = { Authorization: `Bearer ${await sessionOf(platform, alone)}` }
    const rest = restClient(platform.contract, platform.url, session)
    const operationsIn = async (call: () => Promise<Answer>) => {
      const { status, body } = await unchanged(platform, call)
      expect([status, body.code]).toEqual([409, 'INVALID_STATE'])
      return keysOf(body.operations)
    }
    expect(await operationsIn(() => rest.userDeactivate!({ id: alone.userId }))).toEqual([])
    const { userId: id } = await platform.member({ organizationId: alone.organizationId })
    const again = (user: string) => () => rest.userInviteAgain!({ id: user })
    expect(await operationsIn(again(id))).toEqual(['userDeactivate DEACTIVATED'])
    expect((await rest.userDeactivate!({ id })).body.status).toBe('DEACTIVATED')
    expect(await operationsIn(again(id))).toEqual(['userReactivate ACTIVE'])
    expect((await rest.userReactivate!({ id })).body.status).toBe('ACTIVE')
    const { body: invited } = await rest.userInvite!({ body: { email: 'new@customer.example' } })
    await rest.userDeactivate!({ id: invited.id })
    expect(await operationsIn(again(invited.id))).toEqual(['userReactivate INVITED'])
    expect((await rest.userReactivate!({ id: invited.id })).body.status).toBe('INVITED')

    const { body: key } = await rest.apiKeyCreate!({ body: { name: 'Sync', scopes: ['READ_LEADS'] } })
    await platform.query(`update identity.api_key set expires_at = '2027-01-01' where id = $1`, [key.id])
    const rotate = () => rest.apiKeyRotate!({ id: key.id, body: {} })
    expect(await operationsIn(rotate)).toEqual(['apiKeyRevoke REVOKED', 'apiKeyUpdate ACTIVE'])
    const extended = await rest.apiKeyUpdate!({ id: key.id, body: { expiresAt: '2027-12-01T00:00:00Z' } })
    expect(extended.body.status).toBe('ACTIVE')
    expect((await rest.apiKeyRevoke!({ id: key.id })).body.status).toBe('REVOKED')
    expect(await operationsIn(rotate)).toEqual([])
  })

  it('names operations of REST and of GraphQL by one name', () => {
    const mutations = readFileSync('schema/supergraph.graphql', 'utf8').match(/type Mutation[\s\S]*?\n}/)![0]
    for (const record of Object.values(stateful))
      for (const operation of operationsOf(record)) {
        expect(platform.contract.operations.map(({ id }) => id)).toContain(operation)
        expect(mutations).toMatch(new RegExp(`^  ${operation}\\(`, 'm'))
      }
  })

  it('is tested for every state machine', () => {
    const sources = globSync('subgraphs/**/*.ts').map((file) => readFileSync(file, 'utf8'))
    const declared = sources.flatMap((text) =>
      [...text.matchAll(/^export const (\w+): StateMachine</gm)].map(([, name]) => name!),
    )
    // Users and API keys have a test of their own, because other columns decide about their status.
    expect(declared.length - 2).toBe(Object.keys(stateful).length)
    // Every refusal by state is made where `allowed` is made.
    const elsewhere = globSync('subgraphs/**/*.ts').filter(
      (file) => !/\.(test|fixture)\.ts$/.test(file) && /Refusal\(\s*'INVALID_STATE'/.test(readFileSync(file, 'utf8')),
    )
    expect(elsewhere).toEqual(['subgraphs/kernel/record/transitions.ts'])
  })
})

describe('a field that the profile does not let the caller write', () => {
  const fields = [
    ['quote', 'quoteUpdate', 'terms'],
    ['order', 'orderUpdate', 'terms'],
    ['invoice', 'invoiceUpdate', 'terms'],
    ['lead', 'leadUpdate', 'status'],
    ['case', 'caseSetStatus', 'status'],
    ['sequence', 'sequenceUpdate', 'description'],
    ['reply draft', 'replyDraftUpdate', 'status'],
    ['draft', 'smartEmailDraftUpdate', 'purpose'],
    ['email template', 'emailTemplateUpdate', 'status'],
  ] as const
  const objects: Readonly<Record<string, string>> = {
    'reply draft': 'reply_draft',
    draft: 'smart_email_draft',
    'email template': 'email_template',
  }

  it.each(fields)('is refused with 403 in every state of the %s', async (name, operation, field) => {
    const member = await platform.member({ organizationId })
    const ctx = systemContext(platform.services, organizationId)
    const { id: profileId } = await createProfile(ctx, {
      name: operation,
      fields: { [objects[name] ?? name]: { [field]: 'READ' } },
    })
    await assignProfile(ctx, member.userId, profileId)
    const record = stateful[name]!
    for (const state of Object.keys(record.states.transitions)) {
      const { parameters } = await aRecord(record, member, state, record.columns?.(state)[0] ?? {})
      const body = { [field]: field === 'status' ? Object.keys(record.states.transitions)[0] : 'Other' }
      const { status, body: problem } = await unchanged(platform, () =>
        member.rest[operation]!({ ...parameters, body }),
      )
      expect([state, status, problem.code]).toEqual([state, 403, 'FIELD_NOT_WRITABLE'])
    }
  })
})

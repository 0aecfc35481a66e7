import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { account as accountRecord } from '../../subgraphs/crm/account/account.record.ts'
import { signatureHeaders } from '../../subgraphs/events/public.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { recordsOf } from '../../subgraphs/kernel/record/records-of.ts'
import { requestContext, systemContext } from '../../subgraphs/kernel/request.ts'
import { account, contact, lead } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { allow, useHookReceiver, type HookRequest } from './hook-receiver.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const receiver = useHookReceiver()

let owner: Member
let member: Member
let functions = 0

/** Each test has an organization of its own, so that it has only its own hooks. */
async function anOrganization(): Promise<void> {
  const organizationId = await platform.organization('Hooks')
  owner = await platform.member({ organizationId, role: 'OWNER' })
  member = await platform.member({ organizationId })
}

beforeAll(anOrganization)
beforeEach(() => receiver.reset())

async function aHook(hook: object): Promise<{ id: string; secret: string | null }> {
  const body = { name: 'Hook', ...('function' in hook ? {} : { url: receiver.url }), ...hook }
  const answer = await owner.rest['beforeSaveHookCreate']!({ body } as never)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body as { id: string; secret: string | null }
}

async function aFunction(handler: string, given: object = {}): Promise<string> {
  const apiName = `decide_${++functions}`
  const source = `export default ${handler}`
  const body = { apiName, name: 'Decide', language: 'javascript', source, ...given }
  const answer = await owner.rest['serverlessFunctionCreate']!({ body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return apiName
}

/** A function that answers the same for each record. `record` and `input` may be used in it. */
const eachRecord = (result: string, given?: object) =>
  aFunction(`(input) => ({ results: input.records.map((record) => (${result})) })`, given)

const reject =
  (given: object) =>
  ({ records }: HookRequest) => ({
    results: records.map(() => ({ decision: 'REJECT', ...given })),
  })

const refusalOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => ({
  status,
  code: body.code,
  hook: body.hook,
  errors: body.errors,
})

/** All that the organization has, without what hooks count of themselves. */
const stored = async (): Promise<string> =>
  (await platform.fingerprint(owner.organizationId)).replace(/^extensions\.before_save_hook_failure .*\n/m, '')

const unchanged = async <T>(work: () => Promise<T>): Promise<T> => {
  const before = await stored()
  const result = await work()
  expect(await stored()).toBe(before)
  return result
}

describe('a hook with an address', () => {
  it('gets the change with all fields, signed, and its changes are saved', async () => {
    await anOrganization()
    const { secret } = await aHook({ objectType: 'ACCOUNT', name: 'Check', operations: ['CREATE', 'UPDATE', 'DELETE'] })
    receiver.decide = ({ operation }) => ({
      results: [
        { decision: 'ALLOW', ...(operation === 'CREATE' && { changes: { industry: 'ENERGY', tags: ['checked'] } }) },
      ],
    })
    const { id } = await account(member, { name: 'Acme', annualRevenue: 10 })
    const [created] = receiver.received
    expect(created).toMatchObject({
      hook: 'Check',
      objectType: 'ACCOUNT',
      operation: 'CREATE',
      depth: 1,
      records: [
        { id, values: { name: 'Acme', annualRevenue: 10 }, next: { id, name: 'Acme', version: 1 }, previous: null },
      ],
    })
    const headers = created!.headers as Record<string, string>
    const signed = signatureHeaders(
      {
        eventId: headers['webhook-id']!,
        body: Buffer.from(created!.text),
        now: new Date(Number(headers['webhook-timestamp']) * 1000),
      },
      [secret!],
    )
    expect(headers['x-service-signature']).toBe(signed['X-Service-Signature'])
    expect(headers['webhook-signature']).toBe(signed['webhook-signature'])
    const read = await member.rest['account']!({ id })
    expect(read.body).toMatchObject({ industry: 'ENERGY', tags: ['checked'], version: 1 })
    const [event] = await platform.eventsOf(id as string)
    expect(event!.data).toMatchObject({ record: { industry: 'ENERGY' } })

    expect((await member.rest['accountUpdate']!({ id, body: { name: 'Acme 2' } })).status).toBe(200)
    expect((await member.rest['accountDelete']!({ id })).status).toBe(204)
    expect((await member.rest['accountRestore']!({ id })).status).toBe(200)
    expect(
      receiver.received
        .slice(1)
        .map(({ operation, records: [record] }) => [operation, record!.previous?.name, record!.next?.name]),
    ).toEqual([
      ['UPDATE', 'Acme', 'Acme 2'],
      ['DELETE', 'Acme 2', undefined],
      ['UPDATE', 'Acme 2', 'Acme 2'],
    ])
    // A change of nothing is no change.
    expect((await member.rest['accountUpdate']!({ id, body: { name: 'Acme 2' } })).status).toBe(200)
    expect(receiver.received).toHaveLength(4)
  })

  it('refuses a change, and nothing is changed: over REST, over GraphQL and under an idempotency key', async () => {
    await anOrganization()
    const { id } = await account(member, { name: 'A' })
    await aHook({ objectType: 'ACCOUNT', name: 'Never' })
    receiver.decide = reject({ message: 'Not today.', field: 'name' })
    await unchanged(async () => {
      const update = { id, body: { name: 'B' } }
      const expected = {
        status: 422,
        code: 'HOOK_REJECTED',
        hook: 'Never',
        errors: [{ path: 'name', code: 'HOOK_REJECTED', message: 'Not today.', hook: 'Never' }],
      }
      expect(refusalOf(await member.rest['accountUpdate']!(update))).toEqual(expected)
      const mutation = 'mutation ($id: ID!) { accountUpdate(id: $id, input: { name: "B" }) { id } }'
      const { body } = await member.graphql(mutation, { id })
      expect(body.errors).toMatchObject([
        { message: 'Not today.', extensions: { code: 'HOOK_REJECTED', hook: 'Never', errors: expected.errors } },
      ])
      expect(receiver.received).toHaveLength(2)
    })
    const keyed = { id, body: { name: 'B' }, headers: { 'Idempotency-Key': 'once' } }
    const first = await member.rest['accountUpdate']!(keyed as never)
    const second = await member.rest['accountUpdate']!(keyed as never)
    expect([first.status, second.status, receiver.received.length]).toEqual([422, 422, 3])
    expect(await platform.eventTypesOf(id as string)).toEqual(['account.created'])
  })

  it('decides once under an idempotency key, and its refusal by failure is not stored', async () => {
    await anOrganization()
    await aHook({ objectType: 'ACCOUNT', failureMode: 'FAIL_CLOSED' })
    const keyed = { body: { name: 'Once' }, headers: { 'Idempotency-Key': 'k' } } as never
    receiver.decide = (_request, response) => void response.writeHead(500).end()
    const failed = await unchanged(() => member.rest['accountCreate']!(keyed))
    expect([failed.status, failed.body.code, failed.body.hook, failed.headers.get('retry-after')]).toEqual([
      503,
      'HOOK_UNAVAILABLE',
      'Hook',
      '1',
    ])
    receiver.reset()
    const made = await member.rest['accountCreate']!(keyed)
    const again = await member.rest['accountCreate']!(keyed)
    expect([made.status, again.body.id, receiver.received.length]).toEqual([201, made.body.id, 1])
    expect(receiver.received[0]!.records[0]!.id).toBe(made.body.id)
  })

  it('shows no value of a hidden field in its refusal', async () => {
    await anOrganization()
    const made = await account(member, { annualRevenue: 987654 })
    await aHook({ objectType: 'ACCOUNT' })
    receiver.decide = ({ records: [record] }) => ({
      results: [{ decision: 'REJECT', message: `Revenue ${String(record!.next!.annualRevenue)} is too high.` }],
    })
    const ctx = systemContext(platform.services, owner.organizationId)
    const profile = await createProfile(ctx, { name: 'Hidden', fields: { account: { annualRevenue: 'HIDDEN' } } })
    await assignProfile(ctx, member.userId, profile.id)
    // Longer than a gateway caches a key.
    platform.advanceClock(1_000)
    const refused = await member.rest['accountUpdate']!({ id: made.id, body: { name: 'B' } })
    expect([refused.status, refused.body.detail]).toEqual([422, 'Revenue *** is too high.'])
    expect(JSON.stringify(refused.body)).not.toContain('987654')
    expect((await owner.rest['accountUpdate']!({ id: made.id, body: { name: 'B' } })).body.detail).toContain('987654')
  })
})

describe('changes of hooks', () => {
  it('are seen by the next hook by position, by rules and by validation rules', async () => {
    await anOrganization()
    const first = await eachRecord(`{ decision: 'ALLOW', changes: { leadScore: 80, description: 'first' } }`)
    const second = await eachRecord(
      `record.next.leadScore === 80 && record.next.rating === 'HOT'
        ? { decision: 'ALLOW', changes: { description: record.next.description + ', second' } }
        : { decision: 'REJECT', message: 'not seen' }`,
    )
    await aHook({ objectType: 'LEAD', name: 'Second', function: second, position: 2 })
    await aHook({ objectType: 'LEAD', name: 'First', function: first, position: 1 })
    const made = await lead(member, { company: 'Acme' })
    const { body } = await member.rest['lead']!({ id: made.id })
    expect(body).toMatchObject({ leadScore: 80, rating: 'HOT', description: 'first, second', version: 1 })
    const rule = {
      entityType: 'LEAD',
      name: 'No second',
      conditions: [{ field: 'description', operator: 'CONTAINS', value: 'second' }],
      errorMessage: 'Seen.',
    }
    expect((await owner.rest['validationRuleCreate']!({ body: rule })).status).toBe(201)
    const refused = await member.rest['leadCreate']!({ body: { company: 'B', lastName: 'B' } })
    expect([refused.status, refused.body.code]).toEqual([422, 'VALIDATION_RULE_FAILED'])
  })

  it('have the side effects that the same change of a client has', async () => {
    await anOrganization()
    await aHook({
      objectType: 'CASE',
      function: await eachRecord(`{ decision: 'ALLOW', changes: { priority: 'URGENT' } }`),
    })
    const { body } = await member.rest['caseCreate']!({ body: { subject: 'Fire' } })
    const hours = (Date.parse(body.slaDueAt as string) - Date.parse(body.createdAt as string)) / 3_600_000
    expect([body.priority, hours, body.caseNumber]).toEqual(['URGENT', 4, 1])
  })

  it('are checked for types, bounds and references, and the refusal names the hook', async () => {
    await anOrganization()
    const refused = async (changes: string) => {
      const apiName = await eachRecord(`{ decision: 'ALLOW', changes: ${changes} }`)
      const { id } = await aHook({
        objectType: 'ACCOUNT',
        name: 'Wrong',
        function: apiName,
        failureMode: 'FAIL_CLOSED',
      })
      const answer = await member.rest['accountCreate']!({ body: { name: 'A' } })
      expect((await owner.rest['beforeSaveHookDelete']!({ id })).status).toBe(204)
      const problems = (answer.body.errors ?? []) as { path: string; code: string; hook?: string }[]
      return [answer.status, answer.body.code, ...problems.map(({ path, code, hook }) => `${path} ${code} ${hook}`)]
    }
    expect(await refused(`{ annualRevenue: 1e300, rating: 'BOILING' }`)).toEqual([
      400,
      'VALIDATION_FAILED',
      'rating WRONG_TYPE Wrong',
      'annualRevenue OUT_OF_RANGE Wrong',
    ])
    expect(await refused(`{ ownerId: '019a0c5e-7f00-7c1d-8f21-64d0a95be713' }`)).toEqual([
      400,
      'VALIDATION_FAILED',
      'ownerId UNKNOWN_REFERENCE undefined',
    ])
    // What no client could set is an answer that is not valid.
    for (const changes of [
      `{ version: 5 }`,
      `{ nothing: 1 }`,
      `{ id: record.id }`,
      `{ __proto__x: 1 }`,
      `{ constructor: 1 }`,
    ])
      expect(await refused(changes)).toEqual([503, 'HOOK_UNAVAILABLE'])
    const { total } = (await member.rest['accountList']!({})).body
    expect(total).toBe(0)
  })
})

describe('a hook on many records', () => {
  it('is called once for a bulk change, and a refused record fails alone', async () => {
    await anOrganization()
    const made = await Promise.all(Array.from({ length: 120 }, () => contact(member)))
    await aHook({ objectType: 'CONTACT', name: 'Titles' })
    receiver.decide = ({ records }) => ({
      results: records.map(({ values }) =>
        values.title === 'CEO'
          ? { decision: 'REJECT', message: 'No.' }
          : { decision: 'ALLOW', changes: { department: 'D' } },
      ),
    })
    const items = made.map(({ id }, index) => ({ id, title: index === 7 ? 'CEO' : 'CTO' }))
    const { body } = await member.rest['contactBulkUpdate']!({ body: { items } })
    expect([
      body.succeeded,
      body.failed,
      body.results[7].status,
      body.results[7].code,
      body.results[7].message,
    ]).toEqual([119, 1, 'FAILED', 'HOOK_REJECTED', 'No.'])
    expect(receiver.received.map(({ records }) => records.length).toSorted((a, b) => b - a)).toEqual([100, 20])
    const rows = await platform.query(
      `select title, department, count(*)::int as n from crm.contact where organization_id = $1 group by 1, 2 order by 1`,
      [owner.organizationId],
    )
    expect(rows.map(({ title, department, n }) => [title, department, n])).toEqual(
      expect.arrayContaining([['CTO', 'D', 119]]),
    )
  })

  it('that fails closed in one of several calls refuses the whole bulk change', async () => {
    await anOrganization()
    const ids = await platform.query<{ id: string }>(
      `insert into crm.contact (organization_id, id, owner_id, created_at, updated_at, version, custom_fields, first_name, last_name, name,
         email_status, lifecycle_stage, status)
       select $1, gen_random_uuid(), $2, now(), now(), 1, '{}', 'Ida', 'Berg', 'Ida Berg', 'UNKNOWN', 'LEAD', 'ACTIVE'
       from generate_series(1, 150) returning id`,
      [owner.organizationId, owner.userId],
    )
    await aHook({ objectType: 'CONTACT', failureMode: 'FAIL_CLOSED' })
    let calls = 0
    receiver.decide = (request, response) => (++calls === 2 ? void response.writeHead(500).end() : allow(request))
    const items = ids.map(({ id }) => ({ id, title: 'Buyer' }))
    const failed = await unchanged(() => owner.rest['contactBulkUpdate']!({ body: { items } }))
    expect([failed.status, failed.body.code, calls]).toEqual([503, 'HOOK_UNAVAILABLE', 2])
    receiver.decide = allow
    expect((await owner.rest['contactBulkUpdate']!({ body: { items } })).body).toMatchObject({
      succeeded: 150,
      failed: 0,
    })
  })

  it('that fails closed refuses the whole bulk change, also under an idempotency key', async () => {
    await anOrganization()
    const made = [await contact(member), await contact(member)]
    await aHook({ objectType: 'CONTACT', failureMode: 'FAIL_CLOSED' })
    receiver.decide = () => 'nonsense'
    const items = made.map(({ id }) => ({ id, title: 'CTO' }))
    const request = { body: { items }, headers: { 'Idempotency-Key': 'bulk' } } as never
    const failed = await unchanged(() => member.rest['contactBulkUpdate']!(request))
    expect([failed.status, failed.body.code]).toEqual([503, 'HOOK_UNAVAILABLE'])
    receiver.reset()
    expect((await member.rest['contactBulkUpdate']!(request)).body).toMatchObject({ succeeded: 2, failed: 0 })
  })

  it('decides on all records of a conversion, with the ids that are written', async () => {
    await anOrganization()
    for (const objectType of ['LEAD', 'CONTACT', 'OPPORTUNITY'])
      await aHook({ objectType, name: objectType, operations: ['CREATE', 'UPDATE'] })
    const { id } = await lead(member, { company: 'Converted', lastName: 'Lee', email: 'lee@converted.example' })
    receiver.reset()
    const { status, body } = await member.rest['leadConvert']!({ id, body: {} })
    expect(status, JSON.stringify(body)).toBe(200)
    const seen = receiver.received.map(({ objectType, records }) => [objectType, records[0]!.id])
    expect(seen).toEqual(
      expect.arrayContaining([
        ['CONTACT', body.contact.id],
        ['OPPORTUNITY', body.opportunity.id],
        ['LEAD', id],
      ]),
    )
    const opportunity = receiver.received.find(({ objectType }) => objectType === 'OPPORTUNITY')
    expect(opportunity!.records[0]!.values.accountId).toBe(body.account.id)
    receiver.decide = (request) =>
      request.objectType === 'OPPORTUNITY' ? reject({})(request) : { results: [{ decision: 'ALLOW' }] }
    const other = await lead(member, { company: 'Refused', lastName: 'Ray' })
    const refused = await unchanged(() => member.rest['leadConvert']!({ id: other.id, body: {} }))
    expect(refusalOf(refused)).toMatchObject({ status: 422, code: 'HOOK_REJECTED', hook: 'OPPORTUNITY' })
  })
})

describe('hooks', () => {
  it('do not decide on changes of the platform itself', async () => {
    await anOrganization()
    await aHook({ objectType: 'ACCOUNT' })
    receiver.decide = reject({})
    const ctx = systemContext(platform.services, owner.organizationId)
    expect(await recordsOf(accountRecord).create(ctx, { name: 'A' })).toMatchObject({ name: 'A' })
    expect(receiver.received).toEqual([])
  })

  it('come before the number of a record, which has no gaps', async () => {
    await anOrganization()
    const apiName = await eachRecord(`{ decision: record.values.subject === 'No' ? 'REJECT' : 'ALLOW' }`)
    await aHook({ objectType: 'CASE', function: apiName })
    const numbers = []
    for (const subject of ['One', 'No', 'Two']) {
      const { body } = await member.rest['caseCreate']!({ body: { subject } })
      numbers.push(body.caseNumber ?? body.code)
    }
    expect(numbers).toEqual([1, 'HOOK_REJECTED', 2])
  })

  it('a function cannot make the change on which it decides, and is told so at once', async () => {
    await anOrganization()
    const mutation = 'mutation { accountCreate(input: { name: "Of the hook" }) { id } }'
    const handler = `async (input, { api }) => {
      const { errors } = await api.graphql('${mutation}')
      return { results: [{ decision: 'REJECT', message: errors[0].extensions.code + ' ' + errors[0].extensions.hook }] }
    }`
    const apiName = await aFunction(handler, { scopes: ['WRITE_ACCOUNTS'] })
    await aHook({ objectType: 'ACCOUNT', name: 'Own', function: apiName, operations: ['CREATE'], timeoutMs: 5_000 })
    const { status, body } = await member.rest['accountCreate']!({ body: { name: 'Of the user' } })
    expect([status, body.errors]).toMatchObject([422, [{ code: 'HOOK_REJECTED', message: 'HOOK_RECURSION Own' }]])
    expect(await platform.query('select from crm.account where organization_id = $1', [owner.organizationId])).toEqual(
      [],
    )
  })

  it('are told how deep the change is, and refuse what automations change at the greatest depth', async () => {
    await anOrganization()
    await aHook({ objectType: 'ACCOUNT' })
    const { caller } = systemContext(platform.services, owner.organizationId)
    const at = (depth: number) => {
      const acting = { ...caller, kind: 'AUTOMATION' as const, userId: owner.userId, depth }
      return requestContext({ caller: acting, requestId: 'request', idempotency: null }, platform.services)
    }
    await recordsOf(accountRecord).create(at(4), { name: 'A' })
    const deepest = unchanged(() => recordsOf(accountRecord).create(at(5), { name: 'B' }))
    await expect(deepest).rejects.toMatchObject({ code: 'DEPTH_EXCEEDED' })
    expect(receiver.received.map(({ depth, headers }) => [depth, headers['x-service-function-depth']])).toEqual([
      [5, '6'],
    ])
  })

  it('apply from their answer on, also to a task that a completed one is followed by', async () => {
    await anOrganization()
    const task = { subject: 'Weekly', dueDate: '2027-02-05T12:00:00.000Z', recurrenceRule: 'FREQ=WEEKLY' }
    const { body } = await member.rest['taskCreate']!({ body: task })
    await aHook({
      objectType: 'TASK',
      function: await eachRecord(`{ decision: 'ALLOW', changes: { tags: ['hooked'] } }`),
    })
    const done = await member.rest['taskUpdate']!({ id: body.id, body: { status: 'COMPLETED' } })
    expect([done.status, done.body.tags]).toEqual([200, ['hooked']])
    const next = await member.rest['task']!({ id: done.body.nextTaskId })
    expect(next.body.tags).toEqual(['hooked'])
  })
})

describe('beforeSaveHookCreate', () => {
  it.each<[string, object, string]>([
    ['neither an address nor a function', { url: null }, 'url REQUIRED'],
    ['both', { function: 'nothing_there' }, 'function NOT_TOGETHER'],
    ['no operation', { operations: [] }, 'operations EMPTY'],
    ['an operation twice', { operations: ['CREATE', 'CREATE'] }, 'operations NOT_UNIQUE'],
    ['a function that does not exist', { url: null, function: 'nothing_there' }, 'function UNKNOWN_REFERENCE'],
    ['an address that is not public', { url: 'https://10.0.0.1/' }, 'url ADDRESS_NOT_PUBLIC'],
    ['a timeout above the bound', { timeoutMs: 5_001 }, 'timeoutMs OUT_OF_RANGE'],
  ])('refuses %s, and nothing is changed', async (_name, hook, problem) => {
    const wrong = { objectType: 'ACCOUNT', name: 'Wrong', url: receiver.url, ...hook }
    const { status, body } = await unchanged(() => owner.rest['beforeSaveHookCreate']!({ body: wrong } as never))
    expect([status, body.errors.map(({ path, code }: Record<string, string>) => `${path} ${code}`)]).toEqual([
      400,
      [problem],
    ])
  })

  it('refuses the same name twice, the 11th of a record type, and everybody but administrators', async () => {
    await anOrganization()
    const { id } = await aHook({ objectType: 'TASK', name: 'H0', isActive: false })
    for (let n = 1; n < 10; n++) await aHook({ objectType: 'TASK', name: `H${n}`, isActive: false })
    await aHook({ objectType: 'CASE', name: 'H0', isActive: false })
    await unchanged(async () => {
      const make = (name: string, by = owner) =>
        by.rest['beforeSaveHookCreate']!({ body: { objectType: 'TASK', name, url: receiver.url } } as never)
      const twice = await make('H0')
      expect([twice.status, twice.body.code, twice.body.errors[0].conflictingId]).toEqual([409, 'UNIQUE_VIOLATION', id])
      const last = await make('One too many')
      expect([last.status, last.body.errors[0].code]).toEqual([400, 'TOO_MANY'])
      expect((await make('By a member', member)).body.code).toBe('PERMISSION_DENIED')
      expect((await member.rest['beforeSaveHookList']!({})).status).toBe(403)
    })
    expect((await owner.rest['beforeSaveHookList']!({})).body.total).toBe(11)
    const read = await owner.rest['beforeSaveHook']!({ id })
    expect([read.body.secret, JSON.stringify(read.body).includes('whsec_')]).toEqual([undefined, false])
  })
})

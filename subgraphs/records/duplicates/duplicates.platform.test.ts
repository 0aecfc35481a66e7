import { beforeEach, describe, expect, it } from 'vitest'
import { account, contact, lead } from '../../../test/builders.ts'
import { BulkJobs } from '../../../test/bulk-jobs.fixture.ts'
import { refused, refusedInputs, unchanged } from '../../../test/expectations.ts'
import { anOrganization, field } from '../../../test/extensions/custom-fields.fixture.ts'
import { memberWithout, object, visit } from '../../../test/extensions/custom-objects.fixture.ts'
import { copiesOf } from '../../../test/extensions/field-changes.fixture.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import type { Answer } from '../../../test/rest-client.ts'
import { statementsOf } from '../../../test/statements.ts'
import { withCurrentExtensions } from '../../kernel/extension/current-extensions.ts'
import { newId } from '../../kernel/ids.ts'
import { refuseDuplicates } from '../../kernel/record/duplicates/refuse-duplicates.ts'
import { inNameOf } from '../../kernel/record/in-name-of.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { inTransaction, systemContext } from '../../kernel/request.ts'
import { consumeSearch, duplicateRule, settleDuplicateKeys, type Rule } from './duplicates.fixture.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)

let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

type Call = Parameters<Member['rest'][string]>[0]
const call = (operation: string, options: object, by = member): Promise<Answer> =>
  by.rest[operation]!(options as Call) as Promise<Answer>
const create = (body: object, by = member, headers = {}, operation = 'contactCreate') =>
  call(operation, { body: operation === 'accountCreate' ? body : { lastName: 'Dahl', ...body }, headers }, by)
const update = (id: string, body: object, by = member, headers = {}) => call('contactUpdate', { id, body, headers }, by)
const allow = { Prefer: 'duplicates=allow' }
const aUser = (options: object = {}) => platform.member({ organizationId: owner.organizationId, ...options })

interface Candidate {
  readonly object: string
  readonly id: string
  readonly matchedBy: readonly object[]
  readonly score: number
}

const compareTexts = (one: string, other: string): number => (one < other ? -1 : 1)

/** The status and code of a refusal, and the ids of its candidates. */
const blocked = ({ status, body }: Answer): unknown[] => [
  status,
  body.code,
  ...((body['candidates'] ?? []) as readonly Candidate[]).map(({ id }) => id),
]
const candidatesOf = ({ body }: Answer): string[] => (body['candidates'] as Candidate[]).map(({ id }) => id)
const duplicatesOf = (id: string, by = member, operation = 'contactDuplicates', query = {}) =>
  call(operation, { id, query }, by)

describe('a rule of duplicates', () => {
  it('finds older records as soon as their keys are written, and is then READY', async () => {
    const first = await contact(member, { email: 'Ida+work@yard.example' })
    const rule = await duplicateRule(owner)
    expect(rule).toMatchObject({ state: 'BUILDING', logic: 'ALL', isActive: true, version: 1 })
    await settleDuplicateKeys(platform)
    expect((await call('duplicateRule', { id: rule.id }, owner)).body).toMatchObject({ state: 'READY', version: 2 })
    expect(blocked(await unchanged(platform, () => create({ email: 'ida@yard.example' })))).toEqual([
      409,
      'DUPLICATE_DETECTED',
      first.id,
    ])
  })

  it('writes the keys of many records in batches, and removes those that no rule has any more', async () => {
    const { id } = await account(member, { name: 'Copied' })
    await copiesOf(platform, member, id, 2_100)
    const keys = async () =>
      (
        await platform.query<{ n: number }>(
          `select count(*)::int as n from kernel.record_value where organization_id = $1 and field like '=%'`,
          [owner.organizationId],
        )
      )[0]!.n
    const values = { object: 'account', matchers: [{ field: 'name', method: 'COMPANY' }] }
    const rule = await duplicateRule(owner, values)
    const other = await duplicateRule(owner, { ...values, name: 'Other', action: 'REPORT' })
    await settleDuplicateKeys(platform)
    expect(await keys()).toBe(2_101)
    await call('duplicateRuleDelete', { id: rule.id }, owner)
    await settleDuplicateKeys(platform)
    expect(await keys()).toBe(2_101)
    await call('duplicateRuleUpdate', { id: other.id, body: { isActive: false } }, owner)
    await settleDuplicateKeys(platform)
    expect(await keys()).toBe(0)
    expect((await call('duplicateRule', { id: other.id }, owner)).body).toMatchObject({ state: 'INACTIVE' })
  })

  it('refuses fields that it cannot compare, and more than ten active ones for a record type', async () => {
    await field(owner, { entity: 'CONTACT', name: 'size', fieldType: 'NUMBER' })
    await field(owner, {
      entity: 'CONTACT',
      name: 'twice',
      fieldType: 'FORMULA',
      formulaConfig: { expression: 'customFields.size * 2', returnType: 'NUMBER' },
    })
    const refusedWith = (values: object) =>
      refusedInputs(platform, () =>
        call(
          'duplicateRuleCreate',
          { body: { object: 'contact', name: 'R', matchers: [{ field: 'email', method: 'EMAIL' }], ...values } },
          owner,
        ),
      )
    const matcher = (name: string, method: string) => ({ matchers: [{ field: name, method }] })
    const bad = (problem: string) => [400, 'VALIDATION_FAILED', problem]
    expect(await refusedWith({ object: 'task' })).toEqual(bad('object NOT_ALLOWED'))
    expect(await refusedWith({ object: 'custom:nothing' })).toEqual(bad('object UNKNOWN_REFERENCE'))
    expect(await refusedWith(matcher('nothing', 'EXACT'))).toEqual(bad('matchers.0.field UNKNOWN_FIELD'))
    expect(await refusedWith(matcher('normalizedEmail', 'EXACT'))).toEqual(bad('matchers.0.field UNKNOWN_FIELD'))
    expect(await refusedWith(matcher('secondaryEmails', 'EXACT'))).toEqual(bad('matchers.0.field NOT_ALLOWED'))
    expect(await refusedWith(matcher('customFields.size', 'EMAIL'))).toEqual(bad('matchers.0.field NOT_ALLOWED'))
    expect(await refusedWith(matcher('customFields.twice', 'EXACT'))).toEqual(bad('matchers.0.field NOT_ALLOWED'))
    const fuzzy = (threshold: number | null, name = 'name') => ({
      matchers: [{ field: name, method: 'FUZZY', threshold }],
    })
    expect(await refusedWith(fuzzy(null))).toEqual(bad('matchers.0.threshold REQUIRED'))
    expect(await refusedWith(fuzzy(0.5))).toEqual(bad('matchers.0.threshold OUT_OF_RANGE'))
    expect(await refusedWith(fuzzy(0.9, 'salutation'))).toEqual(bad('matchers.0.field NOT_ALLOWED'))
    expect(await refusedWith({ matchers: [{ field: 'email', method: 'EMAIL', threshold: 0.9 }] })).toEqual(
      bad('matchers.0.threshold NOT_ALLOWED'),
    )
    expect(await refusedWith({ matchers: [] })).toEqual(bad('matchers EMPTY'))
    const twice = [
      { field: 'email', method: 'EMAIL' },
      { field: 'email', method: 'EMAIL' },
    ]
    expect(await refusedWith({ matchers: twice })).toEqual(bad('matchers.1 NOT_UNIQUE'))
    const similar = await duplicateRule(owner, {
      name: 'Similar',
      matchers: ['title', 'department', 'name'].map((name) => fuzzy(0.9, name).matchers[0]),
    })
    expect(await refusedWith(fuzzy(0.9))).toEqual(bad('matchers TOO_MANY'))
    const { id: off } = await duplicateRule(owner, { name: 'Off', isActive: false, ...fuzzy(0.9) })
    const turnOn = () => call('duplicateRuleUpdate', { id: off, body: { isActive: true } }, owner)
    expect(await refusedInputs(platform, turnOn)).toEqual(bad('matchers TOO_MANY'))
    await call('duplicateRuleDelete', { id: similar.id }, owner)
    for (let n = 1; n <= 10; n++) await duplicateRule(owner, { name: `Rule ${n}` })
    expect(await refusedWith({})).toEqual(bad('isActive TOO_MANY'))
    const { id } = await duplicateRule(owner, { name: 'Rule 11', isActive: false })
    const activate = () => call('duplicateRuleUpdate', { id, body: { isActive: true } }, owner)
    expect(await refusedInputs(platform, activate)).toEqual(bad('isActive TOO_MANY'))
    expect(await refused(platform, () => call('duplicateRuleUpdate', { id: newestRule, body: {} }, member))).toEqual([
      403,
      'PERMISSION_DENIED',
    ])
  })

  it('keeps a custom field and a custom object from being deleted', async () => {
    const code = await field(owner, { entity: 'CONTACT' })
    await duplicateRule(owner, { matchers: [{ field: 'customFields.code', method: 'EXACT' }] })
    expect(await refused(platform, () => call('customFieldDelete', { id: code.id }, owner))).toEqual([
      409,
      'HAS_DEPENDENTS',
    ])
    const { id } = await object(owner)
    const matchers = [{ field: 'customFields.subject', method: 'EXACT' }]
    await duplicateRule(owner, { object: 'custom:site_visit', matchers })
    expect(await refused(platform, () => call('customObjectDelete', { id }, owner))).toEqual([409, 'HAS_DEPENDENTS'])
  })

  it('must not name a field that is hidden from the administrator who sets it up', async () => {
    const admin = await memberWithout(platform, owner.organizationId, { contact: ['email'] }, { role: 'ADMIN' })
    const body = { object: 'contact', name: 'R', matchers: [{ field: 'email', method: 'EMAIL' }] }
    expect(await refusedInputs(platform, () => call('duplicateRuleCreate', { body }, admin))).toEqual([
      400,
      'VALIDATION_FAILED',
      'matchers.0.field FIELD_NOT_READABLE',
    ])
  })

  it('costs a write of an organization without rules no statement', async () => {
    const write = (by: Member) => () => create({ email: 'ida@yard.example' }, by)
    const before = await statementsOf(platform, write(member))
    expect(before.filter((text) => text.includes('duplicate') || text.includes('pg_advisory'))).toEqual([])
  })
})

/** No rule has this id: the role is refused first. */
const newestRule = '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'

describe('a method finds equal', () => {
  const pairs: readonly (readonly [method: string, name: string, one: object, other: object, operation: string])[] = [
    ['EXACT', 'department', { department: 'Fleet  Ops' }, { department: ' fleet OPS' }, 'contact'],
    ['EMAIL', 'email', { email: 'Ida@yard.example' }, { email: 'ida+x@YARD.example' }, 'contact'],
    ['DOMAIN', 'website', { website: 'https://www.yard.example/about' }, { website: 'YARD.example' }, 'account'],
    ['DOMAIN', 'email', { email: 'ida@yard.example' }, { email: 'per@yard.example' }, 'contact'],
    ['COMPANY', 'name', { name: 'Nordkaj Terminal AB' }, { name: 'Nordkaj Terminal, Inc.' }, 'account'],
    ['PERSON', 'name', { firstName: 'Ida', lastName: 'Dahl' }, { firstName: 'Dahl', lastName: 'IDA' }, 'contact'],
    ['PHONE', 'phone', { phone: '+46 70 174 06 52' }, { phone: '070-174 06 52' }, 'contact'],
    ['COMPANY', 'company', { company: 'Nordkaj GmbH' }, { company: 'nordkaj' }, 'lead'],
  ]

  it.each(pairs)('by %s of %s', async (method, name, one, other, type) => {
    await duplicateRule(owner, { object: type, name: 'Rule', matchers: [{ field: name, method }] })
    const base = type === 'account' ? { name: 'Unlike' } : { lastName: 'Unlike' }
    const first = (await call(`${type}Create`, { body: { ...base, ...one } })).body as { id: string }
    const { status, body } = await unchanged(platform, () => call(`${type}Create`, { body: { ...base, ...other } }))
    expect([status, body.code]).toEqual([409, 'DUPLICATE_DETECTED'])
    expect(body['candidates']).toEqual([
      { object: type, id: first.id, matchedBy: [{ rule: 'Rule', field: name, method }], score: 1 },
    ])
    const others = type === 'account' ? { name: 'Else' } : { firstName: 'No', lastName: 'Else' }
    const blank = await call(`${type}Create`, { body: others })
    expect(blank.status, JSON.stringify(blank.body)).toBe(201)
  })

  it('by a custom field of a custom object', async () => {
    await object(owner)
    await duplicateRule(owner, {
      object: 'custom:site_visit',
      matchers: [{ field: 'customFields.subject', method: 'EXACT' }],
    })
    const first = await visit(member, { subject: 'Weld 3' })
    const body = { customFields: { subject: 'weld  3' } }
    expect(blocked(await call('customRecordCreate', { name: 'site_visit', body }))).toEqual([
      409,
      'DUPLICATE_DETECTED',
      first.id,
    ])
    const second = await call('customRecordCreate', { name: 'site_visit', body, headers: allow })
    expect(second.status).toBe(201)
    const found = await call('customRecordDuplicates', { name: 'site_visit', id: first.id })
    expect(candidatesOf(found)).toEqual([second.body.id])
    const sought = await call('duplicatesFind', { body: { object: 'custom:site_visit', values: body } })
    expect(candidatesOf(sought)).toEqual([first.id, second.body.id])
  })
})

describe('BLOCK', () => {
  let rule: Rule

  beforeEach(async () => {
    rule = await duplicateRule(owner)
  })

  it('refuses creates, updates and restores, and changes nothing', async () => {
    const first = await contact(member, { email: 'ida@yard.example' })
    const second = await contact(member, { email: 'per@yard.example' })
    const refusal = [409, 'DUPLICATE_DETECTED', first.id]
    expect(blocked(await unchanged(platform, () => create({ email: 'IDA@yard.example' })))).toEqual(refusal)
    expect(blocked(await unchanged(platform, () => update(second.id, { email: 'ida+2@yard.example' })))).toEqual(
      refusal,
    )
    await call('contactDelete', { id: second.id })
    const third = await contact(member, { email: 'per@yard.example' })
    expect(blocked(await unchanged(platform, () => call('contactRestore', { id: second.id })))).toEqual([
      409,
      'DUPLICATE_DETECTED',
      third.id,
    ])
    const restored = await call('contactRestore', { id: second.id, headers: allow })
    expect([restored.status, restored.headers.get('preference-applied')]).toEqual([200, 'duplicates=allow'])
  })

  it('does not refuse a change that leaves the compared field as it is', async () => {
    const first = await contact(member, { email: 'ida@yard.example' })
    const second = await create({ email: 'ida@yard.example' }, member, allow)
    expect(second.status).toBe(201)
    const id = second.body.id as string
    expect((await update(id, { title: 'Welder' })).status).toBe(200)
    expect((await update(id, { email: 'IDA@yard.example' })).status).toBe(200)
    expect((await update(first.id, { email: null })).status).toBe(200)
    expect((await update(id, { email: 'per@yard.example' })).status).toBe(200)
    expect((await update(first.id, { email: 'ida@yard.example' })).status).toBe(200)
  })

  it('does not refuse duplicates of deleted records, of inactive rules and of rules that report', async () => {
    const first = await contact(member, { email: 'ida@yard.example' })
    await call('duplicateRuleUpdate', { id: rule.id, body: { action: 'REPORT' } }, owner)
    const second = await create({ email: 'ida@yard.example' })
    expect(second.status).toBe(201)
    expect(candidatesOf(await duplicatesOf(first.id))).toEqual([second.body.id])
    await call('duplicateRuleUpdate', { id: rule.id, body: { action: 'BLOCK' } }, owner)
    for (const id of [first.id, second.body.id as string]) await call('contactDelete', { id })
    expect((await create({ email: 'ida@yard.example' })).status).toBe(201)
    await call('duplicateRuleUpdate', { id: rule.id, body: { isActive: false } }, owner)
    const other = await create({ email: 'ida@yard.example' })
    expect(other.status).toBe(201)
    expect((await duplicatesOf(other.body.id as string)).body).toEqual({ candidates: [], hasMore: false })
  })

  it('compares only records of the organization', async () => {
    const { owner: stranger, member: other } = await anOrganization(platform)
    await duplicateRule(stranger)
    await contact(other, { email: 'ida@yard.example' })
    expect((await create({ email: 'ida@yard.example' })).status).toBe(201)
    const values = { email: 'ida@yard.example' }
    const found = await call('duplicatesFind', { body: { object: 'contact', values } })
    expect(candidatesOf(found)).toHaveLength(1)
  })

  it('neither refuses for records that the caller does not see, nor names them', async () => {
    const own = await aUser({ visibility: 'OWN' })
    await contact(member, { email: 'ida@yard.example' })
    const mine = await create({ email: 'ida@yard.example' }, own)
    expect(mine.status, JSON.stringify(mine.body)).toBe(201)
    expect(blocked(await create({ email: 'ida@yard.example' }, own))).toEqual([409, 'DUPLICATE_DETECTED', mine.body.id])
    expect((await duplicatesOf(mine.body.id as string, own)).body).toEqual({ candidates: [], hasMore: false })
    const sought = await call(
      'duplicatesFind',
      { body: { object: 'contact', values: { email: 'ida@yard.example' } } },
      own,
    )
    expect(candidatesOf(sought)).toEqual([mine.body.id])
  })

  it('leaves out what is hidden from the caller', async () => {
    await duplicateRule(owner, {
      name: 'Any',
      logic: 'ANY',
      matchers: [
        { field: 'phone', method: 'PHONE' },
        { field: 'email', method: 'DOMAIN' },
      ],
    })
    const first = await contact(member, { email: 'ida@yard.example', phone: '+46 8 465 004 18' })
    const blind = await memberWithout(platform, owner.organizationId, { contact: ['email'] })
    const values = { email: 'ida@yard.example' }
    expect((await call('duplicatesFind', { body: { object: 'contact', values } }, blind)).body).toEqual({
      candidates: [],
      hasMore: false,
    })
    const refusal = await create({ phone: '08-465 004 18' }, blind)
    expect(refusal.body['candidates']).toEqual([
      { object: 'contact', id: first.id, matchedBy: [{ rule: 'Any', field: 'phone', method: 'PHONE' }], score: 1 },
    ])
    const second = await create({ phone: '08-465 004 18' }, blind, allow)
    await update(second.body.id as string, values, member, allow)
    const found = (await duplicatesOf(first.id, blind)).body['candidates'] as Candidate[]
    expect(found.map(({ matchedBy }) => matchedBy)).toEqual([[{ rule: 'Any', field: 'phone', method: 'PHONE' }]])
    const whole = (await duplicatesOf(first.id)).body['candidates'] as Candidate[]
    expect(whole[0]!.matchedBy).toHaveLength(3)
  })

  it('needs all matchers of a rule with the logic ALL', async () => {
    await call('duplicateRuleDelete', { id: rule.id }, owner)
    await duplicateRule(owner, {
      name: 'Both',
      matchers: [
        { field: 'name', method: 'PERSON' },
        { field: 'email', method: 'DOMAIN' },
      ],
    })
    const first = await contact(member, { firstName: 'Ida', lastName: 'Dahl', email: 'ida@yard.example' })
    expect((await create({ firstName: 'Ida', email: 'ida@other.example' })).status).toBe(201)
    expect((await create({ firstName: 'Per', email: 'per@yard.example' })).status).toBe(201)
    expect((await create({ firstName: 'Ida' })).status).toBe(201)
    expect(blocked(await create({ firstName: 'Ida', email: 'i.dahl@yard.example' }))).toEqual([
      409,
      'DUPLICATE_DETECTED',
      first.id,
    ])
  })

  it('refuses all but one of records that are created at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => create({ email: `ida+${n}@yard.example` })))
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201, 409, 409, 409, 409, 409,
    ])
    expect(new Set(answers.filter(({ status }) => status === 409).flatMap(candidatesOf)).size).toBe(1)
  })

  it('takes at most 64 locks in a transaction, however many keys it writes', async () => {
    await platform.services.extensions.load(owner.organizationId)
    const ctx = inNameOf(systemContext(platform.services, owner.organizationId), owner.userId)
    await withCurrentExtensions(ctx, (current) =>
      inTransaction(current, async (inner) => {
        const shape = shapeFor(inner, recordType('contact')())
        const count = async () => {
          const [row] = await inner.db.query<{ n: number }>(
            `select count(*)::int as n from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'`,
          )
          return row!.n
        }
        for (let n = 0; n < 500; n++) {
          const next = { ...shape.columns.blank(), id: newId(), email: `n${n}@yard.example` }
          await refuseDuplicates(inner, shape, { operation: 'CREATE' }, next, null)
        }
        expect(await count()).toBe(64)
      }),
    )
  })

  it('takes the locks of a change of many records before the first of them is written', async () => {
    const ids = [await contact(member), await contact(member)].map(({ id }) => id)
    const written = async (values: object): Promise<string[]> => {
      const change = () => call('contactBulkUpdate', { body: { items: ids.map((id) => ({ id, ...values })) } })
      const matching = /pg_advisory_xact_lock.*from unnest|update crm\.contact/s
      const statements = await statementsOf(platform, change, matching, { inTransactions: true })
      return statements.map((text) => (text.includes('pg_advisory') ? 'lock' : 'write'))
    }
    expect(await written({ email: 'ida@yard.example' })).toEqual(['lock', 'lock', 'write', 'lock'])
    expect(await written({ title: 'Welder' })).toEqual(['write', 'write'])
  })

  it('lets GraphQL allow duplicates by a directive or by Prefer', async () => {
    const mutation = (directive: string) =>
      `mutation ${directive} { contactCreate(input: { lastName: "Dahl", email: "ida@yard.example" }) { id } }`
    expect((await member.graphql(mutation(''))).body.errors).toBeUndefined()
    const { body } = await member.graphql(mutation(''))
    expect(body.errors).toMatchObject([
      { extensions: { code: 'DUPLICATE_DETECTED', candidates: [{ object: 'contact', score: 1 }] } },
    ])
    expect((await member.graphql(mutation('@allowDuplicates'))).body.errors).toBeUndefined()
    expect((await member.graphql(mutation('@allowDuplicates @dryRun'))).body.errors).toBeUndefined()
    expect((await member.graphql(mutation(''), {}, allow)).body.errors).toBeUndefined()
    expect((await call('contactList', {})).body.data).toHaveLength(3)
  })

  it('refuses another value of the preference', async () => {
    const headers = { Prefer: 'duplicates=maybe' }
    expect(await refusedInputs(platform, () => create({ email: 'ida@yard.example' }, member, headers))).toEqual([
      400,
      'VALIDATION_FAILED',
      'Prefer NOT_ALLOWED',
    ])
  })

  it('refuses a dry run as the change itself, which then changes nothing', async () => {
    const first = await contact(member, { email: 'ida@yard.example' })
    const dry = (prefer: string) =>
      unchanged(platform, () => create({ email: 'ida@yard.example' }, member, { Prefer: prefer }))
    // The first dry run of an organization makes its data key.
    await create({}, member, { Prefer: 'dry-run' })
    expect(blocked(await dry('dry-run'))).toEqual([409, 'DUPLICATE_DETECTED', first.id])
    const allowed = await dry('duplicates=allow, dry-run')
    expect([allowed.status, allowed.headers.get('preference-applied')]).toEqual([200, 'duplicates=allow, dry-run'])
  })

  it('replays the refusal for the same Idempotency-Key, and does not take it for the change that is allowed', async () => {
    await contact(member, { email: 'ida@yard.example' })
    const headers = { 'Idempotency-Key': 'create Ida' }
    const first = await create({ email: 'ida@yard.example' }, member, headers)
    const again = await create({ email: 'ida@yard.example' }, member, headers)
    expect([first.status, again.status, again.body['candidates']]).toEqual([409, 409, first.body['candidates']])
    const other = await create({ email: 'ida@yard.example' }, member, { ...headers, ...allow })
    expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
  })

  it('refuses single items of a bulk change, also of one another', async () => {
    const first = await contact(member, { email: 'ida@yard.example' })
    const items = ['IDA@yard.example', 'per@yard.example', 'Per@yard.example'].map((email, n) => ({
      externalId: `c${n}`,
      lastName: 'Dahl',
      email,
    }))
    const { body } = await call('contactBulkUpsert', { body: { items } })
    expect(body['results']).toMatchObject([
      { status: 'FAILED', code: 'DUPLICATE_DETECTED' },
      { status: 'CREATED' },
      { status: 'FAILED', code: 'DUPLICATE_DETECTED' },
    ])
    const second = await contact(member, { email: 'ola@yard.example' })
    const changes = [
      { id: second.id, email: 'ida@yard.example' },
      { id: first.id, title: 'Welder' },
    ]
    const updated = await call('contactBulkUpdate', { body: { items: changes } })
    expect(updated.body).toMatchObject({ succeeded: 1, failed: 1 })
  })

  it('refuses single rows of a bulk job, also of one another', async () => {
    await contact(member, { email: 'ida@yard.example' })
    const csv = 'lastName,email\nDahl,ida@yard.example\nBerg,per@yard.example\nBerg,PER@yard.example\nLie,\nLie,\n'
    const job = await jobs.load(owner, { object: 'contact' }, csv)
    expect(job).toMatchObject({
      recordsSucceeded: 3,
      recordsFailed: 2,
      errorSummary: [{ code: 'DUPLICATE_DETECTED', count: 2 }],
    })
    const { body } = await call('contactList', {})
    const listed = body.data as { readonly lastName: string; readonly email: string | null }[]
    expect(listed.map(({ lastName, email }) => `${lastName} ${email}`).toSorted(compareTexts)).toEqual([
      'Berg per@yard.example',
      expect.stringMatching(/ ida@yard.example$/),
      'Lie null',
      'Lie null',
    ])
  })

  it('refuses the conversion of a lead whose contact is a duplicate', async () => {
    await contact(member, { email: 'ida@yard.example' })
    const { id } = await lead(member, { lastName: 'Dahl', email: 'ida+lead@yard.example', company: 'Yard' })
    const convert = (headers = {}) => call('leadConvert', { id, body: { createOpportunity: false }, headers })
    const { status, body } = await unchanged(platform, () => convert())
    expect([status, body.code, candidatesOf({ body } as never).length]).toEqual([409, 'DUPLICATE_DETECTED', 1])
    const converted = await convert(allow)
    expect(converted.status, JSON.stringify(converted.body)).toBe(200)
  })

  it('does not refuse the merge of duplicates', async () => {
    const first = await contact(member, { lastName: 'Dahl' })
    const second = await contact(member, { email: 'ida@yard.example' })
    const merged = await call('contactMerge', { id: first.id, body: { ids: [second.id] } })
    expect(merged.status, JSON.stringify(merged.body)).toBe(200)
    expect(merged.body['record']).toMatchObject({ email: 'ida@yard.example' })
    expect(blocked(await create({ email: 'ida@yard.example' }))).toEqual([409, 'DUPLICATE_DETECTED', first.id])
  })
})

describe('FUZZY', () => {
  const matchers = [{ field: 'name', method: 'FUZZY', threshold: 0.9 }]

  it('finds similar texts as soon as the search knows them, the most similar first', async () => {
    const rule = await duplicateRule(owner, { object: 'account', name: 'Similar', matchers })
    expect(rule).toMatchObject({ state: 'READY' })
    const near = await account(member, { name: 'Halvorsen Marine AS' })
    const nearer = await account(member, { name: 'Halvørsen Marina' })
    const far = await account(member, { name: 'Halvorsen Fish Export Company' })
    await consumeSearch(platform, member.organizationId)
    const refusal = await unchanged(platform, () => create({ name: 'Marine Halvorsen' }, member, {}, 'accountCreate'))
    expect([refusal.status, refusal.body['candidates']]).toEqual([
      409,
      [nearer, near].map(({ id }, place) => ({
        object: 'account',
        id,
        matchedBy: [{ rule: 'Similar', field: 'name', method: 'FUZZY' }],
        score: [0.975, 0.9684][place],
      })),
    ])
    expect(candidatesOf(refusal)).not.toContain(far.id)
    const misspelt = await call('duplicatesFind', { body: { object: 'account', values: { name: 'Halvorsn Marine' } } })
    expect(new Set(candidatesOf(misspelt))).toEqual(new Set([near.id, nearer.id]))
    expect((await create({ name: 'Barents Sea Shipping' }, member, {}, 'accountCreate')).status).toBe(201)
  })

  it('of all matchers compares the records that another matcher has found', async () => {
    await duplicateRule(owner, {
      object: 'account',
      matchers: [...matchers, { field: 'website', method: 'DOMAIN' }],
    })
    const first = await account(member, { name: 'Halvorsen Marine', website: 'halvorsen.example' })
    const second = (name: string) => create({ name, website: 'www.halvorsen.example' }, member, {}, 'accountCreate')
    expect((await second('Barents Shipping')).status).toBe(201)
    expect(blocked(await second('Halvorsen Marina'))).toEqual([409, 'DUPLICATE_DETECTED', first.id])
  })

  it('neither names records that the caller does not see, nor compares a hidden field', async () => {
    await duplicateRule(owner, { matchers })
    await contact(member, { firstName: 'Ingrid', lastName: 'Halvorsen' })
    await consumeSearch(platform, member.organizationId)
    const values = { firstName: 'Ingrid', lastName: 'Halvorsn' }
    const find = (by: Member) => call('duplicatesFind', { body: { object: 'contact', values } }, by)
    expect(candidatesOf(await find(member))).toHaveLength(1)
    expect(candidatesOf(await find(await aUser({ visibility: 'OWN' })))).toEqual([])
    const blind = await memberWithout(platform, owner.organizationId, { contact: ['firstName'] })
    expect(candidatesOf(await find(blind))).toEqual([])
  })
})

describe('duplicatesFind', () => {
  it('takes what follows from the values, and names the best first', async () => {
    await duplicateRule(owner, {
      action: 'REPORT',
      logic: 'ANY',
      matchers: [
        { field: 'email', method: 'EMAIL' },
        { field: 'name', method: 'PERSON' },
      ],
    })
    const one = await contact(member, { firstName: 'Ida', lastName: 'Dahl' })
    const both = await contact(member, { firstName: 'Ida', lastName: 'Dahl', email: 'ida@yard.example' })
    const values = { firstName: 'Ida', lastName: 'Dahl', email: 'ida@yard.example' }
    const find = (body: object, by = member) =>
      call('duplicatesFind', { body: { object: 'contact', values, ...body } }, by)
    expect(candidatesOf(await find({}))).toEqual([both.id, one.id])
    expect((await find({ limit: 1 })).body).toMatchObject({ candidates: [{ id: both.id }], hasMore: true })
    expect(candidatesOf(await find({ values: { name: 'Dahl, Ida' } }))).toEqual([one.id, both.id])
    expect((await find({ values: {} })).body).toEqual({ candidates: [], hasMore: false })
  })

  it('refuses what it does not know, and types without their scope', async () => {
    const find = (body: object, by = member) =>
      refusedInputs(platform, () => call('duplicatesFind', { body: { object: 'contact', values: {}, ...body } }, by))
    expect(await find({ object: 'task' })).toEqual([400, 'VALIDATION_FAILED', 'object.0 NOT_ALLOWED'])
    expect(await find({ values: { nothing: 1, lastName: 5 } })).toEqual([
      400,
      'UNKNOWN_FIELD',
      'values.nothing UNKNOWN_FIELD',
      'values.lastName WRONG_TYPE',
    ])
    expect(await find({ values: [] })).toEqual([400, 'VALIDATION_FAILED', 'values WRONG_TYPE'])
    const key = await aUser({ scopes: ['READ_ACCOUNTS'] })
    expect(await find({}, key)).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
  })
})

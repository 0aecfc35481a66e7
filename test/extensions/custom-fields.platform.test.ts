import { beforeEach, describe, expect, it } from 'vitest'
import { CachedExtensions } from '../../subgraphs/kernel/extension/cached-extensions.ts'
import { account as accountRecord } from '../../subgraphs/crm/account/account.record.ts'
import { recordsOf } from '../../subgraphs/kernel/record/records-of.ts'
import { inTransaction, requestContext, systemContext, type RequestContext } from '../../subgraphs/kernel/request.ts'
import { account, quote } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { statementsOf } from '../statements.ts'
import { aField, anOrganization, field, problemsOf, valuesNamed } from './custom-fields.fixture.ts'

const platform = usePlatform()
const accounts = recordsOf(accountRecord)

let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

const create = (values: object, by = owner) => by.rest['customFieldCreate']!({ body: aField(values) } as never)
const update = (id: string, body: object, by = owner) => by.rest['customFieldUpdate']!({ id, body } as never)
const remove = (id: string, by = owner) => by.rest['customFieldDelete']!({ id })
const restore = (id: string, by = owner) => by.rest['customFieldRestore']!({ id })
const newAccount = (customFields: object, by = member) =>
  by.rest['accountCreate']!({ body: { name: 'A', customFields } })
const changeAccount = (id: string, customFields: object, by = member) =>
  by.rest['accountUpdate']!({ id, body: { customFields } })

/** The context of a user, with the definitions that this process has in memory. */
const contextOf = ({ organizationId, userId }: Member): RequestContext => {
  const { caller } = systemContext(platform.services, organizationId)
  const acting = { ...caller, kind: 'API_KEY' as const, userId }
  return requestContext({ caller: acting, requestId: 'request', idempotency: null }, platform.services)
}

describe('customFieldCreate', () => {
  it('adds a field that every write checks from the answer on, and announces it', async () => {
    const { status, body } = await create({
      name: 'tier',
      label: 'Tier',
      fieldType: 'PICKLIST',
      picklistValues: [
        { value: 'GOLD', label: 'Gold', color: '#c9a227' },
        { value: 'SILVER', isDefault: true },
      ],
    })
    expect([status, body]).toMatchObject([
      201,
      {
        entity: 'ACCOUNT',
        name: 'tier',
        label: 'Tier',
        fieldType: 'PICKLIST',
        description: null,
        isRequired: false,
        isActive: true,
        isSearchable: false,
        defaultValue: null,
        picklistValues: [
          { value: 'GOLD', label: 'Gold', color: '#c9a227', isDefault: false, isActive: true, sortOrder: 0 },
          { value: 'SILVER', label: null, color: null, isDefault: true, isActive: true, sortOrder: 0 },
        ],
        controllingField: null,
        dependentValues: null,
        pattern: null,
        precision: null,
        maxLength: null,
        minValue: null,
        maxValue: null,
        sortOrder: 0,
        version: 1,
      },
    ])
    expect(await platform.eventTypesOf(body.id)).toEqual(['custom_field.created'])
    expect(problemsOf(await newAccount({ tier: 'BRONZE' }))).toBe('400 VALIDATION_FAILED customFields.tier NOT_ALLOWED')
    expect((await newAccount({})).body.customFields).toEqual({ tier: 'SILVER' })
    expect(await field(owner, { name: 'second' })).toMatchObject({ sortOrder: 1 })
    expect(await field(owner, { name: 'second', entity: 'LEAD' })).toMatchObject({ sortOrder: 0 })
  })

  it.each<[string, object, string]>([
    ['a name that begins with a digit', { name: '1st' }, 'name WRONG_FORMAT'],
    ['a name with other characters', { name: 'naïve' }, 'name WRONG_FORMAT'],
    ['a name that JavaScript knows', { name: '__proto__' }, 'name RESERVED'],
    ['a name that every object has', { name: 'constructor' }, 'name RESERVED'],
    ['a function that every object has', { name: 'toString' }, 'name RESERVED'],
    ['a word of formulas', { name: 'NULL' }, 'name RESERVED'],
    ['an empty label', { label: ' ' }, 'label WRONG_FORMAT'],
    ['a picklist without values', { fieldType: 'PICKLIST' }, 'picklistValues EMPTY'],
    [
      'a picklist without an active value',
      { fieldType: 'PICKLIST', picklistValues: [{ value: 'A', isActive: false }] },
      'picklistValues EMPTY',
    ],
    [
      'a value twice',
      { fieldType: 'PICKLIST', picklistValues: valuesNamed('A', 'A') },
      'picklistValues.1.value NOT_UNIQUE',
    ],
    [
      'two defaults of a PICKLIST',
      { fieldType: 'PICKLIST', picklistValues: ['A', 'B'].map((value) => ({ value, isDefault: true })) },
      'picklistValues TOO_MANY',
    ],
    [
      'an inactive default',
      { fieldType: 'PICKLIST', picklistValues: [{ value: 'A' }, { value: 'B', isActive: false, isDefault: true }] },
      'picklistValues.1.isDefault NOT_ALLOWED',
    ],
    [
      'a colour of another form',
      { fieldType: 'PICKLIST', picklistValues: [{ value: 'A', color: 'red' }] },
      'picklistValues.0.color WRONG_FORMAT',
    ],
    [
      'both forms of a default',
      { fieldType: 'MULTI_PICKLIST', picklistValues: valuesNamed('A'), defaultValue: 'A' },
      'defaultValue NOT_TOGETHER',
    ],
    ['values of a text', { picklistValues: valuesNamed('A') }, 'picklistValues NOT_ALLOWED'],
    ['a precision of a text', { precision: 2 }, 'precision NOT_ALLOWED'],
    ['bounds of a date', { fieldType: 'DATE', minValue: 1 }, 'minValue NOT_ALLOWED'],
    ['a pattern of a number', { fieldType: 'NUMBER', pattern: '^a' }, 'pattern NOT_ALLOWED'],
    ['a search in a number', { fieldType: 'NUMBER', isSearchable: true }, 'isSearchable NOT_ALLOWED'],
    ['a pattern with a back-reference', { pattern: String.raw`(a)\1` }, 'pattern WRONG_FORMAT'],
    ['11 decimals', { fieldType: 'NUMBER', precision: 11 }, 'precision OUT_OF_RANGE'],
    ['a length above that of the type', { maxLength: 256 }, 'maxLength OUT_OF_RANGE'],
    ['an empty range', { fieldType: 'NUMBER', minValue: 2, maxValue: 1 }, 'maxValue OUT_OF_RANGE'],
    ['a default that is no number', { fieldType: 'NUMBER', defaultValue: 'many' }, 'defaultValue WRONG_TYPE'],
    [
      'a default outside of the range',
      { fieldType: 'NUMBER', maxValue: 1, defaultValue: '2' },
      'defaultValue OUT_OF_RANGE',
    ],
    ['a default without a match', { pattern: '^A', defaultValue: 'B' }, 'defaultValue WRONG_FORMAT'],
    ['a default that is no date', { fieldType: 'DATE', defaultValue: '2026-02-30' }, 'defaultValue WRONG_TYPE'],
    [
      'a default that is no value',
      { fieldType: 'PICKLIST', picklistValues: valuesNamed('A'), defaultValue: 'B' },
      'defaultValue NOT_ALLOWED',
    ],
    [
      'a field of another type that controls it',
      { controllingField: 'x' },
      'controllingField NOT_ALLOWED dependentValues REQUIRED',
    ],
    [
      'dependent values alone',
      { fieldType: 'PICKLIST', picklistValues: valuesNamed('A'), dependentValues: { X: ['A'] } },
      'controllingField REQUIRED',
    ],
    [
      'a controlling field that does not exist',
      { fieldType: 'PICKLIST', picklistValues: valuesNamed('A'), controllingField: 'x', dependentValues: { X: ['A'] } },
      'controllingField UNKNOWN_REFERENCE',
    ],
    [
      'a dependent value that is none',
      { fieldType: 'PICKLIST', picklistValues: valuesNamed('A'), controllingField: 'x', dependentValues: { X: ['B'] } },
      'dependentValues.X.0 NOT_ALLOWED',
    ],
    [
      'dependent values of another form',
      { fieldType: 'PICKLIST', picklistValues: valuesNamed('A'), controllingField: 'x', dependentValues: { X: 'A' } },
      'dependentValues.X WRONG_TYPE',
    ],
    [
      'a field that controls itself',
      { fieldType: 'PICKLIST', picklistValues: valuesNamed('A'), controllingField: 'code', dependentValues: {} },
      'controllingField CIRCULAR',
    ],
  ])('refuses %s with 400, and nothing is written', async (_, values, problem) => {
    const before = await platform.fingerprint(owner.organizationId)
    expect(problemsOf(await create(values))).toBe(`400 VALIDATION_FAILED ${problem}`)
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })

  it('refuses a name that the record type has, also in other letters and of a deleted field, with 409', async () => {
    const { id } = await field(owner)
    for (const name of ['code', 'CODE'])
      expect(problemsOf(await create({ name }))).toBe('409 UNIQUE_VIOLATION name NOT_UNIQUE')
    expect((await remove(id)).status).toBe(204)
    const refused = await create({})
    expect([refused.status, refused.body.errors[0].conflictingId]).toEqual([409, id])
    expect(await field(owner, { entity: 'LEAD' })).toMatchObject({ name: 'code' })
    expect((await restore(id)).body).toMatchObject({ id, deletedAt: null, version: 3 })
    expect(await platform.eventTypesOf(id)).toEqual([
      'custom_field.created',
      'custom_field.deleted',
      'custom_field.restored',
    ])
  })

  it('is refused for members and without the scope with 403, and nothing is written', async () => {
    const reader = await platform.member({
      organizationId: owner.organizationId,
      role: 'OWNER',
      scopes: ['READ_CUSTOM_FIELDS'],
    })
    const other = await platform.member({
      organizationId: owner.organizationId,
      role: 'OWNER',
      scopes: ['WRITE_ACCOUNTS'],
    })
    const { id } = await field(owner)
    const before = await platform.fingerprint(owner.organizationId)
    expect(problemsOf(await create({ name: 'a' }, member))).toBe('403 PERMISSION_DENIED')
    expect(problemsOf(await create({ name: 'a' }, reader))).toBe('403 API_KEY_SCOPE_INSUFFICIENT')
    for (const change of [update(id, { label: 'B' }, member), remove(id, member), restore(id, member)])
      expect(problemsOf(await change)).toBe('403 PERMISSION_DENIED')
    const reordered = await member.rest['customFieldReorder']!({ body: { entity: 'ACCOUNT', fieldIds: [id] } } as never)
    expect(problemsOf(reordered)).toBe('403 PERMISSION_DENIED')
    expect(problemsOf(await other.rest['customFieldList']!({}))).toBe('403 API_KEY_SCOPE_INSUFFICIENT')
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    expect((await reader.rest['customField']!({ id })).body).toMatchObject({ name: 'code' })
    expect((await member.rest['customFieldList']!({ query: { entity: 'ACCOUNT' } })).body).toMatchObject({
      total: 1,
      data: [{ name: 'code' }],
    })
  })

  it('refuses the 501st field of a record type, and values beyond 500,000 characters, with 409', async () => {
    await field(owner, { entity: 'QUOTE' })
    await platform.query(
      `insert into extensions.field_definition select (f).* from (
         select jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid(), 'name', 'f' || n)) as f
         from extensions.field_definition f, generate_series(1, 498) n where f.organization_id = $1) s`,
      [owner.organizationId],
    )
    expect(await field(owner, { entity: 'QUOTE', name: 'last' })).toMatchObject({ name: 'last' })
    const before = await platform.fingerprint(owner.organizationId)
    const refused = await create({ entity: 'QUOTE', name: 'more' })
    expect([problemsOf(refused), refused.body]).toMatchObject(['409 LIMIT_REACHED', { limit: 500 }])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    const { id } = await field(owner, { entity: 'LEAD', fieldType: 'PICKLIST', picklistValues: valuesNamed('A') })
    await platform.query(
      `update extensions.field_definition set picklist_values = (select jsonb_agg(jsonb_build_object('value', repeat('x', 240) || n))
         from generate_series(1, 2000) n) where id = $1`,
      [id],
    )
    const long = Array.from({ length: 100 }, (_, index) => ({ value: `${index}`.padStart(200, 'y') }))
    expect(
      problemsOf(await create({ entity: 'LEAD', name: 'long', fieldType: 'PICKLIST', picklistValues: long })),
    ).toBe('409 LIMIT_REACHED')
  })

  it('is atomic under concurrency: one of two fields with one name is made', async () => {
    const answers = await Promise.all([create({}), create({ name: 'CODE' })])
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409])
  })
})

describe('customFieldUpdate', () => {
  it('applies to writes from its answer on; what records have may stay', async () => {
    const { id } = await field(owner, { fieldType: 'NUMBER' })
    const made = await account(member, { customFields: { code: 50 } })
    const changed = await update(id, { maxValue: 10, isRequired: true, label: 'Rank' })
    expect(changed.body).toMatchObject({ label: 'Rank', maxValue: 10, isRequired: true, version: 2 })
    expect((await platform.eventsOf(id)).at(-1)).toMatchObject({
      type: 'custom_field.updated',
      data: { changedFields: ['label', 'isRequired', 'maxValue'], previous: { label: 'Code' } },
    })
    expect(problemsOf(await changeAccount(made.id, { code: 11 }))).toBe(
      '400 VALIDATION_FAILED customFields.code OUT_OF_RANGE',
    )
    expect(problemsOf(await changeAccount(made.id, { code: null }))).toBe(
      '400 VALIDATION_FAILED customFields.code REQUIRED',
    )
    expect((await changeAccount(made.id, { code: 50 })).body.customFields).toEqual({ code: 50 })
    expect((await member.rest['accountUpdate']!({ id: made.id, body: { name: 'B' } })).status).toBe(200)
  })

  it.each(['entity', 'name'])('refuses a change of %s', async (property) => {
    const { id } = await field(owner)
    const values = { entity: 'LEAD', name: 'other' } as Readonly<Record<string, string>>
    expect(problemsOf(await update(id, { [property]: values[property] }))).toBe(
      `400 VALIDATION_FAILED ${property} READ_ONLY`,
    )
  })

  it('refuses to remove a value that a record has with 409; an inactive one stays with its records', async () => {
    const values = { fieldType: 'PICKLIST', picklistValues: valuesNamed('A', 'B', 'C') }
    const { id } = await field(owner, values)
    const many = await field(owner, { ...values, name: 'many', fieldType: 'MULTI_PICKLIST' })
    const made = await account(member, { customFields: { code: 'A', many: ['B', 'C'] } })
    const refused = await update(id, { picklistValues: valuesNamed('B') })
    expect([problemsOf(refused), refused.body.values]).toEqual(['409 HAS_DEPENDENTS', ['A']])
    const refusedMany = await update(many.id, { picklistValues: valuesNamed('A') })
    expect([problemsOf(refusedMany), refusedMany.body.values]).toEqual(['409 HAS_DEPENDENTS', ['B', 'C']])
    const inactive = [{ value: 'A', isActive: false }, { value: 'B' }]
    expect((await update(id, { picklistValues: inactive })).status).toBe(200)
    expect((await changeAccount(made.id, { code: 'A', many: ['B'] })).body.customFields).toEqual({
      code: 'A',
      many: ['B'],
    })
    expect(problemsOf(await newAccount({ code: 'A' }))).toBe('400 VALIDATION_FAILED customFields.code NOT_ALLOWED')
    const found = await member.rest['accountList']!({ query: { 'customFields[code]': 'A' } })
    expect(found.body.total).toBe(1)
    expect((await changeAccount(made.id, { code: 'B' })).status).toBe(200)
    expect((await update(id, { picklistValues: valuesNamed('B') })).status).toBe(200)
  })

  it('of isActive takes the field out of use; its values stay readable and can be removed', async () => {
    const { id } = await field(owner)
    const made = await account(member, { customFields: { code: 'x' } })
    expect((await update(id, { isActive: false })).status).toBe(200)
    expect(problemsOf(await newAccount({ code: 'y' }))).toBe('400 UNKNOWN_FIELD customFields.code UNKNOWN_FIELD')
    expect((await member.rest['account']!({ id: made.id })).body.customFields).toEqual({ code: 'x' })
    expect((await changeAccount(made.id, { code: null })).body.customFields).toEqual({})
    expect((await update(id, { isActive: true })).status).toBe(200)
    expect((await newAccount({ code: 'y' })).status).toBe(201)
  })
})

describe('customFieldDelete', () => {
  it('is refused with 409 while a rule, a trigger or another field names it', async () => {
    const { id } = await field(owner, { fieldType: 'PICKLIST', picklistValues: valuesNamed('A') })
    const dependent = await field(owner, {
      name: 'code_2',
      fieldType: 'PICKLIST',
      picklistValues: valuesNamed('A'),
      controllingField: 'code',
      dependentValues: { A: ['A'] },
    })
    const rule = await owner.rest['validationRuleCreate']!({
      body: {
        entityType: 'ACCOUNT',
        name: 'Coded',
        errorMessage: 'No.',
        conditions: [{ field: 'customFields.code', operator: 'EQUALS', value: 'A' }],
      },
    } as never)
    expect(rule.status).toBe(201)
    const refused = await remove(id)
    expect([problemsOf(refused), refused.body.usedBy]).toEqual([
      '409 HAS_DEPENDENTS',
      [
        { object: 'custom_field', id: dependent.id, name: 'code_2' },
        { object: 'validation_rule', id: rule.body.id, name: 'Coded' },
      ],
    ])
    expect((await remove(dependent.id)).status).toBe(204)
    expect((await owner.rest['validationRuleDelete']!({ id: rule.body.id })).status).toBe(204)
    expect((await remove(id)).status).toBe(204)
    const deleted = await member.rest['customFieldListDeleted']!({})
    expect(deleted.body.map(({ name }: { name: string }) => name).sort()).toEqual(['code', 'code_2'])
  })

  it('keeps the values of records, and the restored field has them', async () => {
    const { id } = await field(owner, { fieldType: 'NUMBER' })
    await field(owner, { name: 'other' })
    const made = await account(member, { customFields: { code: 7 } })
    expect((await remove(id)).status).toBe(204)
    expect((await member.rest['account']!({ id: made.id })).body.customFields).toEqual({ code: 7 })
    expect(problemsOf(await changeAccount(made.id, { code: 8 }))).toBe(
      '400 UNKNOWN_FIELD customFields.code UNKNOWN_FIELD',
    )
    expect((await restore(id)).status).toBe(200)
    expect((await changeAccount(made.id, { code: 8 })).body.customFields).toEqual({ code: 8 })
  })
})

describe('customFieldReorder', () => {
  it('gives the fields the positions of the list, and announces those that move', async () => {
    const [a, b, c] = [
      await field(owner, { name: 'a' }),
      await field(owner, { name: 'b' }),
      await field(owner, { name: 'c' }),
    ]
    const { status, body } = await owner.rest['customFieldReorder']!({
      body: { entity: 'ACCOUNT', fieldIds: [b.id, a.id, c.id] },
    } as never)
    expect([status, body.map(({ name, sortOrder, version }: typeof a) => [name, sortOrder, version])]).toEqual([
      200,
      [
        ['b', 0, 2],
        ['a', 1, 2],
        ['c', 2, 1],
      ],
    ])
    expect(await platform.eventTypesOf(b.id)).toEqual(['custom_field.created', 'custom_field.updated'])
    expect(await platform.eventTypesOf(c.id)).toEqual(['custom_field.created'])
    const described = await member.graphql('{ recordType(object: "account") { fields { name } } }')
    const names = (described.body.data.recordType.fields as { name: string }[]).map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('customFields.'))).toEqual([
      'customFields.b',
      'customFields.a',
      'customFields.c',
    ])
  })

  it('refuses a list that is no permutation, and an unknown record type, with 400, and nothing is written', async () => {
    const [a, b] = [await field(owner, { name: 'a' }), await field(owner, { name: 'b' })]
    const lead = await field(owner, { entity: 'LEAD' })
    const before = await platform.fingerprint(owner.organizationId)
    for (const fieldIds of [[a.id], [a.id, a.id], [a.id, b.id, lead.id], [a.id, lead.id]]) {
      const refused = await owner.rest['customFieldReorder']!({ body: { entity: 'ACCOUNT', fieldIds } } as never)
      expect(problemsOf(refused)).toBe('400 VALIDATION_FAILED fieldIds NOT_A_PERMUTATION')
    }
    for (const [entity, problem] of [
      ['NOSUCH', 'NOT_ALLOWED'],
      ['custom:nosuch', 'UNKNOWN_REFERENCE'],
    ]) {
      const refused = await owner.rest['customFieldReorder']!({ body: { entity, fieldIds: [] } } as never)
      expect(problemsOf(refused)).toBe(`400 VALIDATION_FAILED entity ${problem}`)
    }
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })
})

describe('a field that another process publishes', () => {
  it('is noticed by a write that was decided without it, also inside a transaction', async () => {
    await newAccount({})
    const [old, oldInTransaction] = [contextOf(owner), contextOf(owner)]
    expect([old.shapes, old.extensions]).toEqual([null, null])
    await field(owner, { fieldType: 'NUMBER', isRequired: true })
    const refused = { extensions: { errors: [{ path: 'customFields.code', code: 'WRONG_TYPE' }] } }
    await expect(accounts.create(old, { name: 'A', customFields: { code: 'x' } })).rejects.toMatchObject(refused)
    await expect(accounts.create(old, { name: 'A' })).rejects.toMatchObject({
      extensions: { errors: [{ path: 'customFields.code', code: 'REQUIRED' }] },
    })
    await inTransaction(oldInTransaction, async (ctx) => {
      await expect(accounts.create(ctx, { name: 'A', customFields: { code: 'x' } })).rejects.toMatchObject(refused)
      expect((await accounts.create(ctx, { name: 'A', customFields: { code: 1 } })).customFields).toEqual({ code: 1 })
    })
  })

  it('waits for writes that were decided without it, and no later one commits without it', async () => {
    await newAccount({})
    let publishing!: Promise<unknown>
    await inTransaction(contextOf(owner), async (ctx) => {
      await accounts.create(ctx, { name: 'Before', customFields: { code: 'x' } })
      publishing = field(owner, { fieldType: 'NUMBER' })
      await expect.poll(() => platform.waitingForLocks()).toBe(1)
    })
    await publishing
    expect(problemsOf(await newAccount({ code: 'x' }))).toBe('400 VALIDATION_FAILED customFields.code WRONG_TYPE')
  })

  it('is in the memory of every other process within a second', async () => {
    const { database, databaseUrl, log } = platform.services
    const other = new CachedExtensions({ database, databaseUrl, log })
    try {
      await other.listen()
      await other.load(owner.organizationId)
      expect(other.shapesOf(owner.organizationId)).toBeNull()
      const { id } = await field(owner)
      const fields = async () => {
        await other.load(owner.organizationId)
        const shape = other.shapesOf(owner.organizationId)?.of(accountRecord) ?? accountRecord
        return [...shape.columns.customFields.keys()]
      }
      await expect.poll(fields, { timeout: 1000, interval: 20 }).toEqual(['code'])
      expect((await remove(id)).status).toBe(204)
      await expect.poll(fields, { timeout: 1000, interval: 20 }).toEqual([])
    } finally {
      await other.close()
    }
  })
})

describe('an organization', () => {
  it('has free keys without fields, whatever other organizations define', async () => {
    const stranger = await anOrganization(platform)
    const { id } = await field(owner, { isRequired: true, fieldType: 'NUMBER' })
    const made = await newAccount({ code: 'x', any: { thing: [1] } }, stranger.member)
    expect([made.status, made.body.customFields]).toEqual([201, { code: 'x', any: { thing: [1] } }])
    expect(problemsOf(await stranger.owner.rest['customField']!({ id }))).toBe('404 NOT_FOUND')
    expect(problemsOf(await update(id, { label: 'B' }, stranger.owner))).toBe('404 NOT_FOUND')
    expect((await stranger.owner.rest['customFieldList']!({})).body.total).toBe(0)
  })

  it('without fields writes and reads with the statements that it had, one of each', async () => {
    await newAccount({})
    const made = await account(member)
    const statements = await statementsOf(platform, () => newAccount({ a: 1 }), /./)
    expect(statements.filter((text) => /insert into crm\.account\b/.test(text))).toHaveLength(1)
    expect(statements.filter((text) => /definition/.test(text) && !/require_definitions/.test(text))).toEqual([])
    const reads = await statementsOf(platform, () => member.rest['account']!({ id: made.id }), /./)
    expect(reads.filter((text) => /definition/.test(text))).toEqual([])
  })

  it('has fields on every record type that is offered', async () => {
    for (const entity of ['LEAD', 'CONTACT', 'ACCOUNT', 'OPPORTUNITY', 'PRODUCT', 'QUOTE'])
      await field(owner, { entity, fieldType: 'CHECKBOX' })
    const made = await quote(member)
    expect(made.customFields).toEqual({ code: false })
    for (const [operation, body] of [
      ['leadCreate', { lastName: 'L' }],
      ['contactCreate', { lastName: 'C' }],
      ['accountCreate', { name: 'A' }],
      ['productCreate', { name: 'P', sku: 'S-1', listPrice: 1 }],
      ['quoteCreate', { name: 'Q' }],
    ] as const) {
      const refused = await member.rest[operation]!({ body: { ...body, customFields: { code: 1 } } } as never)
      expect(problemsOf(refused), operation).toBe('400 VALIDATION_FAILED customFields.code WRONG_TYPE')
    }
  })
})

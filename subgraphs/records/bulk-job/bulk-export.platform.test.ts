import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { account, aLine, contact, quote } from '../../../test/builders.ts'
import { BulkJobs } from '../../../test/bulk-jobs.fixture.ts'
import { field, valuesNamed } from '../../../test/extensions/custom-fields.fixture.ts'
import { memberWithout, visit } from '../../../test/extensions/custom-objects.fixture.ts'
import { settleFieldChanges } from '../../../test/extensions/field-changes.fixture.ts'
import { visitsOfAccounts } from '../../../test/extensions/lookups.fixture.ts'
import { rollup } from '../../../test/extensions/rollups.fixture.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)
let organizationId: string
let owner: Member

beforeEach(async () => {
  organizationId = await platform.organization()
  owner = await platform.member({ organizationId, role: 'OWNER' })
})

const linesOf = (csv: string): string[] => csv.trimEnd().split('\r\n')
const objectsOf = (ndjson: string) =>
  ndjson
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** The accounts as clients read them, without what belongs to the time of a write. */
async function accountsOf(by: Member) {
  const { body } = await by.rest['accountList']!({ sortBy: 'name', sortOrder: 'asc', limit: 100 } as never)
  return (body['data'] as Record<string, unknown>[]).map(
    ({ version: _version, updatedAt: _updatedAt, createdAt: _createdAt, updatedById: _by, ...record }) => record,
  )
}

/** A field of each type on accounts, and accounts with values in all of them, also with ones that a format of text can lose. */
async function accountsOfEveryType(): Promise<void> {
  const picklistValues = valuesNamed('HOT', 'LUKEWARM, IF AT ALL', 'COLD')
  const types = [
    { name: 'line', fieldType: 'TEXT' },
    { name: 'note', fieldType: 'TEXTAREA' },
    { name: 'count', fieldType: 'NUMBER', precision: 4 },
    { name: 'fee', fieldType: 'CURRENCY', precision: 2 },
    { name: 'day', fieldType: 'DATE' },
    { name: 'moment', fieldType: 'DATETIME' },
    { name: 'isKey', fieldType: 'CHECKBOX' },
    { name: 'heat', fieldType: 'PICKLIST', picklistValues },
    { name: 'heats', fieldType: 'MULTI_PICKLIST', picklistValues },
    { name: 'mail', fieldType: 'EMAIL' },
    { name: 'phone2', fieldType: 'PHONE' },
    { name: 'page', fieldType: 'URL' },
    { name: 'partner', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT' },
    {
      name: 'double',
      fieldType: 'FORMULA',
      formulaConfig: { expression: 'customFields.count * 2', returnType: 'NUMBER', decimals: 4, blankAs: 'BLANK' },
    },
    {
      name: 'ofPartner',
      fieldType: 'FORMULA',
      formulaConfig: { expression: 'customFields.partner.name', returnType: 'TEXT', blankAs: 'BLANK' },
    },
    rollup('deals', { aggregate: 'COUNT' }),
  ]
  for (const type of types) await field(owner, { label: type.name, ...type })
  await settleFieldChanges(platform)
  const parent = await account(owner, { name: 'Ålesund "Skip" AS', externalId: 'P', tags: ['a;b', ' c', '[x]', 'd'] })
  await account(owner, {
    name: "'=Halvorsen",
    website: 'https://halvorsen.example',
    phone: '+47 900 00 000',
    description: 'Two lines\r\nand "quotes", commas; semicolons\t',
    annualRevenue: 1234567890123.45,
    numberOfEmployees: 0,
    parentAccountId: parent.id,
    tags: ['a', 'b'],
    metadata: { from: ['erp', null], text: '=1+1' },
    billingStreet: 'Kai 7, "B"',
    customFields: {
      line: '=HYPERLINK("https://x.example")',
      note: '-1\n+2\n@3',
      count: 0.1234,
      fee: -1200.5,
      day: '2026-04-03',
      moment: '2026-04-03T12:30:15.123Z',
      isKey: true,
      heat: 'LUKEWARM, IF AT ALL',
      heats: ['COLD', 'LUKEWARM, IF AT ALL'],
      mail: 'ann@example.com',
      phone2: '+47 22 00 00 00',
      page: 'https://halvorsen.example/?q=a,b',
      partner: parent.id,
    },
  })
  await account(owner, { name: 'Blank' })
}

describe('an export', () => {
  it.each([
    ['CSV', {}],
    ['CSV', { spreadsheetSafe: true }],
    ['CSV', { delimiter: ';', decimalSeparator: 'COMMA', spreadsheetSafe: true }],
    ['NDJSON', {}],
  ])('of fields of every type as %s with %o is loaded again as it was', async (contentType, options) => {
    await accountsOfEveryType()
    const before = await accountsOf(owner)
    const file = await jobs.exported(owner, { contentType, options })
    await platform.query('delete from crm.account where organization_id = $1', [organizationId])
    await platform.query('delete from kernel.record_value where organization_id = $1', [organizationId])
    const { decimalSeparator = 'POINT', spreadsheetSafe = false } = options as Record<string, unknown>
    const reading = { readOnlyColumns: 'IGNORE', decimalSeparator, spreadsheetSafe }
    const loaded = await jobs.load(owner, { contentType, options: reading }, file)
    expect(loaded).toMatchObject({ state: 'JOB_COMPLETE', recordsSucceeded: 3, errorSummary: [] })
    expect(await accountsOf(owner)).toEqual(before)
  })

  it('of records with lines is loaded again with them', async () => {
    const lineItems = [aLine({ quantity: 2, description: 'Two; or "more"' }), aLine({ name: 'Licence', taxRate: 25 })]
    const { id } = await quote(owner, { lineItems })
    const linesOfQuote = async () => {
      const { body } = await owner.rest['quote']!({ id })
      return [body['grandTotal'], (body['lineItems'] as { name: string }[]).map(({ name }) => name)]
    }
    const before = await linesOfQuote()
    for (const contentType of ['CSV', 'NDJSON']) {
      const query = { fields: ['id', 'name', 'lineItems', 'currency'] }
      const file = await jobs.exported(owner, { object: 'quote', contentType, query })
      await platform.query('delete from commerce.quote where organization_id = $1', [organizationId])
      expect(await jobs.load(owner, { object: 'quote', contentType }, file)).toMatchObject({ errorSummary: [] })
      expect(await linesOfQuote()).toEqual(before)
    }
  })

  it('is the records that its query finds, with its fields, in its order', async () => {
    await field(owner, { name: 'tier', label: 'Tier', fieldType: 'TEXT' })
    await settleFieldChanges(platform)
    const parent = await account(owner, { name: 'Parent', customFields: { tier: 'A' } })
    for (const name of ['Bergen', 'Alta', 'Oslo'])
      await account(owner, { name, parentAccountId: parent.id, customFields: { tier: name === 'Oslo' ? 'B' : 'A' } })
    await contact(owner, { accountId: parent.id })
    const query = {
      fields: ['customFields.tier', 'name'],
      filter: { customFields: { tier: { eq: 'A' } }, or: [{ parent: { name: { eq: 'Parent' } } }] },
      orderBy: [{ field: 'name', direction: 'ASC' }],
    }
    expect(linesOf(await jobs.exported(owner, { query }))).toEqual([
      'customFields.tier,name',
      '"A","Alta"',
      '"A","Bergen"',
    ])
    const byTier = { ...query, orderBy: [{ field: 'customFields.tier', direction: 'DESC' }], filter: null, search: 'o' }
    expect(objectsOf(await jobs.exported(owner, { contentType: 'NDJSON', query: byTier }))).toEqual([
      { name: 'Oslo', customFields: { tier: 'B' } },
    ])
    const { body } = await owner.rest['bulkJobList']!({ operation: 'EXPORT' } as never)
    expect(body['data']).toMatchObject([{ query: byTier }, { query, recordsTotal: 2, recordsSucceeded: 2, parts: [] }])
  })

  it.each([
    `O'Neill`,
    `back\\slash \\' or true --`,
    '$1 and $2',
    `'); drop table crm.account; --`,
    `E'\\x01'`,
    '"quoted"; $$ $a$',
  ])('of the records with the value %j in a filter, a search and an order has these only', async (name) => {
    for (const one of [name, 'Other']) await account(owner, { name: one, description: one })
    const filter = { or: [{ name: { eq: name } }, { description: { in: [name, `${name}'`] } }] }
    const query = { fields: ['name', 'description'], filter, orderBy: [{ field: 'name', direction: 'ASC' }] }
    const cell = `"${name.replaceAll('"', '""')}"`
    expect(linesOf(await jobs.exported(owner, { query }))).toEqual(['name,description', `${cell},${cell}`])
    const contains = { ...query, filter: { name: { contains: name.toUpperCase() } } }
    const ndjson = await jobs.exported(owner, { contentType: 'NDJSON', query: contains })
    expect(objectsOf(ndjson)).toEqual([{ name, description: name }])
  })

  it('of an organization without definitions has its keys as one column', async () => {
    await account(owner, { name: 'A', customFields: { any: [1] } })
    const query = { fields: ['name', 'customFields'] }
    expect(linesOf(await jobs.exported(owner, { query }))).toEqual(['name,customFields', '"A","{""any"": [1]}"'])
    const [only] = objectsOf(await jobs.exported(owner, { contentType: 'NDJSON', query }))
    expect(only).toEqual({ name: 'A', customFields: { any: [1] } })
  })

  it('is of custom objects, too, and names what it may not', async () => {
    await visitsOfAccounts(owner)
    await settleFieldChanges(platform)
    const { id } = await account(owner, { name: 'Halvorsen' })
    await visit(owner, { subject: 'Pump', account: id })
    const query = { fields: ['name', 'customFields.subject', 'customFields.account'] }
    const file = await jobs.exported(owner, { object: 'custom:site_visit', query })
    expect(linesOf(file)).toEqual(['name,customFields.subject,customFields.account', `"Pump","Pump",${id}`])
  })

  it.each<[string, object, string[]]>([
    ['an unknown field', { query: { fields: ['nam'] } }, ['query.fields.0 UNKNOWN_FIELD']],
    ['a field twice', { query: { fields: ['id', 'id'] } }, ['query.fields.1 DUPLICATE']],
    ['an unknown condition', { query: { filter: { nam: { eq: 'x' } } } }, ['query.filter.nam UNKNOWN_FIELD']],
    ['an unknown operator', { query: { filter: { name: { gt: 'x' } } } }, ['query.filter.name.gt UNKNOWN_OPERATOR']],
    [
      'a value of another type',
      { query: { filter: { or: [{ ownerId: { eq: 5 } }] } } },
      ['query.filter.or.0.ownerId.eq WRONG_TYPE'],
    ],
    ['no object', { query: { filter: { not: [] } } }, ['query.filter.not WRONG_TYPE']],
    [
      'an impossible day',
      { query: { filter: { createdAt: { gte: '2026-02-31' } } } },
      ['query.filter.createdAt.gte WRONG_TYPE'],
    ],
    ['an order that is none', { query: { orderBy: [{ field: 'tags' }] } }, ['query.orderBy NOT_SORTABLE']],
    ['an order by nothing', { query: { orderBy: [{ field: 'x' }] } }, ['query.orderBy.0.field UNKNOWN_FIELD']],
    ['an option of a load', { options: { dryRun: true } }, ['options.dryRun NOT_ALLOWED']],
    ['another separator', { options: { delimiter: '-' } }, ['options.delimiter NOT_ALLOWED']],
    ['the operation of a load', { operation: 'INSERT', query: {} }, ['query NOT_ALLOWED']],
  ])('with %s is refused', async (_name, values, problems) => {
    const before = await platform.fingerprint(organizationId)
    const { status, body } = await owner.rest['bulkJobCreate']!({
      body: { object: 'account', operation: 'EXPORT', ...values },
    } as never)
    expect([status, body.errors?.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)]).toEqual([
      400,
      problems,
    ])
    expect(await platform.fingerprint(organizationId)).toBe(before)
  })

  it('has what its user sees, and the user downloads it as long as that is so', async () => {
    const member = await platform.member({ organizationId, role: 'READ_ONLY', visibility: 'OWN' })
    await account(owner, { name: 'Own', ownerId: member.userId })
    await account(owner, { name: 'Other' })
    await account(await platform.member({ role: 'OWNER' }), { name: 'Foreign' })
    const query = { fields: ['name', 'phone'] }
    const { id, ...job } = await jobs.export(member, { query })
    expect(job).toMatchObject({ state: 'JOB_COMPLETE', recordsTotal: 1 })
    expect(await (await jobs.download(member, id)).text()).toBe('name,phone\r\n"Own",\r\n')
    const deleted = await jobs.create(member, { operation: 'EXPORT' })
    expect((await member.rest['bulkJobUpdate']!({ id: deleted.id, body: { state: 'ABORTED' } })).status).toBe(200)
    expect((await member.rest['bulkJobDelete']!({ id: deleted.id })).status).toBe(204)
    const stranger = await platform.member({ organizationId })
    const statuses = async (job: string, ...by: Member[]) =>
      Promise.all(by.map(async (each) => (await jobs.download(each, job)).status))
    expect(await statuses(id, owner, stranger)).toEqual([200, 404])
    const whole = await jobs.export(owner, { query })
    expect(whole).toMatchObject({ recordsTotal: 2 })
    const narrow = await memberWithout(platform, organizationId, { account: ['phone'] }, { role: 'ADMIN' })
    expect(await statuses(whole.id, narrow)).toEqual([403])
    await platform.query(`update identity.app_user set visibility = 'OWN' where id = $1`, [owner.userId])
    expect(await statuses(whole.id, owner)).toEqual([403])
    expect((await jobs.read(owner, whole.id))['state']).toBe('JOB_COMPLETE')
  })

  it('of what may be private is for its user alone', async () => {
    const tasks = await jobs.export(await platform.member({ organizationId }), { object: 'task' })
    expect((await jobs.download(owner, tasks.id)).status).toBe(200)
    await field(owner, {
      name: 'ofPartner',
      label: 'Of the partner',
      fieldType: 'FORMULA',
      formulaConfig: { expression: 'owner.name', returnType: 'TEXT', blankAs: 'BLANK' },
    })
    await settleFieldChanges(platform)
    const member = await platform.member({ organizationId })
    const { id } = await jobs.export(member)
    expect([(await jobs.download(owner, id)).status, (await jobs.download(member, id)).status]).toEqual([403, 200])
  })

  it('lacks the fields that are hidden from its user', async () => {
    await account(owner, { name: 'A', phone: '1' })
    const member = await memberWithout(platform, organizationId, { account: ['phone'] })
    const [names] = linesOf(await jobs.exported(member))
    expect(names!.split(',')).toContain('name')
    expect(names!.split(',')).not.toContain('phone')
    expect(Object.keys(objectsOf(await jobs.exported(member, { contentType: 'NDJSON' }))[0]!)).not.toContain('phone')
    for (const query of [
      { fields: ['phone'] },
      { filter: { phone: { eq: '1' } } },
      { filter: { not: { phone: { isNull: true } } } },
      { orderBy: [{ field: 'phone' }] },
    ]) {
      const body = { object: 'account', operation: 'EXPORT', query }
      const refused = await member.rest['bulkJobCreate']!({ body } as never)
      expect([refused.status, refused.body.code]).toEqual([403, 'FIELD_NOT_READABLE'])
    }
  })

  it('needs the scopes to read its records, and those of its conditions', async () => {
    const reader = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS'] })
    const writer = await platform.member({ organizationId, scopes: ['WRITE_CONTACTS'] })
    const { id } = await jobs.create(reader, { operation: 'EXPORT' })
    const load = await jobs.create(writer, { object: 'contact' })
    const status = async (by: Member, of: string) => (await by.rest['bulkJob']!({ id: of })).status
    expect([await status(reader, id), await status(writer, load.id)]).toEqual([200, 200])
    const body = { object: 'account', operation: 'EXPORT', query: { filter: { contacts: { some: {} } } } }
    expect((await reader.rest['bulkJobCreate']!({ body } as never)).status).toBe(403)
    expect(
      (await writer.rest['bulkJobCreate']!({ body: { object: 'account', operation: 'EXPORT' } } as never)).status,
    ).toBe(403)
    const readers = await platform.member({ organizationId, role: 'OWNER', scopes: ['READ_ACCOUNTS'] })
    const list = (await readers.rest['bulkJobList']!({})).body['data'] as { id: string }[]
    expect(list.map((job) => job.id)).toEqual([id])
  })

  it('is sent with its length and digest, and in ranges', async () => {
    await account(owner, { name: 'A' })
    const { id } = await jobs.export(owner, { query: { fields: ['name'] } })
    const whole = await jobs.download(owner, id)
    const text = await whole.text()
    expect(text).toBe('name\r\n"A"\r\n')
    const sha256 = createHash('sha256').update(text).digest('hex')
    expect([whole.headers.get('content-length'), whole.headers.get('etag'), whole.headers.get('content-type')]).toEqual(
      [String(text.length), `"${sha256}"`, 'text/csv; charset=utf-8'],
    )
    const range = await jobs.download(owner, id, { Range: 'bytes=6-8' })
    expect([range.status, await range.text()]).toEqual([206, '"A"'])
  })

  it('takes no file, has no results of rows, and no file before it is complete', async () => {
    const { id } = await jobs.create(owner, { operation: 'EXPORT' })
    expect((await jobs.put(owner, id, 'name\nA\n')).status).toBe(409)
    expect((await jobs.download(owner, id)).status).toBe(409)
    const results = await fetch(`${platform.url}/v1/bulk/jobs/${id}/results/successful`, { headers: owner.headers })
    expect(results.status).toBe(409)
    const load = await jobs.create(owner, {})
    expect((await jobs.download(owner, load.id)).status).toBe(409)
    const aborted = await owner.rest['bulkJobUpdate']!({ id, body: { state: 'ABORTED' } })
    expect(aborted.body['state']).toBe('ABORTED')
    await jobs.settle()
    expect((await jobs.read(owner, id))['state']).toBe('ABORTED')
    expect(await platform.query('select from kernel.file where organization_id = $1', [organizationId])).toEqual([])
  })

  it('releases its file when it is deleted', async () => {
    const { id } = await jobs.export(owner)
    expect((await owner.rest['bulkJobDelete']!({ id })).status).toBe(204)
    expect(await platform.query(`select state from kernel.file where organization_id = $1`, [organizationId])).toEqual([
      { state: 'RELEASED' },
    ])
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import { account } from '../../../test/builders.ts'
import { BulkJobs, digestOf } from '../../../test/bulk-jobs.fixture.ts'
import { useHookReceiver } from '../../../test/extensions/hook-receiver.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { field } from '../../../test/extensions/custom-fields.fixture.ts'
import { settleFieldChanges } from '../../../test/extensions/field-changes.fixture.ts'
import { visitsOfAccounts } from '../../../test/extensions/lookups.fixture.ts'
import { newId } from '../../kernel/ids.ts'
import { ageQueueItems } from '../../kernel/queue/queue.fixture.ts'
import { deleteBulkJobs } from './bulk-job.jobs.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const receiver = useHookReceiver()
const jobs = new BulkJobs(platform)
let organizationId: string
let owner: Member

beforeEach(async () => {
  receiver.reset()
  organizationId = await platform.organization()
  owner = await platform.member({ organizationId, role: 'OWNER' })
})

const accounts = (order = 'name') =>
  platform.query<Record<string, unknown> & { readonly id: string; readonly name: string }>(
    `select id, name, website, annual_revenue::text as revenue, external_id as "externalId", version, deleted_at is not null as "isDeleted"
     from crm.account where organization_id = $1 order by ${order}`,
    [organizationId],
  )
const namesOf = async (): Promise<string[]> => (await accounts()).map(({ name }) => name)
const countOfEvents = async (type: string): Promise<number> =>
  (
    await platform.query<{ n: number }>(
      'select count(*)::int as n from kernel.event where organization_id = $1 and type = $2',
      [organizationId, type],
    )
  )[0]!.n

describe('a bulk job', () => {
  it('inserts each row as a single write does, and tells what became of it', async () => {
    const csv =
      'name,annualRevenue,numberOfEmployees,tags\r\nHalvorsen,1200.50,12,a;b\r\n,3,4,\r\nBarents,x,1,\r\n"Møller, ""Sons""",,,\r\n'
    const job = await jobs.load(owner, {}, csv)
    expect(job).toMatchObject({
      state: 'JOB_COMPLETE',
      recordsTotal: 4,
      recordsProcessed: 4,
      recordsSucceeded: 2,
      recordsFailed: 2,
      recordsUnprocessed: 0,
      bytesTotal: Buffer.byteLength(csv),
      bytesProcessed: Buffer.byteLength(csv),
      parts: [1],
      errorCode: null,
      errorSummary: [
        { code: 'REQUIRED', count: 1, sample: 'name must have a value.' },
        { code: 'WRONG_TYPE', count: 1, sample: 'annualRevenue must not have the value "x".' },
      ],
    })
    expect(await accounts()).toMatchObject([
      { name: 'Halvorsen', revenue: '1200.5', version: 1 },
      { name: 'Møller, "Sons"', revenue: null, version: 1 },
    ])
    const [first, second] = await accounts()
    expect(await jobs.results(owner, job.id, 'successful')).toBe(
      `_row,_id,_created,name,annualRevenue,numberOfEmployees,tags\r\n1,${first!.id},true,Halvorsen,1200.50,12,a;b\r\n4,${second!.id},true,"Møller, ""Sons""",,,\r\n`,
    )
    expect(await jobs.results(owner, job.id, 'failed')).toBe(
      '_row,_code,_field,_message,name,annualRevenue,numberOfEmployees,tags\r\n2,REQUIRED,name,name must have a value.,,3,4,\r\n3,WRONG_TYPE,annualRevenue,"annualRevenue must not have the value ""x"".",Barents,x,1,\r\n',
    )
    expect(await jobs.results(owner, job.id, 'unprocessed')).toBe('_row,name,annualRevenue,numberOfEmployees,tags\r\n')
    expect(await platform.eventTypesOf(first!.id)).toEqual(['account.created'])
    expect(await countOfEvents('bulk.completed')).toBe(1)
  })

  it('takes corrected results again as they are', async () => {
    const first = await jobs.load(owner, {}, 'name,numberOfEmployees\nHalvorsen,x\n')
    const corrected = (await jobs.results(owner, first.id, 'failed')).replace(/x\r\n$/, '7\r\n')
    expect(await jobs.load(owner, {}, corrected)).toMatchObject({ recordsSucceeded: 1, recordsFailed: 0 })
    expect(await namesOf()).toEqual(['Halvorsen'])
  })

  it('updates and deletes by ids and by external ids', async () => {
    const { id: one } = await account(owner, { name: 'One', externalId: 'E1', website: 'https://one.example' })
    const { id: two } = await account(owner, { name: 'Two', externalId: 'E2' })
    const missing = newId()
    expect(
      await jobs.load(owner, { operation: 'UPDATE' }, `id,name,website\n${one},Uno,\n${missing},Nobody,\nx,Wrong,\n`),
    ).toMatchObject({
      recordsSucceeded: 1,
      errorSummary: [
        { code: 'NOT_FOUND', count: 1 },
        { code: 'WRONG_TYPE', count: 1 },
      ],
    })
    expect(
      await jobs.load(
        owner,
        { operation: 'UPDATE', externalIdField: 'externalId', options: { blankMeans: 'CLEAR' } },
        `externalId,website,name\nE1,,\nE2,https://two.example,Dos\n`,
      ),
    ).toMatchObject({ recordsSucceeded: 1, recordsFailed: 1 })
    expect(await accounts('external_id')).toMatchObject([
      { name: 'Uno', website: 'https://one.example', version: 2 },
      { name: 'Dos', website: 'https://two.example', version: 2 },
    ])
    expect(
      await jobs.load(owner, { operation: 'DELETE', externalIdField: 'externalId' }, 'externalId\nE1\nE1\n'),
    ).toMatchObject({ recordsSucceeded: 1, recordsFailed: 1 })
    expect(await accounts('external_id')).toMatchObject([
      { id: one, isDeleted: true },
      { id: two, isDeleted: false },
    ])
    expect(await platform.eventTypesOf(one)).toEqual(['account.created', 'account.updated', 'account.deleted'])
  })

  it('upserts by external ids, in the order of the file', async () => {
    const { id } = await account(owner, { name: 'One', externalId: 'E1' })
    const values = { operation: 'UPSERT', externalIdField: 'externalId' }
    const job = await jobs.load(owner, values, 'externalId,name\nE1,Uno\nE2,Two\nE2,Dos\n')
    expect(job).toMatchObject({ recordsSucceeded: 3, recordsFailed: 0 })
    expect(await accounts('external_id')).toMatchObject([
      { id, name: 'Uno', version: 2 },
      { name: 'Dos', externalId: 'E2', version: 2 },
    ])
    await owner.rest['accountDelete']!({ id })
    const restored = { ...values, options: { matchDeleted: 'RESTORE' } }
    expect(await jobs.load(owner, restored, 'externalId,name\nE1,Eins\n')).toMatchObject({ recordsSucceeded: 1 })
    expect((await accounts('external_id'))[0]).toMatchObject({ id, name: 'Eins', isDeleted: false })
  })

  it('upserts by ids, and names records by their external ids', async () => {
    await account(owner, { name: 'Parent', externalId: 'P' })
    const id = newId()
    const csv = `id,name,parentAccountId.externalId\n${id},Child,P\n${newId()},Orphan,Q\n`
    const job = await jobs.load(owner, { operation: 'UPSERT' }, csv)
    expect(job).toMatchObject({ recordsSucceeded: 1, errorSummary: [{ code: 'UNKNOWN_REFERENCE' }] })
    const { body } = await owner.rest['account']!({ id })
    expect(body['parentAccountId']).toBe((await accounts()).find(({ name }) => name === 'Parent')!.id)
  })

  it('loads NDJSON, and leaves each line that is no object to its row', async () => {
    const lines = [
      '{"name":"A","customFields":{"tier":"GOLD"},"annualRevenue":12.5}',
      'nonsense',
      '{"nam":"B"}',
      '{"name":"C","website":null}',
      '',
    ]
    const job = await jobs.load(owner, { contentType: 'NDJSON' }, lines.join('\n'))
    expect(job).toMatchObject({
      recordsTotal: 4,
      recordsSucceeded: 2,
      errorSummary: [
        { code: 'INVALID_JSON', count: 1 },
        { code: 'UNKNOWN_FIELD', count: 1 },
      ],
    })
    expect(await namesOf()).toEqual(['A', 'C'])
    expect(JSON.parse((await jobs.results(owner, job.id, 'failed')).split('\n')[1]!)).toEqual({
      nam: 'B',
      _row: 3,
      _code: 'UNKNOWN_FIELD',
      _field: 'nam',
      _message: expect.any(String),
    })
  })

  it('writes all rows or none', async () => {
    const options = { allOrNone: true }
    const failed = await jobs.load(owner, { options }, 'name,numberOfEmployees\nA,1\nB,x\nC,2\n')
    expect(failed).toMatchObject({
      state: 'FAILED',
      errorCode: 'ROLLED_BACK',
      recordsSucceeded: 0,
      recordsFailed: 1,
      recordsUnprocessed: 2,
    })
    expect(await namesOf()).toEqual([])
    expect(await countOfEvents('account.created')).toBe(0)
    expect(await jobs.results(owner, failed.id, 'unprocessed')).toBe(
      '_row,name,numberOfEmployees\r\n1,A,1\r\n3,C,2\r\n',
    )
    expect(await jobs.load(owner, { options }, 'name\nA\nB\n')).toMatchObject({
      state: 'JOB_COMPLETE',
      recordsSucceeded: 2,
    })
  })

  it('writes nothing in a dry run, which says what would happen', async () => {
    const job = await jobs.load(owner, { options: { dryRun: true } }, 'name\nA\n\nB\n')
    expect(job).toMatchObject({ state: 'JOB_COMPLETE', recordsSucceeded: 2, recordsFailed: 0 })
    expect([await namesOf(), await countOfEvents('account.created')]).toEqual([[], 0])
  })

  it('is one text in parts that end anywhere; the same part again changes nothing, another one is refused', async () => {
    const bytes = Buffer.from('name\r\n"Mø\r\nller"\r\nBarents\r\n')
    const { id } = await jobs.create(owner, {})
    const cut = bytes.indexOf(0xc3) + 1
    expect((await jobs.put(owner, id, bytes.subarray(cut), 2)).status).toBe(200)
    expect(await jobs.complete(owner, id)).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } })
    const tried = await jobs.put(owner, id, bytes.subarray(0, cut), 1, { Prefer: 'dry-run' })
    expect([tried.status, await tried.json()]).toEqual([
      200,
      expect.objectContaining({ parts: [1, 2], bytesTotal: bytes.length }),
    ])
    expect(await jobs.read(owner, id)).toMatchObject({ parts: [2], bytesTotal: bytes.length - cut })
    expect((await jobs.put(owner, id, bytes.subarray(0, cut), 1)).status).toBe(200)
    const again = await jobs.put(owner, id, bytes.subarray(0, cut), 1)
    expect([again.status, await again.json()]).toEqual([
      200,
      expect.objectContaining({ parts: [1, 2], bytesTotal: bytes.length }),
    ])
    expect((await jobs.put(owner, id, 'other', 1)).status).toBe(409)
    expect((await jobs.put(owner, id, 'other', 3, { 'Content-Digest': digestOf('something') })).status).toBe(400)
    expect((await jobs.put(owner, id, 'x', 3, { 'Content-Type': 'text/plain' })).status).toBe(415)
    expect((await jobs.put(owner, id, 'x', 1001)).status).toBe(400)
    expect((await jobs.complete(owner, id)).status).toBe(200)
    expect((await jobs.put(owner, id, 'x', 3)).status).toBe(409)
    await jobs.settle()
    expect(await namesOf()).toEqual(['Barents', 'Mø\r\nller'])
    expect(
      await platform.query(`select state, count(*)::int as n from kernel.file where organization_id = $1 group by 1`, [
        organizationId,
      ]),
    ).toEqual([{ state: 'KEPT', n: 2 }])
  })

  it('takes a part once that arrives twice at the same time', async () => {
    const { id } = await jobs.create(owner, {})
    const answers = await platform.services.database.transaction(async (sql) => {
      await sql.query('select from records.bulk_job where id = $1 for update', [id])
      const sent = Promise.all([jobs.put(owner, id, 'name\nBarents\n'), jobs.put(owner, id, 'name\nBarents\n')])
      await expect.poll(() => platform.waitingForLocks(), { interval: 1 }).toBe(2)
      return [sent] as const
    })
    const read = await Promise.all((await answers[0]).map(async (answer) => [answer.status, await answer.json()]))
    const taken = expect.objectContaining({ parts: [1], bytesTotal: 13 }) as unknown
    expect(read).toEqual([
      [200, taken],
      [200, taken],
    ])
  })

  it.each([
    ['a column twice', 'name,name\nA,B\n', ['columns.1 DUPLICATE']],
    ['a column without a name', 'name,\nA,B\n', ['columns.1 EMPTY']],
    ['unknown columns', 'name,nam,customfields.x\nA,B,C\n', ['columns.1 UNKNOWN_FIELD', 'columns.2 UNKNOWN_FIELD']],
    ['a column that nobody sets', 'name,version\nA,1\n', ['columns.1 NOT_WRITABLE']],
    ['no key', 'name\nA\n', ['columns REQUIRED'], { operation: 'UPDATE' }],
    ['nothing', '\n', ['data EMPTY']],
    [
      'a mapping of a column that it does not have',
      'name\nA\n',
      ['options.mapping UNKNOWN_FIELD'],
      { options: { mapping: { Nam: 'name' } } },
    ],
  ])('with %s is refused before its first row', async (_name, csv, problems, values: object = {}) => {
    const { id } = await jobs.create(owner, values)
    await jobs.put(owner, id, csv)
    const { status, body } = await jobs.complete(owner, id)
    expect([status, body.errors?.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)]).toEqual([
      400,
      problems,
    ])
    expect((await jobs.read(owner, id)).state).toBe('OPEN')
  })

  it('gives columns their fields, and leaves some out', async () => {
    const options = { mapping: { Company: 'name', Notes: null } }
    expect(await jobs.load(owner, { options }, 'Company;Notes;website\nA;b;https://a.example\n')).toMatchObject({
      recordsSucceeded: 1,
    })
    expect(await accounts()).toMatchObject([{ name: 'A', website: 'https://a.example' }])
  })

  it('is ended by its user: rows that were written stay, and the others are unprocessed', async () => {
    const { id } = await jobs.create(owner, {})
    await jobs.put(owner, id, 'name\nA\nB\n')
    await jobs.complete(owner, id)
    const aborted = await owner.rest['bulkJobUpdate']!({ id, body: { state: 'ABORTED' } })
    expect([aborted.status, aborted.body['state']]).toEqual([200, 'ABORTED'])
    await jobs.settle()
    expect([await namesOf(), await jobs.results(owner, id, 'unprocessed')]).toEqual([[], '_row,name\r\n1,A\r\n2,B\r\n'])
    expect((await owner.rest['bulkJobDelete']!({ id })).status).toBe(204)
    expect((await owner.rest['bulkJob']!({ id })).status).toBe(404)
    expect(await platform.query(`select state from kernel.file where organization_id = $1`, [organizationId])).toEqual([
      { state: 'RELEASED' },
    ])
  })

  it('is seen by its user and by administrators, and needs the scope of its record type', async () => {
    const member = await platform.member({ organizationId, role: 'MEMBER' })
    const other = await platform.member({ organizationId, role: 'MEMBER' })
    const foreigner = await platform.member({ role: 'OWNER' })
    const contacts = await platform.member({ organizationId, role: 'OWNER', scopes: ['WRITE_CONTACTS'] })
    const { id } = await jobs.create(member, {})
    const statuses = await Promise.all(
      [member, owner, other, foreigner, contacts].map(async (by) => (await by.rest['bulkJob']!({ id })).status),
    )
    expect(statuses).toEqual([200, 200, 404, 404, 403])
    const lists = await Promise.all(
      [member, owner, other, contacts].map(async (by) => (await by.rest['bulkJobList']!({})).body['data'].length),
    )
    expect(lists).toEqual([1, 1, 0, 0])
    for (const by of [other, foreigner]) expect((await jobs.put(by, id, 'x')).status).toBe(404)
    const refused = await contacts.rest['bulkJobCreate']!({ body: { object: 'account', operation: 'INSERT' } })
    expect([refused.status, refused.body.code]).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
    const reader = await platform.member({ organizationId, role: 'READ_ONLY' })
    expect((await reader.rest['bulkJobCreate']!({ body: { object: 'account', operation: 'INSERT' } })).status).toBe(403)
    expect(
      (
        await member.rest['bulkJobCreate']!({
          body: { object: 'account', operation: 'INSERT', options: { runHooks: false } },
        })
      ).status,
    ).toBe(403)
    expect((await owner.rest['bulkJobCreate']!({ body: { object: 'api_key', operation: 'INSERT' } })).status).toBe(400)
  })

  it('writes what its user may write at the time, and ends when the user is not active any more', async () => {
    const member = await platform.member({ organizationId, role: 'MEMBER', visibility: 'OWN' })
    const { id } = await account(owner, { name: 'Hidden' })
    expect(await jobs.load(member, { operation: 'UPDATE' }, `id,name\n${id},Seen\n`)).toMatchObject({
      errorSummary: [{ code: 'NOT_FOUND' }],
    })
    const job = await jobs.create(member, {})
    await jobs.put(member, job.id, 'name\nA\n')
    await jobs.complete(member, job.id)
    await platform.query('update identity.app_user set is_active = false where id = $1', [member.userId])
    await jobs.settle()
    expect(await jobs.read(owner, job.id)).toMatchObject({ state: 'FAILED', errorCode: 'OWNER_INACTIVE' })
    expect(await namesOf()).toEqual(['Hidden'])
  })

  it('marks what its events do not reach', async () => {
    const quiet = async (options: object) => {
      await jobs.load(owner, { options }, 'name\nA\n')
      return platform.query(
        `select type, origin ->> 'kind' as kind, origin -> 'quiet' as quiet from kernel.event where organization_id = $1 and operation_id like 'bulk:%' order by occurred_at desc, id desc limit 2`,
        [organizationId],
      )
    }
    expect(await quiet({ emitEvents: 'SUMMARY', runAutomations: false })).toEqual([
      { type: 'bulk.completed', kind: 'BULK_JOB', quiet: ['AUTOMATIONS'] },
      { type: 'account.created', kind: 'BULK_JOB', quiet: ['DELIVERIES', 'AUTOMATIONS'] },
    ])
    platform.advanceClock(1)
    expect((await quiet({ emitEvents: 'NONE' })).map(({ quiet: of }) => of)).toEqual([['DELIVERIES'], ['DELIVERIES']])
    platform.advanceClock(1)
    expect((await quiet({})).map(({ quiet: of }) => of)).toEqual([null, null])
  })

  it('finds the row whose id another record has among many that are written together', async () => {
    const { id: taken } = await account(owner, { name: 'Taken' })
    const lines = Array.from({ length: 120 }, (_, index) => `${index === 77 ? taken : newId()},N${index}`)
    const job = await jobs.load(owner, {}, `id,name\n${lines.join('\n')}\n`)
    expect(job).toMatchObject({ recordsSucceeded: 119, errorSummary: [{ code: 'UNIQUE_VIOLATION', count: 1 }] })
    expect(await jobs.results(owner, job.id, 'failed')).toContain(`\r\n78,UNIQUE_VIOLATION,id,`)
    expect(await countOfEvents('account.created')).toBe(120)
  })

  it('writes types whose rules read other records', async () => {
    await account(owner, { name: 'Halvorsen', externalId: 'H' })
    await platform.query(
      `update identity.organization set settings = settings || '{"uniqueContactEmail": true}' where id = $1`,
      [organizationId],
    )
    const csv =
      'firstName,lastName,email,accountId.externalId\nAnn,Lee,ann@example.com,H\nBen,Lee,ann@example.com,H\nCleo,Lee,cleo@example.com,X\n'
    const contacts = await jobs.load(owner, { object: 'contact' }, csv)
    expect(contacts).toMatchObject({ recordsSucceeded: 1, recordsFailed: 2 })
    const leads = await jobs.load(
      owner,
      { object: 'lead' },
      'firstName,lastName,company,status\nAnn,Lee,Acme,New\nBen,Lee,Acme,CONVERTED\n',
    )
    expect(leads).toMatchObject({ recordsSucceeded: 1, recordsFailed: 1 })
  })

  it('keeps the rows before one that is refused after it wrote them', async () => {
    await field(owner, { name: 'partner', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT' })
    await settleFieldChanges(platform)
    const [one, two, three] = [await account(owner), await account(owner), await account(owner)] as { id: string }[]
    const csv = `id,name,parentAccountId,customFields.partner\n${one!.id},Uno,,\n${two!.id},Dos,${two!.id},${one!.id}\n${three!.id},Tres,,\n`
    const job = await jobs.load(owner, { operation: 'UPDATE' }, csv)
    expect(job).toMatchObject({ recordsSucceeded: 2, errorSummary: [{ code: 'CIRCULAR', count: 1 }] })
    expect((await accounts('created_at, id')).map(({ name, version }) => [name, version])).toEqual([
      ['Uno', 2],
      [expect.not.stringMatching('Dos'), 1],
      ['Tres', 2],
    ])
    expect(await countOfEvents('account.updated')).toBe(2)
  })

  it('writes records of custom objects, which name others by external ids', async () => {
    await visitsOfAccounts(owner)
    await settleFieldChanges(platform)
    const { id } = await account(owner, { name: 'Halvorsen', externalId: 'H' })
    const csv = 'externalId,customFields.subject,customFields.account.externalId\nV1,Pump,H\nV2,Valve,X\n'
    const job = await jobs.load(owner, { object: 'custom:site_visit' }, csv)
    expect(job).toMatchObject({ recordsSucceeded: 1, errorSummary: [{ code: 'UNKNOWN_REFERENCE' }] })
    const stored = await platform.query(
      `select external_id as key, custom_fields as fields from extensions.custom_record where organization_id = $1`,
      [organizationId],
    )
    expect(stored).toEqual([{ key: 'V1', fields: { subject: 'Pump', account: id } }])
    const next = { object: 'custom:site_visit', operation: 'UPSERT', externalIdField: 'externalId' }
    expect(
      await jobs.load(
        owner,
        next,
        'externalId,customFields.subject,customFields.previous.externalId\nV1,Pump 4,\nV3,Hose,V1\n',
      ),
    ).toMatchObject({ recordsSucceeded: 2 })
    const { id: refused } = await jobs.create(owner, next)
    await jobs.put(owner, refused, 'externalId,customFields.nothing\nV1,x\n')
    expect((await jobs.complete(owner, refused)).body.errors).toMatchObject([
      { path: 'columns.1', code: 'UNKNOWN_FIELD' },
    ])
  })

  const mapping = { Företag: 'name', Omsättning: 'annualRevenue', Öppnad: null, Anteckning: 'description' }
  const swedish = ['Företag', 'Omsättning', 'Öppnad', 'Anteckning']
  const german = { mapping, decimalSeparator: 'COMMA' }
  const quoted = (cells: readonly string[]): string => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')
  const note = 'Rad 1\nRad "2"; slut'

  it.each<[string, object, Buffer]>([
    [
      'Excel, CSV UTF-8',
      german,
      Buffer.from(`\ufeff${swedish.join(';')}\r\nÅkeri;1.234,50;2026-04-03;"${note.replaceAll('"', '""')}"\r\n`),
    ],
    [
      'Excel, CSV',
      german,
      Buffer.from(`${swedish.join(';')}\r\nÅkeri;1234,5;;"${note.replaceAll('"', '""')}"\r\n`, 'latin1'),
    ],
    [
      'Excel, Unicode text',
      german,
      Buffer.from(`\ufeff${swedish.join('\t')}\r\nÅkeri\t1 234,5\t\t"${note.replaceAll('"', '""')}"\r\n`, 'utf16le'),
    ],
    [
      'Excel, CSV with its separator',
      german,
      Buffer.from(`sep=;\r\n${swedish.join(';')}\r\nÅkeri;1234,50;;"${note.replaceAll('"', '""')}"`),
    ],
    [
      'LibreOffice',
      { mapping },
      Buffer.from(`${quoted(swedish)}\n"Åkeri",1234.5,"2026-04-03","${note.replaceAll('"', '""')}"\n`),
    ],
    [
      'Google Sheets',
      { mapping },
      Buffer.from(`${swedish.join(',')}\r\nÅkeri,"1,234.50",2026-04-03,"${note.replaceAll('"', '""')}"`),
    ],
    [
      'HubSpot',
      {
        mapping: {
          'Record ID': null,
          'Company name': 'name',
          'Annual Revenue': 'annualRevenue',
          Description: 'description',
        },
      },
      Buffer.from(
        `${quoted(['Record ID', 'Company name', 'Annual Revenue', 'Description'])}\n${quoted(['9001', 'Åkeri', '1234.5', note])}\n`,
      ),
    ],
    [
      'Salesforce',
      { mapping: { Id: 'externalId', Name: 'name', AnnualRevenue: 'annualRevenue', Description: 'description' } },
      Buffer.from(
        `${quoted(['Id', 'Name', 'AnnualRevenue', 'Description'])}\r\n${quoted(['0015g00000XyZ', 'Åkeri', '1.2345E3', note])}\r\n`,
      ),
    ],
    [
      'an old Macintosh',
      { mapping },
      Buffer.from(`${swedish.join(',')}\rÅkeri,1234.5,,"${note.replaceAll('"', '""')}"\r`),
    ],
  ])('reads a file of %s', async (_name, options, file) => {
    expect(await jobs.load(owner, { options }, file)).toMatchObject({ recordsTotal: 1, recordsSucceeded: 1 })
    const stored = await platform.query(
      'select name, annual_revenue::float8 as revenue, description from crm.account where organization_id = $1',
      [organizationId],
    )
    expect(stored).toEqual([{ name: 'Åkeri', revenue: 1234.5, description: note }])
  })

  it('leaves a wrong byte to its row', async () => {
    const file = Buffer.concat([Buffer.from('name\nÅ\nB'), Buffer.from([0xff]), Buffer.from('\nC\n')])
    const job = await jobs.load(owner, { options: { encoding: 'UTF_8' } }, file)
    expect(job).toMatchObject({ recordsSucceeded: 2, errorSummary: [{ code: 'WRONG_ENCODING', count: 1 }] })
  })

  it('waits while five jobs of the organization are in progress', async () => {
    const { id } = await jobs.create(owner, {})
    await jobs.put(owner, id, 'name\nA\n')
    await jobs.complete(owner, id)
    const running = Array.from({ length: 5 }, newId)
    await platform.query(
      `insert into records.bulk_job select (jsonb_populate_record(j, jsonb_build_object('id', r.id, 'job_state', 'IN_PROGRESS'))).*
       from records.bulk_job j, unnest($2::uuid[]) r(id) where j.id = $1`,
      [id, running],
    )
    await jobs.settle()
    expect((await jobs.read(owner, id)).state).toBe('UPLOAD_COMPLETE')
    await platform.query(`update records.bulk_job set job_state = 'ABORTED' where id = any($1)`, [running])
    await ageQueueItems(platform.services, 'records.bulk_run', 10_000)
    await jobs.settle()
    expect((await jobs.read(owner, id)).state).toBe('JOB_COMPLETE')
  })

  it('asks hooks of all rows together, and obeys validation rules', async () => {
    const hook = { name: 'Check', objectType: 'ACCOUNT', operations: ['CREATE'], url: receiver.url }
    expect((await owner.rest['beforeSaveHookCreate']!({ body: hook } as never)).status).toBe(201)
    const rule = {
      name: 'Large',
      entityType: 'ACCOUNT',
      conditions: [{ field: 'numberOfEmployees', operator: 'GREATER_THAN', value: 100 }],
      errorMessage: 'Too large.',
      errorField: 'numberOfEmployees',
    }
    expect((await owner.rest['validationRuleCreate']!({ body: rule } as never)).status).toBe(201)
    receiver.decide = ({ records }) => ({
      results: records.map(({ values }) =>
        values['name'] === 'N3' ? { decision: 'REJECT', message: 'Not this one.' } : { decision: 'ALLOW' },
      ),
    })
    const csv = `name,numberOfEmployees\n${Array.from({ length: 30 }, (_, index) => `N${index},${index * 4}`).join('\n')}\n`
    const job = await jobs.load(owner, {}, csv)
    expect(job).toMatchObject({
      recordsSucceeded: 25,
      errorSummary: [
        { code: 'VALIDATION_RULE_FAILED', count: 4, sample: 'Too large.' },
        { code: 'HOOK_REJECTED', count: 1, sample: 'Not this one.' },
      ],
    })
    expect(receiver.received.map(({ records }) => records.length)).toEqual([30])
    expect(await jobs.load(owner, { options: { runHooks: false } }, 'name\nN3\n')).toMatchObject({
      recordsSucceeded: 1,
    })
    expect(receiver.received).toHaveLength(1)
  })

  it('is undone by its operation', async () => {
    const { id } = await account(owner, { name: 'One', externalId: 'E1' })
    const values = { operation: 'UPSERT', externalIdField: 'externalId' }
    const { operationId } = await jobs.load(owner, values, 'externalId,name\nE1,Uno\nE2,Two\n')
    const { status, body } = await owner.rest['undo']!({ body: { operationId } } as never)
    expect([status, body['notUndone']]).toEqual([200, []])
    expect(await accounts('external_id')).toMatchObject([
      { id, name: 'One', isDeleted: false },
      { name: 'Two', isDeleted: true },
    ])
  })

  it('is deleted with its file a week after it ended', async () => {
    const { id } = await jobs.load(owner, {}, 'name\nA\n')
    platform.advanceClock(8 * 86_400_000)
    await deleteBulkJobs.run(platform.services)
    expect((await owner.rest['bulkJob']!({ id })).status).toBe(404)
    expect(await namesOf()).toEqual(['A'])
  })
})

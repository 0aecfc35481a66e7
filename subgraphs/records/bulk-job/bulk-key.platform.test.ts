import { beforeAll, describe, expect, it } from 'vitest'
import { account } from '../../../test/builders.ts'
import { BulkJobs } from '../../../test/bulk-jobs.fixture.ts'
import { anOrganization, field, problemsOf } from '../../../test/extensions/custom-fields.fixture.ts'
import { settleFieldChanges } from '../../../test/extensions/field-changes.fixture.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { assignProfile, createProfile } from '../../identity/profile/profile.actions.ts'
import { newId } from '../../kernel/ids.ts'
import { systemContext } from '../../kernel/request.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)
let owner: Member
let member: Member
beforeAll(async () => {
  ;({ owner, member } = await anOrganization(platform))
  await field(owner, { name: 'serial', fieldType: 'TEXT', isUnique: true })
  await field(owner, { name: 'place', fieldType: 'NUMBER', isUnique: true })
  await field(owner, { name: 'phoneLine', fieldType: 'PHONE', isUnique: true })
  await field(owner, { name: 'free', fieldType: 'TEXT' })
  await settleFieldChanges(platform)
})

const stored = (serials: readonly string[]) =>
  platform.query<{ id: string; serial: string; name: string; version: number; isDeleted: boolean }>(
    `select id, custom_fields ->> 'serial' as serial, name, version, deleted_at is not null as "isDeleted" from crm.account
     where custom_fields ->> 'serial' = any($1) order by 2`,
    [serials],
  )
const withSerial = (serial: string, values: object = {}) =>
  account(owner, { ...values, customFields: { serial } }) as Promise<{ id: string }>
const createOf = (by: Member, values: object) =>
  by.rest['bulkJobCreate']!({ body: { object: 'account', operation: 'UPSERT', ...values } } as never)

describe('a bulk job by a unique custom field', () => {
  it('changes the record that has the value as the field compares it, in the order of the file', async () => {
    const { id } = await withSerial('SN 1', { name: 'One' })
    const csv = 'customFields.serial,name\nsn  1,Uno\n ＳＮ　2 ,Two\nsn 2,Dos\nSN 1,Eins\n'
    const job = await jobs.load(member, { operation: 'UPSERT', externalIdField: 'serial' }, csv)
    expect(job).toMatchObject({ externalIdField: 'customFields.serial', recordsSucceeded: 4, recordsFailed: 0 })
    expect(await stored(['SN 1', 'ＳＮ　2'])).toMatchObject([
      { id, name: 'Eins', version: 3 },
      { name: 'Dos', version: 2 },
    ])
    expect(await jobs.results(member, job.id, 'successful')).toContain(`\r\n4,${id},false,SN 1,Eins\r\n`)
  })

  it('updates and deletes, and finds nothing that has another value or is deleted', async () => {
    const [one, two] = [await withSerial('UD-1'), await withSerial('UD-2')]
    const values = { externalIdField: 'customFields.serial' }
    const update = 'customFields.serial,name,customFields.free\nud-1,Uno,x\nUD-3,Nobody,y\n,Blank,z\n'
    expect(await jobs.load(member, { ...values, operation: 'UPDATE' }, update)).toMatchObject({
      recordsSucceeded: 1,
      errorSummary: [
        { code: 'NOT_FOUND', count: 1 },
        { code: 'REQUIRED', count: 1 },
      ],
    })
    const deletion = 'customFields.serial\nUD-1\nud-1\nud-2\n'
    expect(await jobs.load(member, { ...values, operation: 'DELETE' }, deletion)).toMatchObject({
      recordsSucceeded: 2,
      errorSummary: [{ code: 'NOT_FOUND', count: 1 }],
    })
    expect(await stored(['UD-1', 'UD-2'])).toMatchObject([
      { id: one.id, name: 'Uno', isDeleted: true },
      { id: two.id, isDeleted: true },
    ])
    const again = await jobs.load(member, { ...values, operation: 'UPSERT' }, 'customFields.serial,name\nud-1,New\n')
    expect(again).toMatchObject({ recordsSucceeded: 1 })
    expect(await stored(['ud-1'])).toMatchObject([{ name: 'New', isDeleted: false }])
  })

  it('compares numbers and telephone numbers as such, in NDJSON, too', async () => {
    const upsert = { operation: 'UPSERT', contentType: 'NDJSON' }
    const places = [
      { customFields: { place: 7 }, name: 'Seven' },
      { 'customFields.place': 7.0, name: 'Sieben' },
      { customFields: { place: 'x' }, name: 'None' },
      { customFields: { place: 8 }, 'customFields.free': 'kept', name: 'Eight' },
    ]
    const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    expect(await jobs.load(member, { ...upsert, externalIdField: 'place' }, lines(places))).toMatchObject({
      recordsSucceeded: 3,
      errorSummary: [{ code: 'WRONG_TYPE', count: 1 }],
    })
    const found = await platform.query(
      `select name, custom_fields as fields from crm.account where custom_fields ? 'place' order by custom_fields ->> 'place'`,
    )
    expect(found).toEqual([
      { name: 'Sieben', fields: { place: 7 } },
      { name: 'Eight', fields: { place: 8, free: 'kept' } },
    ])
    const phones = [
      { 'customFields.phoneLine': '+46 8 123', name: 'A' },
      { 'customFields.phoneLine': '0046 (8) 123', name: 'B' },
    ]
    const phoned = await jobs.load(member, { ...upsert, externalIdField: 'phoneLine' }, lines(phones))
    const ids = (await jobs.results(member, phoned.id, 'successful')).trim().split('\n')
    expect(new Set(ids.map((line) => (JSON.parse(line) as { _id: string })._id)).size).toBe(1)
  })

  it('restores the only deleted record that has the value as the field compares it', async () => {
    const [one, two, live] = [await withSerial('D-1'), await withSerial('d-2'), await withSerial('D-3')]
    const twice = [await withSerial('D-4')]
    await owner.rest['accountDelete']!({ id: twice[0]!.id })
    twice.push(await withSerial('d-4'))
    for (const { id } of [one, two, twice[1]!]) await owner.rest['accountDelete']!({ id })
    const values = { operation: 'UPSERT', externalIdField: 'serial', options: { matchDeleted: 'RESTORE' } }
    const csv = 'customFields.serial,name\nd-1,Uno\nD-2,Dos\nD-3,Tres\nD-4,Both\nD-5,New\nd-1,Eins\n'
    const job = await jobs.load(member, values, csv)
    expect(job).toMatchObject({ recordsSucceeded: 5, errorSummary: [{ code: 'AMBIGUOUS_MATCH', count: 1 }] })
    expect(await stored(['D-1', 'd-2', 'D-3', 'D-4', 'd-4', 'D-5'])).toMatchObject([
      { id: one.id, serial: 'D-1', name: 'Eins', isDeleted: false },
      { id: live.id, serial: 'D-3', name: 'Tres', isDeleted: false },
      { id: twice[0]!.id, serial: 'D-4', isDeleted: true },
      { serial: 'D-5', name: 'New', isDeleted: false },
      { id: two.id, serial: 'd-2', name: 'Dos', isDeleted: false },
      { id: twice[1]!.id, serial: 'd-4', isDeleted: true },
    ])
    expect(await platform.eventTypesOf(one.id)).toEqual([
      'account.created',
      'account.deleted',
      'account.restored',
      'account.updated',
      'account.updated',
    ])
    // A value that the restored record has again is unique among live ones.
    const again = await owner.rest['accountCreate']!({ body: { name: 'Third', customFields: { serial: 'd-1' } } })
    expect([again.status, again.body.code]).toEqual([409, 'UNIQUE_VIOLATION'])
  })

  it('writes many rows together', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `M-${index % 200},N${index}`)
    const csv = `customFields.serial,name\n${rows.join('\n')}\n`
    const job = await jobs.load(member, { operation: 'UPSERT', externalIdField: 'serial' }, csv)
    expect(job).toMatchObject({ recordsSucceeded: 300, recordsFailed: 0 })
    const found = await stored(rows.map((row) => row.split(',')[0]!))
    expect(found).toHaveLength(200)
    expect(found.find(({ serial }) => serial === 'M-7')).toMatchObject({ name: 'N207', version: 2 })
  })

  it('changes the record to which another transaction gives the key meanwhile', async () => {
    const { id } = await withSerial('T-0', { name: 'Other' })
    const { id: jobId } = await jobs.create(member, { operation: 'UPSERT', externalIdField: 'serial' })
    await jobs.put(member, jobId, 'customFields.serial,name\nt-1,Mine\n')
    expect((await jobs.complete(member, jobId)).status).toBe(200)
    const [loading] = await platform.inSeparateTransaction(async (sql) => {
      await sql.query(`update kernel.record_value set unique_key = 't-1' where record_id = $1 and field = 'serial'`, [
        id,
      ])
      await sql.query(`update crm.account set custom_fields = '{"serial": "T-1"}' where id = $1`, [id])
      const settled = jobs.settle()
      await expect.poll(() => platform.waitingForLocks(), { interval: 5, timeout: 30_000 }).toBeGreaterThan(0)
      return [settled] as const
    })
    await loading
    expect(await jobs.read(member, jobId)).toMatchObject({ recordsSucceeded: 1, recordsFailed: 0 })
    expect(await stored(['T-1', 't-1'])).toMatchObject([{ id, name: 'Mine', version: 2 }])
  })

  it('does not give a record another key than the one that found it', async () => {
    const { id } = await withSerial('K-1', { name: 'One' })
    const csv = `customFields.serial,customFields,name\nk-1,"{""serial"":""K-2""}",Uno\n`
    const job = await jobs.load(member, { operation: 'UPDATE', externalIdField: 'serial' }, csv)
    expect(job).toMatchObject({ recordsFailed: 1, errorSummary: [{ code: 'DIFFERENT_KEY' }] })
    expect(await stored(['K-1', 'K-2'])).toMatchObject([{ id, name: 'One' }])
  })

  it('shows nothing of records that its user does not see', async () => {
    const own = await platform.member({ organizationId: owner.organizationId, role: 'MEMBER', visibility: 'OWN' })
    await withSerial('V-1', { name: 'Hidden' })
    const values = { operation: 'UPSERT', externalIdField: 'serial' }
    const job = await jobs.load(own, values, 'customFields.serial,name\nv-1,Seen\nV-2,Own\n')
    expect(job).toMatchObject({ recordsSucceeded: 1, errorSummary: [{ code: 'UNIQUE_VIOLATION' }] })
    expect(await stored(['V-1', 'V-2'])).toMatchObject([{ name: 'Hidden' }, { name: 'Own' }])
  })

  it('is refused by a field that is no key, or hidden, and ends when the field is no key any more', async () => {
    for (const externalIdField of ['free', 'customFields.free', 'customFields.none', 'name', 'customFields.id'])
      expect(problemsOf(await createOf(member, { externalIdField }))).toBe(
        '400 VALIDATION_FAILED externalIdField NOT_A_KEY',
      )
    const reader = await platform.member({ organizationId: owner.organizationId, role: 'MEMBER' })
    const fields = { account: { 'customFields.serial': 'HIDDEN' as const } }
    const ctx = systemContext(platform.services, owner.organizationId)
    const profile = await createProfile(ctx, { name: newId(), fields })
    await assignProfile(ctx, reader.userId, profile.id)
    expect(problemsOf(await createOf(reader, { externalIdField: 'serial' }))).toMatch(/^403 FIELD_NOT_READABLE/)

    const closing = await field(owner, { name: 'closing', fieldType: 'TEXT', isUnique: true })
    await settleFieldChanges(platform)
    const job = await jobs.create(member, { operation: 'UPSERT', externalIdField: 'closing' })
    await jobs.put(member, job.id, 'customFields.closing,name\nC,A\n')
    expect((await jobs.complete(member, job.id)).status).toBe(200)
    const changed = await owner.rest['customFieldUpdate']!({
      id: closing.id,
      ifMatch: closing.version,
      body: { isUnique: false },
    } as never)
    expect([changed.status, changed.body.code]).toEqual([200, undefined])
    await jobs.settle()
    expect(await jobs.read(owner, job.id)).toMatchObject({ state: 'FAILED', errorCode: 'NOT_A_KEY' })
  })
})

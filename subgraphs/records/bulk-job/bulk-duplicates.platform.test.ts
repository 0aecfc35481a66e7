import { beforeEach, describe, expect, it } from 'vitest'
import { account, contact } from '../../../test/builders.ts'
import { BulkJobs } from '../../../test/bulk-jobs.fixture.ts'
import { problemsOf } from '../../../test/extensions/custom-fields.fixture.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { duplicateRule, settleDuplicateKeys } from '../duplicates/duplicates.fixture.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)
let organizationId: string
let owner: Member

beforeEach(async () => {
  organizationId = await platform.organization()
  owner = await platform.member({ organizationId, role: 'OWNER' })
  await duplicateRule(owner)
  await settleDuplicateKeys(platform)
})

const stored = () =>
  platform.query<{ id: string; lastName: string; title: string | null; email: string; version: number }>(
    `select id, last_name as "lastName", title, email, external_id as "externalId", version from crm.contact
     where organization_id = $1 and deleted_at is null order by created_at, id`,
    [organizationId],
  )
const load = (duplicateStrategy: string, csv: string, values: object = {}, by = owner) =>
  jobs.load(by, { object: 'contact', options: { duplicateStrategy }, ...values }, csv)
const ida = (values: object = {}) =>
  contact(owner, { lastName: 'Dahl', email: 'ida@yard.example', ...values }) as Promise<{ id: string }>
const rows =
  'lastName,email,title\nDahl,IDA@yard.example,Welder\nBerg,per@yard.example,\nBerg,Per@yard.example,Rigger\nLie,,\n'

describe('a bulk job whose rows are duplicates', () => {
  it('refuses them unless it is asked otherwise', async () => {
    await ida()
    const job = await jobs.load(owner, { object: 'contact' }, rows)
    expect(job).toMatchObject({
      options: { duplicateStrategy: 'FAIL' },
      recordsSucceeded: 2,
      recordsSkipped: 0,
      errorSummary: [{ code: 'DUPLICATE_DETECTED', count: 2 }],
    })
  })

  it('creates them with ALLOW, and changes records that it would block', async () => {
    await ida()
    expect(await load('ALLOW', rows)).toMatchObject({ recordsSucceeded: 4, recordsFailed: 0 })
    expect((await stored()).map(({ email }) => email)).toEqual([
      'ida@yard.example',
      'IDA@yard.example',
      'per@yard.example',
      'Per@yard.example',
      null,
    ])
    const last = (await stored()).at(-1)!
    const update = `id,email\n${last.id},ida@yard.example\n`
    expect(await load('FAIL', update, { operation: 'UPDATE' })).toMatchObject({ recordsFailed: 1 })
    expect(await load('ALLOW', update, { operation: 'UPDATE' })).toMatchObject({ recordsSucceeded: 1 })
  })

  it('leaves them out with SKIP, and tells which records they duplicate', async () => {
    const { id } = await ida()
    const job = await load('SKIP', rows)
    expect(job).toMatchObject({
      state: 'JOB_COMPLETE',
      recordsTotal: 4,
      recordsProcessed: 4,
      recordsSucceeded: 2,
      recordsFailed: 0,
      recordsSkipped: 2,
      recordsUnprocessed: 0,
      errorSummary: [],
    })
    const [first, second] = await stored()
    expect([first, (await stored()).length]).toMatchObject([{ id, title: null, version: 1 }, 3])
    expect(await jobs.results(owner, job.id, 'skipped')).toBe(
      `_row,_id,lastName,email,title\r\n1,${id},Dahl,IDA@yard.example,Welder\r\n3,${second!.id},Berg,Per@yard.example,Rigger\r\n`,
    )
    expect((await jobs.results(owner, job.id, 'successful')).split('\r\n').map((line) => line.split(',')[0])).toEqual([
      '_row',
      '2',
      '4',
      '',
    ])
    const events = await platform.query(
      `select data from kernel.event where organization_id = $1 and type = 'bulk.completed'`,
      [organizationId],
    )
    expect(JSON.stringify(events)).toContain('"recordsSkipped":2')
  })

  it('changes what they duplicate with UPDATE, as an update does', async () => {
    const { id } = await ida({ title: 'Fitter', externalId: 'C1' })
    expect(await load('UPDATE', rows)).toMatchObject({ recordsSucceeded: 4, recordsFailed: 0, recordsSkipped: 0 })
    expect(await stored()).toMatchObject([
      { id, title: 'Welder', email: 'IDA@yard.example', version: 2 },
      { lastName: 'Berg', title: 'Rigger', email: 'Per@yard.example', version: 2 },
      { lastName: 'Lie' },
    ])
    expect(await platform.eventTypesOf(id)).toEqual(['contact.created', 'contact.updated'])
    const upsert = { operation: 'UPSERT', externalIdField: 'externalId' }
    const csv = 'externalId,lastName,email,title\nC9,Dahl,ida@yard.example,Chief\nC9,Dahl,ida@yard.example,Owner\n'
    expect(await load('UPDATE', csv, upsert)).toMatchObject({ recordsSucceeded: 2 })
    expect((await stored())[0]).toMatchObject({ id, title: 'Owner', externalId: 'C1', version: 4 })
    expect(await load('SKIP', csv, upsert)).toMatchObject({ recordsSkipped: 2, recordsSucceeded: 0 })
  })

  it('fails where two records are equally alike, and where the change is refused', async () => {
    await load('ALLOW', 'lastName,email\nDahl,ida@yard.example\nDahl,ida@yard.example\n')
    await contact(owner, { lastName: 'Berg', email: 'per@yard.example' })
    const csv = `lastName,email,title\nDahl,ida@yard.example,A\nBerg,per@yard.example,${'x'.repeat(300)}\nBerg,per@yard.example,B\n`
    const job = await load('UPDATE', csv)
    expect(job).toMatchObject({ recordsSucceeded: 1, recordsFailed: 2 })
    expect((job['errorSummary'] as { code: string }[]).map(({ code }) => code)).toEqual(
      expect.arrayContaining(['AMBIGUOUS_MATCH', 'TOO_LONG']),
    )
    expect((await stored()).map(({ title }) => title)).toEqual([null, null, 'B'])
    const skipped = await load('SKIP', csv.split('\n').slice(0, 2).join('\n'))
    expect(await jobs.results(owner, skipped.id, 'skipped')).toContain(`1,${(await stored())[0]!.id},`)
  })

  it('neither names nor changes records that its user does not see', async () => {
    await ida()
    const own = await platform.member({ organizationId, role: 'MEMBER', visibility: 'OWN' })
    for (const strategy of ['SKIP', 'UPDATE'])
      expect(await load(strategy, `lastName,email,title\nDahl,ida@yard.example,${strategy}\n`, {}, own)).toMatchObject({
        recordsSucceeded: 1,
        recordsSkipped: 0,
      })
    expect((await stored()).map(({ title, version }) => [title, version])).toEqual([
      [null, 1],
      ['UPDATE', 2],
    ])
  })

  it('obeys blocking rules only, takes nothing back that others wrote, and writes nothing in a dry run', async () => {
    const rule = { object: 'account', name: 'Same name', matchers: [{ field: 'name', method: 'COMPANY' }] }
    await duplicateRule(owner, { ...rule, action: 'REPORT' })
    await settleDuplicateKeys(platform)
    await account(owner, { name: 'Halvorsen' })
    const reported = await load('SKIP', 'name\nHalvorsen AS\n', { object: 'account' })
    expect(reported).toMatchObject({ recordsSucceeded: 1, recordsSkipped: 0 })
    await ida()
    const dry = { options: { duplicateStrategy: 'SKIP', dryRun: true } }
    expect(await load('SKIP', rows, dry)).toMatchObject({ recordsSucceeded: 2, recordsSkipped: 2 })
    const whole = { options: { duplicateStrategy: 'SKIP', allOrNone: true } }
    expect(await load('SKIP', rows, whole)).toMatchObject({ state: 'JOB_COMPLETE', recordsSkipped: 2 })
    expect(await stored()).toHaveLength(3)
  })

  it('writes many rows together with ALLOW, whose keys others are compared with', async () => {
    const matchers = [{ field: 'name', method: 'COMPANY' }]
    await duplicateRule(owner, { object: 'account', name: 'Same name', matchers })
    await settleDuplicateKeys(platform)
    const csv = `name\n${Array.from({ length: 120 }, (_, index) => `Yard ${index % 60}`).join('\n')}\n`
    expect(await load('ALLOW', csv, { object: 'account' })).toMatchObject({ recordsSucceeded: 120 })
    expect(await load('SKIP', csv, { object: 'account' })).toMatchObject({ recordsSkipped: 120 })
  })

  it.each(['UPDATE', 'DELETE'])('is refused where %s creates no records', async (operation) => {
    for (const duplicateStrategy of ['SKIP', 'UPDATE']) {
      const body = { object: 'contact', operation, options: { duplicateStrategy } }
      expect(problemsOf(await owner.rest['bulkJobCreate']!({ body } as never))).toBe(
        '400 VALIDATION_FAILED options.duplicateStrategy NOT_ALLOWED',
      )
    }
    const body = { object: 'contact', operation: 'EXPORT', options: { duplicateStrategy: 'SKIP' } }
    expect((await owner.rest['bulkJobCreate']!({ body } as never)).status).toBe(400)
  })
})

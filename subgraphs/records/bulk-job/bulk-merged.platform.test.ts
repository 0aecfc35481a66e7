import { beforeAll, describe, expect, it } from 'vitest'
import { account } from '../../../test/builders.ts'
import { BulkJobs } from '../../../test/bulk-jobs.fixture.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)
let organizationId: string
let owner: Member
beforeAll(async () => {
  organizationId = await platform.organization()
  owner = await platform.member({ organizationId, role: 'OWNER' })
})

/** A record into which another one with the external id was merged. */
async function merged(externalId: string, own = `own ${externalId}`): Promise<{ stays: string; gone: string }> {
  const stays = await account(owner, { name: 'Stays', externalId: own })
  const gone = await account(owner, { name: 'Gone', externalId })
  const { status } = await owner.rest['accountMerge']!({ id: stays.id, body: { ids: [gone.id] } } as never)
  expect(status).toBe(200)
  return { stays: stays.id, gone: gone.id }
}
const stored = (ids: readonly string[]) =>
  platform.query(
    `select name, external_id as "externalId", version, deleted_at is not null as "isDeleted" from crm.account where id = any($1) order by id`,
    [ids],
  )
const countOf = async (externalId: string) =>
  (
    await platform.query('select from crm.account where organization_id = $1 and external_id = $2', [
      organizationId,
      externalId,
    ])
  ).length
const load = (operation: string, csv: string, by = owner, options: object = {}) =>
  jobs.load(by, { operation, externalIdField: 'externalId', options }, csv)

describe('the external id of a record that was merged', () => {
  it('leads to the one that stays where a bulk job updates or upserts, which keeps its own external id', async () => {
    const [one, two] = [await merged('M-1', 'S-1'), await merged('M-2')]
    const rows = Array.from({ length: 60 }, (_, n) => `N-${n},New ${n}`).join('\n')
    expect(await load('UPDATE', 'externalId,name\nM-1,Uno\nM-2,Due\nM-3,None\n')).toMatchObject({
      recordsSucceeded: 2,
      errorSummary: [{ code: 'NOT_FOUND', count: 1 }],
    })
    const upsert = await load('UPSERT', `externalId,name\nM-1,Eins\n${rows}\nS-1,Zwei\n`, owner, {
      matchDeleted: 'RESTORE',
    })
    expect(upsert).toMatchObject({ recordsSucceeded: 62, recordsFailed: 0 })
    expect(await stored([one.stays, two.stays])).toMatchObject([
      { name: 'Zwei', externalId: 'S-1', version: 5, isDeleted: false },
      { name: 'Due', externalId: 'own M-2', version: 3, isDeleted: false },
    ])
    expect(await stored([one.gone])).toMatchObject([{ name: 'Gone', isDeleted: true }])
    expect(await countOf('M-1')).toBe(1)
    expect(await jobs.results(owner, upsert.id, 'successful')).toContain(`1,${one.stays},false,M-1,Eins\r\n`)
  })

  it('leads a deletion to it, once', async () => {
    const { stays } = await merged('D-1', 'D-2')
    const job = await load('DELETE', 'externalId\nD-1\nD-2\nD-1\n')
    expect(job).toMatchObject({ recordsSucceeded: 1, errorSummary: [{ code: 'NOT_FOUND', count: 2 }] })
    expect(await stored([stays])).toMatchObject([{ isDeleted: true }])
    const deletions = (await platform.eventTypesOf(stays)).filter((type) => type === 'account.deleted')
    expect(deletions).toHaveLength(1)
  })

  it('leads references to it', async () => {
    const { stays } = await merged('R-1')
    const csv = 'lastName,accountId.externalId\nDahl,R-1\n'
    expect(await jobs.load(owner, { object: 'contact' }, csv)).toMatchObject({ recordsSucceeded: 1 })
    const found = await platform.query('select from crm.contact where organization_id = $1 and account_id = $2', [
      organizationId,
      stays,
    ])
    expect(found).toHaveLength(1)
  })

  it('leads nobody to a record that they do not see, and to no other than a live record that has it', async () => {
    const { stays, gone } = await merged('V-1')
    const own = await platform.member({ organizationId, role: 'MEMBER', visibility: 'OWN' })
    expect(await load('UPDATE', 'externalId,name\nV-1,Mine\n', own)).toMatchObject({
      recordsSucceeded: 0,
      errorSummary: [{ code: 'NOT_FOUND', count: 1 }],
    })
    await owner.rest['accountRestore']!({ id: gone })
    expect(await load('UPDATE', 'externalId,name\nV-1,Back\n')).toMatchObject({ recordsSucceeded: 1 })
    expect(await load('UPDATE', 'externalId,name\nV-1,Mine\n', own)).toMatchObject({ recordsSucceeded: 0 })
    expect(await stored([stays, gone])).toMatchObject([{ name: 'Stays' }, { name: 'Back' }])
  })
})

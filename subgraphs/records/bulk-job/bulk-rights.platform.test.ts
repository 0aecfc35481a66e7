import { beforeEach, describe, expect, it } from 'vitest'
import { BulkJobs, type Job } from '../../../test/bulk-jobs.fixture.ts'
import { useHookReceiver } from '../../../test/extensions/hook-receiver.ts'
import { usePlatform, type Member, type MemberOptions } from '../../../test/platform.ts'
import { assignProfile, createProfile } from '../../identity/profile/profile.actions.ts'
import { systemContext } from '../../kernel/request.ts'

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

/** Records on which a hook decides are written 500 at a time. */
const [inFirst, inSecond] = [500, 100]

const aUser = (options: MemberOptions = {}) => platform.member({ organizationId, role: 'MEMBER', ...options })

async function uploaded(by: Member, values: object, csv: string): Promise<Job> {
  const job = await jobs.create(by, values)
  expect((await jobs.put(by, job.id, csv)).status).toBe(200)
  expect((await jobs.complete(by, job.id)).status).toBe(200)
  return job
}

const counts = async () => {
  const [row] = await platform.query(
    `select (select count(*)::int from crm.account where organization_id = $1) as records,
       (select count(*)::int from kernel.event where organization_id = $1 and type = 'account.created') as events`,
    [organizationId],
  )
  return row
}

/** Loads rows of which the first 500 are on their way through a hook when `change` happens. */
async function loadDuring(by: Member, line: (row: number) => string, change: () => Promise<unknown>): Promise<Job> {
  const hook = { name: 'Check', objectType: 'ACCOUNT', operations: ['CREATE'], url: receiver.url }
  expect((await owner.rest['beforeSaveHookCreate']!({ body: hook } as never)).status).toBe(201)
  let changing: Promise<unknown> | null = null
  receiver.decide = ({ records }, response) => {
    const answer = JSON.stringify({ results: records.map(() => ({ decision: 'ALLOW' })) })
    changing ??= change()
    void changing.then(() => response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer))
  }
  const lines = Array.from({ length: inFirst + inSecond }, (_, row) => `${line(row)}\n`)
  const { id } = await uploaded(by, {}, lines.join(''))
  await jobs.settle()
  await changing
  return jobs.read(owner, id)
}

const named = (row: number): string => (row === 0 ? 'name\nN0' : `N${row}`)

describe('a bulk job whose rights end while it runs', () => {
  const ended: readonly (readonly [string, (user: Member) => Promise<unknown>, string])[] = [
    [
      'the role of its user',
      ({ userId }) => platform.query(`update identity.app_user set role = 'READ_ONLY' where id = $1`, [userId]),
      'The user who created the job may read but not change records.',
    ],
    [
      'the scope of its key',
      ({ keyId }) => platform.query(`update identity.api_key set scopes = '{WRITE_CONTACTS}' where id = $1`, [keyId]),
      'The credential that created the job lacks the scope WRITE_ACCOUNTS.',
    ],
    [
      'its key',
      ({ keyId }) => platform.query('update identity.api_key set revoked_at = now() where id = $1', [keyId]),
      'The credential that created the job has been revoked.',
    ],
  ]

  it.each(ended)('has written the rows before, and writes none after: %s', async (_, change, errorMessage) => {
    const user = await aUser({ scopes: ['WRITE_ACCOUNTS'] })
    expect(await loadDuring(user, named, () => change(user))).toMatchObject({
      state: 'FAILED',
      errorCode: 'PERMISSION_DENIED',
      errorMessage,
      recordsSucceeded: inFirst,
      recordsFailed: 0,
    })
    expect(await counts()).toEqual({ records: inFirst, events: inFirst })
    expect(receiver.received.flatMap(({ records }) => records)).toHaveLength(inFirst)
  })

  it('refuses the rows that set a field which its user may not write any more', async () => {
    const user = await aUser()
    const ctx = systemContext(platform.services, organizationId)
    const job = await loadDuring(
      user,
      (row) =>
        row === 0 ? 'name,website\nN0,https://0.example' : `N${row},${row % 4 ? '' : `https://${row}.example`}`,
      async () => {
        const profile = await createProfile(ctx, { name: 'Clerk', fields: { account: { website: 'READ' } } })
        await assignProfile(ctx, user.userId, profile.id)
      },
    )
    expect(job).toMatchObject({
      state: 'JOB_COMPLETE',
      recordsSucceeded: inFirst + 75,
      recordsFailed: 25,
      errorSummary: [{ code: 'FIELD_NOT_WRITABLE', count: 25 }],
    })
    expect(await counts()).toEqual({ records: inFirst + 75, events: inFirst + 75 })
    const after = `select from crm.account where organization_id = $1 and website ~ '//(5..).example'`
    expect(await platform.query(after, [organizationId])).toEqual([])
  })

  it('refuses the rows that set the time of creation when its user is no admin any more', async () => {
    const admin = await aUser({ role: 'ADMIN' })
    const job = await loadDuring(
      admin,
      (row) => (row === 0 ? 'name,createdAt\nN0,2020-01-01T00:00:00Z' : `N${row},2020-01-01T00:00:00Z`),
      () => platform.query(`update identity.app_user set role = 'MEMBER' where id = $1`, [admin.userId]),
    )
    expect(job).toMatchObject({
      recordsSucceeded: inFirst,
      recordsFailed: inSecond,
      errorSummary: [{ code: 'FIELD_NOT_WRITABLE', count: inSecond }],
    })
    expect(await counts()).toEqual({ records: inFirst, events: inFirst })
  })

  it.each(['runHooks', 'runAutomations'])('ends without %s when its user is no admin any more', async (option) => {
    const admin = await aUser({ role: 'ADMIN' })
    const { id } = await uploaded(admin, { options: { [option]: false } }, 'name\nA\n')
    await platform.query(`update identity.app_user set role = 'MEMBER' where id = $1`, [admin.userId])
    await jobs.settle()
    expect(await jobs.read(owner, id)).toMatchObject({
      state: 'FAILED',
      errorCode: 'PERMISSION_DENIED',
      errorMessage: 'Only owners and admins may load records without hooks or automations.',
    })
    expect(await counts()).toEqual({ records: 0, events: 0 })
  })

  it('goes on when its key has expired', async () => {
    const user = await aUser({ scopes: ['WRITE_ACCOUNTS'] })
    const job = await loadDuring(user, named, () =>
      platform.query('update identity.api_key set expires_at = $2 where id = $1', [user.keyId, '2027-01-01']),
    )
    expect(job).toMatchObject({ state: 'JOB_COMPLETE', recordsSucceeded: inFirst + inSecond })
  })
})

describe('a bulk job of an app', () => {
  it('has the scopes that its user, the app and the organization still grant', async () => {
    const [appId, grantId] = ['019a0c5e-7f00-7000-8000-000000000001', '019a0c5e-7f00-7000-8000-000000000002']
    const load = async (): Promise<Job> => {
      const { id } = await uploaded(owner, {}, 'name\nA\n')
      const createdWith = { kind: 'OAUTH', credentialId: grantId }
      await platform.query('update records.bulk_job set created_with = $2, scopes = $3 where id = $1', [
        id,
        JSON.stringify(createdWith),
        ['WRITE_ACCOUNTS'],
      ])
      await jobs.settle()
      return jobs.read(owner, id)
    }
    expect(await load()).toMatchObject({ state: 'FAILED', errorCode: 'PERMISSION_DENIED' })
    await platform.query(
      `insert into identity.oauth_grant (organization_id, id, app_id, user_id, scopes, created_at, expires_at)
       values ($1, $2, $3, $4, '{WRITE_ACCOUNTS}', now(), now())`,
      [organizationId, grantId, appId, owner.userId],
    )
    expect(await load()).toMatchObject({ state: 'FAILED', errorCode: 'PERMISSION_DENIED' })
    await platform.query(
      `insert into identity.oauth_app (organization_id, id, owner_id, name, app_version, type, scopes, rate_limit, created_at, updated_at)
       values ($1, $2, $3, 'Loader', '1.0.0', 'PUBLIC', '{READ_ACCOUNTS,WRITE_ACCOUNTS}', '{}', now(), now())`,
      [organizationId, appId, owner.userId],
    )
    expect(await load()).toMatchObject({ state: 'JOB_COMPLETE', recordsSucceeded: 1 })
    const home = await platform.organization()
    const developer = await platform.member({ organizationId: home })
    await platform.query('update identity.oauth_app set organization_id = $2, owner_id = $3 where id = $1', [
      appId,
      home,
      developer.userId,
    ])
    await platform.query(`update identity.organization set status = 'SUSPENDED' where id = $1`, [home])
    expect(await load()).toMatchObject({
      state: 'FAILED',
      errorMessage: 'The credential that created the job has been revoked.',
    })
    await platform.query(`update identity.organization set status = 'ACTIVE' where id = $1`, [home])
    await platform.query(`update identity.oauth_app set scopes = '{READ_ACCOUNTS}' where id = $1`, [appId])
    expect(await load()).toMatchObject({
      state: 'FAILED',
      errorMessage: 'The credential that created the job lacks the scope WRITE_ACCOUNTS.',
    })
    expect(await counts()).toEqual({ records: 1, events: 1 })
  })
})

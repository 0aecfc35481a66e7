import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sealedColumns } from '../../subgraphs/all.ts'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'
import { usePlatform } from '../platform.ts'
import { restClient } from '../rest-client.ts'
import { operate as operateOn } from '../processes.ts'

const key = randomBytes(32)
const platform = usePlatform({ ENCRYPTION_KEY: key.toString('base64') })

const operate = (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> =>
  operateOn(args, {
    DATA_DIR: platform.dataDir,
    DATABASE_URL: platform.services.databaseUrl,
    ENCRYPTION_KEY: key.toString('base64'),
    ...environment,
  })

describe('keys:rotate', () => {
  it('creates new data keys, with which what was encrypted before still opens', async () => {
    const member = await platform.member()
    const asked = { body: { name: 'Acme' }, headers: { 'Idempotency-Key': 'again' } }
    const { body } = await member.rest.accountCreate!(asked)
    // The keys of the organization and of the platform.
    expect(await operate(['keys:rotate'])).toBe('0 data keys re-encrypted, 2 created, 1 secrets re-encrypted.')
    expect((await member.rest.accountCreate!(asked)).body).toEqual(body)
  })

  it('knows every column that contains encrypted text', () => {
    expect(sealedColumns.map(({ table, column }) => `${table}.${column}`).sort()).toEqual([
      'assistant.ai_trigger.sealed_previous_secret',
      'assistant.ai_trigger.sealed_secret',
      'events.push_subscription.keys',
      'events.webhook.sealed_headers',
      'events.webhook.sealed_previous_secret',
      'events.webhook.sealed_secret',
      'extensions.before_save_hook.sealed_previous_secret',
      'extensions.before_save_hook.sealed_secret',
      'extensions.custom_action.sealed_previous_secret',
      'extensions.custom_action.sealed_secret',
      'extensions.function_secret.sealed_value',
      'extensions.named_credential.sealed_secret',
      'extensions.named_credential_token.sealed_token',
      'extensions.workflow.sealed_secret',
      'identity.meeting_connection.tokens',
      'identity.meeting_state.verifier',
      'identity.oauth_visit.sealed',
      'kernel.idempotency.answer',
      'kernel.mail.content',
      'outreach.mailbox.sealed_imap_password',
      'outreach.mailbox.sealed_smtp_password',
    ])
  })
})

describe('organization', () => {
  it('suspends and resumes immediately, by id or by code', async () => {
    const member = await platform.member({ organizationId: await platform.organization('Sleepy') })
    const { organizationId } = member
    expect(await operate(['organization', 'suspend', organizationId])).toBe(
      `The organization ${organizationId} is SUSPENDED.`,
    )
    const listed = async () => (await member.rest.accountList!()).body.code
    // Another process receives the change within one second.
    await vi.waitFor(async () => expect(await listed()).toBe('ORGANIZATION_SUSPENDED'), { timeout: 1000 })
    const [{ code } = { code: '' }] = await platform.query<{ code: string }>(
      'select code from identity.organization where id = $1',
      [organizationId],
    )
    expect(await operate(['organization', 'resume', code])).toBe(`The organization ${organizationId} is ACTIVE.`)
    await vi.waitFor(async () => expect(await listed()).toBeUndefined(), { timeout: 1000 })
  })

  it('creates an organization whose owner signs in with the printed password', async () => {
    const email = 'first.owner@example.com'
    const output = await operate(['organization', 'create', 'Fjordline AS', email, 'Ann Lee'])
    const [, id, code, password] = new RegExp(
      `^The organization (\\S{36}) has the code (\\S+); its owner ${email} signs in with the password (\\S+)\\.$`,
    ).exec(output)!
    const signIn = await restClient(platform.contract, platform.url, {}).authLogin!({ body: { email, password } })
    expect([signIn.status, signIn.body]).toMatchObject([
      200,
      {
        user: { name: 'Ann Lee', email, role: 'OWNER', visibility: 'ALL' },
        organization: { id, code, name: 'Fjordline AS' },
      },
    ])
  })

  it.each(['constructor'])(
    'refuses %s before it opens the database, in any folder and with any installed Node version',
    async (name) => {
      const folder = await mkdtemp(join(tmpdir(), 'crm-operate-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true }))
      const called = promisify(execFile)(join(projectRoot, 'bin/run'), ['operate', name], {
        cwd: folder,
        env: { PATH: '/usr/bin:/bin' },
      })
      const stderr = `The command must be one of: keys:rotate, external-ids, organization, marketplace, backup, restore; got "${name}".\n`
      await expect(called).rejects.toMatchObject({ code: 1, stderr })
      expect(await readdir(folder)).toEqual([])
    },
  )
})

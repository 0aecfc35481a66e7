import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sealedColumns } from '../../subgraphs/all.ts'
import type { Demo } from '../../subgraphs/demo/demo-file.ts'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'
import { Vault } from '../../subgraphs/kernel/secrets/vault.ts'
import { usePlatform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'
import { aProcess, operate as operateOn } from '../processes.ts'

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
  it('re-encrypts every secret with the new master key and stores no plain text', async () => {
    const member = await platform.member()
    const named = { body: { name: 'Hush-hush Holdings' }, headers: { 'Idempotency-Key': 'quiet' } }
    const { body } = await member.rest.accountCreate!(named)
    const answers = () => platform.query<{ answer: string }>('select answer from kernel.idempotency')
    expect((await answers())[0]!.answer).toMatch(/^k1\./)
    expect(JSON.stringify(await answers())).not.toContain('Hush')

    const next = randomBytes(32)
    const output = await operate(['keys:rotate'], {
      ENCRYPTION_KEY: next.toString('base64'),
      ENCRYPTION_KEY_FORMER: key.toString('base64'),
    })

    // The keys of the organization and of the platform.
    expect(output).toBe('2 data keys re-encrypted, 2 created, 1 secrets re-encrypted.')
    const [row] = await platform.query<Record<string, string>>('select * from kernel.idempotency')
    expect(row!.answer).toMatch(/^k2\./)
    const { organization, place } = sealedColumns.find(({ table }) => table === 'kernel.idempotency')!
    const vault = new Vault(platform.services.database, next)
    await vault.load(row![organization!]!)
    const opened = vault.open(row![organization!]!, place(row!), row!.answer!)
    expect(JSON.parse(opened).answer.data.result.id).toBe(body.id)

    const failure = operate(['keys:rotate'])
    await expect(failure).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('ENCRYPTION_KEY_FORMER') })
    const back = await operate(['keys:rotate'], { ENCRYPTION_KEY_FORMER: next.toString('base64') })
    expect(back).toBe('4 data keys re-encrypted, 2 created, 1 secrets re-encrypted.')
  })

  it('re-encrypts what functions, hooks, actions, workflows and named credentials have, which still open', async () => {
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const source = 'export default () => 1'
    const made = { apiName: 'one', name: 'One', source, language: 'javascript' }
    const { id } = (await owner.rest.serverlessFunctionCreate!({ body: made })).body
    await owner.rest.serverlessFunctionSecretSet!({ id, name: 'TOKEN', body: { value: 'of-the-function' } })
    const url = 'https://erp.example.com/decide'
    const hook = { objectType: 'TASK', name: 'Hook', operations: ['CREATE'], url, isActive: false }
    const schema = { type: 'object' }
    const action = { apiName: 'act', label: 'Act', url, inputSchema: schema, outputSchema: schema }
    const headers = { Authorization: `Bearer ${await sessionOf(platform, owner)}`, 'Content-Type': 'application/json' }
    const credential = { apiName: 'erp', label: 'ERP', baseUrl: 'https://erp.example.com', authType: 'BEARER' }
    const send = async (method: string, path: string, given: object) => {
      const answer = await fetch(`${platform.url}/v1/named-credentials${path}`, {
        method,
        headers,
        body: JSON.stringify(given),
      })
      expect(answer.ok).toBe(true)
    }
    await send('POST', '', credential)
    await send('PUT', '/erp/secret', { secret: 'of-the-credential' })
    const secrets: Readonly<Record<string, string>> = {
      'extensions.function_secret': 'of-the-function',
      'extensions.named_credential': 'of-the-credential',
      'extensions.before_save_hook': (await owner.rest.beforeSaveHookCreate!({ body: hook })).body.secret,
      'extensions.custom_action': (await owner.rest.customActionCreate!({ body: action })).body.secret,
      'extensions.workflow': (await owner.rest.workflowCreate!({ body: { name: 'W', triggerType: 'MANUAL' } })).body
        .secret,
    }
    const next = randomBytes(32)
    const opened = async (masterKey: Buffer) => {
      const vault = new Vault(platform.services.database, masterKey)
      const found: Record<string, string> = {}
      for (const { table, column, place } of sealedColumns.filter((one) => one.table in secrets)) {
        const [row] = await platform.query<Record<string, string>>(
          `select * from ${table} where organization_id = $1`,
          [owner.organizationId],
        )
        const sealed = row![column] ?? null
        // Nothing is in the column of the secret before a rotation.
        if (sealed === null) continue
        await vault.load(owner.organizationId, sealed)
        found[table] = vault.open(owner.organizationId, place(row!), sealed)
      }
      return found
    }
    expect(await opened(key)).toEqual(secrets)
    const former = { ENCRYPTION_KEY: next.toString('base64'), ENCRYPTION_KEY_FORMER: key.toString('base64') }
    await operate(['keys:rotate'], former)
    expect(await opened(next)).toEqual(secrets)
    await operate(['keys:rotate'], { ENCRYPTION_KEY_FORMER: next.toString('base64') })
    expect(await opened(key)).toEqual(secrets)
  })
})

describe('organization', () => {
  it('lists organizations by name, also those that contain a text, with their owners', async () => {
    await operate(['organization', 'create', 'Zebra_ %Ltd', 'zoe@example.com', 'Zoe'])
    const line = /^\S{36}\t\S+\tACTIVE\t\d{4}-\d\d-\d\d\tZebra_ %Ltd\tzoe@example\.com$/
    const all = (await operate(['organization', 'list'])).split('\n')
    const [{ count } = { count: 0 }] = await platform.query<{ count: number }>(
      'select count(*)::int as count from identity.organization',
    )
    expect([all.length, all.at(-1)]).toEqual([count + 1, `${count} organizations.`])
    expect(all.at(-2)).toMatch(line)
    const found = (await operate(['organization', 'list', 'zebra_ %'])).split('\n')
    expect(found).toEqual([expect.stringMatching(line), '1 organizations.'])
    expect(await operate(['organization', 'list', 'No such'])).toBe('0 organizations.')
  })

  it('gives an owner, and nobody else, a code that sets a new password once', async () => {
    const email = 'forgetful@example.com'
    const created = await operate(['organization', 'create', 'Forgetful', email, 'Finn'])
    const [, code, former] = / has the code (\S+); .* password (\S+)\.$/.exec(created)!
    const output = await operate(['organization', 'password', code!, email])
    const [, reset, until] = new RegExp(
      `^The owner ${email} sets a new password with the code (\\d{8}) until (\\S+Z), at POST /v1/auth/reset-password\\.$`,
    ).exec(output)!
    platform.now = new Date(Date.parse(until!) - 60_000)
    const { authResetPassword, authLogin } = restClient(platform.contract, platform.url, {})
    const body = { email, code: reset!, newPassword: 'Correct horse 7 again!' }
    expect([(await authResetPassword!({ body })).status, (await authResetPassword!({ body })).status]).toEqual([
      200, 400,
    ])
    const signIn = async (password: string) => (await authLogin!({ body: { email, password } })).status
    expect([await signIn(body.newPassword), await signIn(former!)]).toEqual([200, 401])

    const before = await platform.fingerprint()
    const other = operate(['organization', 'password', code!, 'nobody@example.com'])
    await expect(other).rejects.toMatchObject({
      code: 1,
      stderr: 'An active owner nobody@example.com of the organization was not found.\n',
    })
    expect(await platform.fingerprint()).toBe(before)
  })

  it('creates one for an owner who has an account', async () => {
    const email = 'twice@example.com'
    await operate(['organization', 'create', 'First', email])
    const again = await operate(['organization', 'create', 'Second', email])
    expect(again).toMatch(/ signs in with the password of the existing account\.$/)
  })

  it('works with npm where there is no source, as in the image', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crm-image-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await cp(join(projectRoot, 'bin'), join(folder, 'bin'), { recursive: true })
    await cp(join(projectRoot, 'package.json'), join(folder, 'package.json'))
    await cp(join(projectRoot, 'dist'), join(folder, 'dist'), { recursive: true })
    for (const name of ['node_modules', 'schema']) await symlink(join(projectRoot, name), join(folder, name))
    const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'organization', '--', 'list', 'No such'], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        LOG_LEVEL: 'warn',
        DATA_DIR: platform.dataDir,
        DATABASE_URL: platform.services.databaseUrl,
        ENCRYPTION_KEY: key.toString('base64'),
      },
    })
    expect(stdout).toBe('0 organizations.\n')
  })

  it('creates nothing when the owner cannot be created', async () => {
    const before = await platform.fingerprint()
    await expect(operate(['organization', 'create', 'Nowhere', 'nobody'])).rejects.toMatchObject({
      code: 1,
      stderr: 'email must be an email address.\n',
    })
    expect(await platform.fingerprint()).toBe(before)
  })

  it.each([
    [['organization', 'suspend', 'NOBODY'], 'The organization NOBODY does not exist.'],
    [['organization', 'freeze', 'X'], /^Usage: organization list [^\n]+$/],
    [['organization', 'entitlements', '{id}', 'No Feature'], /^entitlements must be at most 200 names [^\n]+$/],
  ])('refuses %j in one line', async (args, line) => {
    const organizationId = await platform.organization()
    const { code, stderr } = await operate(args.map((arg) => arg.replace('{id}', organizationId))).then(
      () => expect.fail('The command must be refused.'),
      (error: unknown) => error as { code: number; stderr: string },
    )
    expect(code).toBe(1)
    expect(stderr.trim()).toMatch(line)
  })
})

describe('on the embedded database', () => {
  it('works with and without a running process of the platform', { timeout: 90_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crm-operate-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
    const server = await aProcess(['bin/run', 'main'], { DATA_DIR: folder, IP_LIMITS: 'off', LOG_LEVEL: 'warn' })
    onTestFinished(() => server.kill())
    await server.start()
    const { organizations } = JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8')) as Demo
    const { id, apiKeys } = organizations[0]!
    const statusOfCall = async () => {
      const headers = { 'x-api-key': apiKeys.find(({ scopes }) => scopes.includes('*'))!.secret }
      return (await fetch(`${server.url}/v1/accounts?limit=1`, { headers })).status
    }
    const here = { DATA_DIR: folder, DATABASE_URL: '', ENCRYPTION_KEY: '' }

    expect(await statusOfCall()).toBe(200)
    expect(await operate(['organization', 'suspend', id], here)).toBe(`The organization ${id} is SUSPENDED.`)
    expect(await statusOfCall()).toBe(401)
    expect(await operate(['organization', 'resume', id], here)).toBe(`The organization ${id} is ACTIVE.`)
    expect(await operate(['keys:rotate'], here)).toMatch(/^0 data keys re-encrypted, [^\n]+$/)
    expect(await statusOfCall()).toBe(200)

    expect(await server.stop()).toBe(0)
    expect(await operate(['organization', 'suspend', id], here)).toBe(`The organization ${id} is SUSPENDED.`)
  })
})

import { randomBytes } from 'node:crypto'
import { clientCredentialsGrant } from 'openid-client'
import { beforeEach, describe, expect, it } from 'vitest'
import { components, deployed, json, problemsOf, project, retrieved } from '../metadata/metadata.fixture.ts'
import { anApp, discovered, type Person } from '../oauth/oauth.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { restClient } from '../rest-client.ts'
import { Apps, packaged } from './apps.fixture.ts'
import { problemsOf as refusalOf } from './custom-fields.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'

const platform = usePlatform()
const apps = new Apps(platform)
let publisher: Member
let owner: Member
let member: Member

beforeEach(async () => {
  await platform.query(`update extensions.app_package set slug = id::text`)
  publisher = await platform.member({ organizationId: await platform.organization('Cartographers'), role: 'OWNER' })
  const organizationId = await platform.organization('Customers')
  owner = await platform.member({ organizationId, role: 'OWNER' })
  member = await platform.member({ organizationId })
})

const size = {
  'fields/ACCOUNT.size.field.json': { entity: 'ACCOUNT', name: 'size', label: 'Size', fieldType: 'TEXT' },
}
const visit = { 'objects/visit.object.json': { name: 'visit', label: 'Visit', fields: [] } }
const layout = {
  'layouts/ACCOUNT.default.layout.json': {
    objectType: 'ACCOUNT',
    name: 'Accounts',
    config: { sections: [{ label: 'Place', items: [{ slot: 'app/site-maps:place' }, { slot: 'app/other:place' }] }] },
  },
}
const scopes = [
  'INVOKE_FUNCTIONS',
  'READ_ACCOUNTS',
  'READ_CUSTOM_OBJECTS',
  'READ_EVENTS',
  'WRITE_ACCOUNTS',
  'WRITE_CUSTOM_OBJECTS',
  'WRITE_TASKS',
]
const own = (name: string, values: object = {}) => ({
  [`src/fields/ACCOUNT.${name}.field.json`]: json({
    entity: 'ACCOUNT',
    name,
    label: name,
    fieldType: 'TEXT',
    ...values,
  }),
})

/** What an organization has, as rows that any change would alter. */
const state = () =>
  platform.query(
    `select (select count(*) from kernel.event where organization_id = $1 and type like 'app.%') as events,
       (select count(*) from extensions.deployment where organization_id = $1) as deployments,
       (select jsonb_agg(a order by a.id) from extensions.installed_app a where organization_id = $1) as apps,
       (select jsonb_agg(f order by f.id) from extensions.field_definition f where organization_id = $1) as fields`,
    [owner.organizationId],
  )

/** The fields of accounts, with the app of each. */
const fields = async () => {
  const { body } = await owner.rest['customFieldList']!({ query: { sortBy: 'name', sortOrder: 'ASC' } } as never)
  return (body['data'] as { name: string; managedBy: string | null }[]).map((one) => [one.name, one.managedBy])
}

const tables = ['validation_rule', 'workflow', 'custom_action', 'before_save_hook', 'after_save_trigger'].concat([
  'named_credential',
  'page',
  'layout',
  'function',
  'custom_object',
])

/** The components of the organization with the app of each, without the fields of deleted objects. */
const liveComponents = () =>
  platform.query<{ app: string | null }>(
    [
      `select managed_by as app from extensions.field_definition where organization_id = $1 and entity = 'ACCOUNT' and deleted_at is null`,
      ...tables.map(
        (table) => `select managed_by from extensions.${table} where organization_id = $1 and deleted_at is null`,
      ),
    ].join(' union all '),
    [owner.organizationId],
  )

describe('an app that is installed', () => {
  it('brings its components of every type as one deployment, managed by it, and tells what it is', async () => {
    await apps.publish(publisher, packaged(components, { scopes, releaseNotes: 'First.' }))
    const answer = await apps.install(owner, { scopes })
    expect([answer.status, answer.body]).toMatchObject([
      202,
      {
        slug: 'site-maps',
        publisherName: 'Cartographers',
        status: 'INSTALLING',
        appVersion: null,
        latestVersion: '1.0.0',
      },
    ])
    const deployment = await apps.ended(owner, answer)
    expect([deployment.status, deployment.problems, deployment]).toMatchObject([
      'SUCCEEDED',
      [],
      {
        app: 'site-maps',
        counts: { created: 16, deleted: 0 },
        missingSecrets: [{ secret: 'secret' }, { secret: 'ERP_TOKEN' }],
      },
    ])
    expect(await apps.list(owner)).toMatchObject([{ status: 'INSTALLED', appVersion: '1.0.0', scopes, settings: {} }])
    expect(await platform.query('select distinct managed_by as app from extensions.workflow')).toEqual([
      { app: 'site-maps' },
    ])
    const { files, version } = await retrieved(owner)
    expect(Object.keys(files)).toEqual(['service.project.json'])
    expect(version).toBe((await retrieved(publisher)).version)
    const events = await platform.query<{ type: string }>(
      `select type from kernel.event where organization_id = $1 and type like 'app.%'`,
      [owner.organizationId],
    )
    expect(events).toEqual([{ type: 'app.installed' }])
  })

  it('may be as large as the source of a deployment', async () => {
    const names = Array.from({ length: 26 }, (_, index) => `large_${index}`)
    const settings = names.map((name) => [`functions/${name}/function.json`, { name, language: 'javascript' }] as const)
    const sources = names.map((name) => {
      const filling = randomBytes(195_000).toString('base64')
      return [`src/functions/${name}/index.js`, `/* ${filling} */ export default () => 1`] as const
    })
    const files = { ...packaged(Object.fromEntries(settings), { scopes: [] }), ...Object.fromEntries(sources) }
    await apps.publish(publisher, files)
    const { id } = await apps.succeeded(owner, await apps.install(owner, { scopes: [] }))
    const [kept] = await platform.query(
      `select (select max(bytes) > 4500000 from extensions.app_version where organization_id = $1) as "isLarge",
         (select count(*)::int from extensions.function where organization_id = $2) as functions`,
      [publisher.organizationId, owner.organizationId],
    )
    expect([id, kept]).toEqual([expect.any(String), { isLarge: true, functions: names.length }])
  })

  it('cannot be installed twice, in the wrong version, with scopes it does not ask for, or by others than owners and admins with a session', async () => {
    await apps.publish(publisher, packaged(size))
    await apps.succeeded(owner, await apps.install(owner))
    const before = await state()
    expect(refusalOf(await apps.install(owner))).toBe('409 UNIQUE_VIOLATION slug NOT_UNIQUE')
    expect(refusalOf(await apps.install(owner, { appVersion: '2.0.0' }))).toBe('404 NOT_FOUND')
    expect(refusalOf(await apps.install(owner, { slug: 'nothing' }))).toBe('404 NOT_FOUND')
    expect(refusalOf(await apps.install(owner, { scopes: ['WRITE_ACCOUNTS'] }))).toBe(
      '400 VALIDATION_FAILED scopes.0 UNKNOWN_SCOPE',
    )
    expect(refusalOf(await apps.install(owner, { settings: { a: 1 } }))).toBe(
      '400 VALIDATION_FAILED settings NOT_ALLOWED',
    )
    expect(refusalOf(await apps.install(member))).toBe('403 PERMISSION_DENIED')
    const body = { slug: 'site-maps', scopes: [] }
    expect(refusalOf(await owner.rest['appInstall']!({ body } as never))).toBe('403 API_KEY_SCOPE_BLOCKED')
    const { body: refused } = await owner.graphql(
      'mutation { appInstall(input: { slug: "site-maps", scopes: [] }) { id } }',
    )
    expect(JSON.stringify(refused)).toContain('API_KEY_SCOPE_BLOCKED')
    expect(await state()).toEqual(before)
  })

  it('is not seen or changed by other organizations, and is installed there by itself', async () => {
    await apps.publish(publisher, packaged(size))
    const { id } = await apps.succeeded(owner, await apps.install(owner))
    const before = await state()
    const stranger = await platform.member({ organizationId: await platform.organization('Others'), role: 'OWNER' })
    expect(await apps.list(stranger)).toEqual([])
    for (const call of [apps.update(stranger, id, { appVersion: '1.0.0' }), apps.uninstall(stranger, id)])
      expect(refusalOf(await call)).toBe('404 NOT_FOUND')
    await apps.succeeded(stranger, await apps.install(stranger))
    expect(await state()).toEqual(before)
  })

  it('is not installed at all if the organization has a name already, and can be installed afterwards, or removed', async () => {
    await deployed(platform, owner, project(layout))
    await apps.publish(publisher, packaged({ ...size, ...layout }))
    const answer = await apps.install(owner)
    const taken = ['src/layouts/ACCOUNT.default.layout.json  NOT_UNIQUE']
    expect(problemsOf(await apps.ended(owner, answer))).toEqual(taken)
    expect(await apps.list(owner)).toMatchObject([{ status: 'FAILED', appVersion: null }])
    expect(await fields()).toEqual([])
    const id = answer.body['id'] as string
    expect(refusalOf(await apps.update(owner, id, { appVersion: '1.0.0' }))).toBe('409 INVALID_STATE')
    expect((await apps.uninstall(owner, id)).status).toBe(202)
    expect(await apps.list(owner)).toEqual([])
    const again = await apps.install(owner)
    expect(problemsOf(await apps.ended(owner, again))).toEqual(taken)
    await deployed(
      platform,
      owner,
      { 'destructiveChanges.json': json({ delete: [{ type: 'PAGE_LAYOUT', name: 'ACCOUNT.default' }] }) },
      { allowDestructive: true },
    )
    const third = await apps.succeeded(owner, await apps.install(owner))
    expect([third['id'], await fields()]).toEqual([again.body['id'], [['size', 'site-maps']]])
  })

  it('is not in the marketplace, and yet for the organization that publishes it and its developer organizations', async () => {
    await apps.publish(publisher, packaged(size), 'PRIVATE')
    const other = await platform.member({ organizationId: await platform.organization('Lab'), role: 'OWNER' })
    expect(refusalOf(await apps.install(owner))).toBe('404 NOT_FOUND')
    expect(refusalOf(await apps.install(other))).toBe('404 NOT_FOUND')
    const develop = 'update identity.organization set developer_of = $1 where id = $2'
    await platform.query(develop, [publisher.organizationId, other.organizationId])
    await apps.succeeded(other, await apps.install(other))
    await apps.succeeded(publisher, await apps.install(publisher))
    expect(refusalOf(await apps.install(owner))).toBe('404 NOT_FOUND')
  })

  it('limits the tokens of its OAuth app to the granted scopes, which read its version and settings, and ends them with it', async () => {
    const bySession = await apps.session(publisher)
    const asked = { appVersion: '0.9.0', scopes: ['READ_ACCOUNTS', 'READ_LEADS'] }
    const client = await anApp({ rest: bySession } as Person, asked)
    const values = { clientId: client.id, settingsSchema: { type: 'object' }, scopes: ['READ_ACCOUNTS', 'READ_LEADS'] }
    await apps.publish(publisher, packaged(size, values))
    const { body: installed } = await bySession['appInstall']!({
      body: { slug: 'site-maps', scopes: ['READ_ACCOUNTS'], settings: { region: 'north' } },
    } as never)
    const { access_token: token } = await clientCredentialsGrant(await discovered(platform.url, client), {
      scope: 'READ_ACCOUNTS READ_LEADS',
    })
    const read = (operation: string) =>
      restClient(platform.contract, platform.url, { Authorization: `Bearer ${token}` })[operation]!({})
    const before = await read('appInstallation')
    expect([before.body['version'], before.body['scopes']]).toEqual(['0.9.0', ['READ_ACCOUNTS', 'READ_LEADS']])
    expect((await read('leadList')).status).toBe(200)
    await apps.ended(publisher, { status: 202, body: installed } as never)
    const during = await read('appInstallation')
    expect([during.status, during.body]).toMatchObject([
      200,
      { version: '1.0.0', scopes: ['READ_ACCOUNTS'], settings: { region: 'north' } },
    ])
    expect(refusalOf(await read('leadList'))).toBe('403 OAUTH_SCOPE_INSUFFICIENT')
    expect((await read('accountList')).status).toBe(200)
    await platform.query(
      `insert into identity.oauth_grant (organization_id, id, app_id, user_id, scopes, created_at, expires_at)
       values ($1, gen_random_uuid(), $2, $3, '{READ_ACCOUNTS}', now(), '2030-01-01')`,
      [publisher.organizationId, client.id, publisher.userId],
    )
    const { body: connected } = await bySession['connectedAppList']!({})
    expect(connected['data']).toMatchObject([{ appVersion: '1.0.0', settings: { region: 'north' } }])
    const settings = { id: connected['data'][0].id, body: { settings: {} } }
    expect(refusalOf(await bySession['connectedAppUpdate']!(settings as never))).toBe('409 INVALID_STATE')
    await apps.succeeded(publisher, await apps.uninstall(publisher, installed['id'] as string))
    expect((await read('accountList')).status).toBe(401)
    expect((await bySession['connectedAppList']!({})).body['data']).toEqual([])
  })

  it('gives its functions the granted scopes only', async () => {
    await apps.publish(publisher, packaged(components, { scopes }))
    const failed = await apps.ended(owner, await apps.install(owner, { scopes: ['READ_EVENTS'] }))
    expect(failed.status).toBe('FAILED')
    expect(new Set(failed.problems.map(({ code }) => code))).toEqual(new Set(['OAUTH_SCOPE_INSUFFICIENT']))
    expect(
      await platform.query('select id from extensions.function where organization_id = $1', [owner.organizationId]),
    ).toEqual([])
  })
})

describe('a component of an app', () => {
  it('is changed and deleted by the app only, while the organization turns it off and sets its secrets', async () => {
    await apps.publish(publisher, packaged(components, { scopes }))
    await apps.succeeded(owner, await apps.install(owner, { scopes }))
    const session = await apps.session(owner)
    const idOf = async (table: string) => {
      const [row] = await platform.query<{ id: string }>(
        `select id from ${table} where organization_id = $1 order by id limit 1`,
        [owner.organizationId],
      )
      return row!.id
    }
    const locked = async (name: string, table: string) => {
      const id = await idOf(table)
      const change = name === 'layout' ? { name: 'Changed' } : { description: 'Changed' }
      const changed = await session[`${name}Update`]!({ id, body: change } as never)
      return [refusalOf(changed), (await session[`${name}Delete`]!({ id })).status]
    }
    const before = (await state())[0]!['fields']
    for (const [name, table] of [
      ['customField', 'extensions.field_definition'],
      ['customObject', 'extensions.custom_object'],
      ['validationRule', 'extensions.validation_rule'],
      ['workflow', 'extensions.workflow'],
      ['customAction', 'extensions.custom_action'],
      ['beforeSaveHook', 'extensions.before_save_hook'],
      ['afterSaveTrigger', 'extensions.after_save_trigger'],
      ['namedCredential', 'extensions.named_credential'],
      ['page', 'extensions.page'],
      ['layout', 'extensions.layout'],
      ['serverlessFunction', 'extensions.function'],
      ['customEventType', 'events.custom_event_type'],
    ] as const)
      expect([name, await locked(name, table)]).toEqual([name, ['409 INVALID_STATE', 409]])
    expect((await state())[0]!['fields']).toEqual(before)
    const { status, body } = await session['afterSaveTriggerUpdate']!({
      id: await idOf('extensions.after_save_trigger'),
      body: { isActive: false },
    } as never)
    expect([status, body['isActive'], body['managedBy']]).toEqual([200, false, 'site-maps'])
    const secret = await session['namedCredentialSetSecret']?.({
      id: await idOf('extensions.named_credential'),
      body: { secret: 'a-token-of-the-erp' },
    } as never)
    expect(secret?.status ?? 200).toBe(200)
    const deployment = await deployed(platform, owner, { ...project({}), ...own('tier', { label: 'Mine' }) })
    expect(problemsOf(deployment)).toEqual(['src/fields/ACCOUNT.tier.field.json  INVALID_STATE'])
    const version = { body: { source: 'export default () => 1', language: 'javascript' } }
    const saved = await session['serverlessFunctionVersionCreate']!({ id: 'score_account', ...version } as never)
    expect(refusalOf(saved)).toBe('409 INVALID_STATE')
    const tested = project({
      'functions/score_account/function.json': components['functions/score_account/function.json']!,
    })
    const other = { ...tested, 'src/functions/score_account/tests/doubles.json': '{"input": {}, "expect": {}}' }
    expect(problemsOf(await deployed(platform, owner, other))).toHaveLength(1)
  })
})

describe('an app that is updated', () => {
  const first = packaged({ ...visit, ...size })
  const colour = {
    'fields/ACCOUNT.colour.field.json': { entity: 'ACCOUNT', name: 'colour', label: 'Colour', fieldType: 'TEXT' },
  }

  it('gets the components of the other version and loses those that it no longer has', async () => {
    await apps.publish(publisher, first)
    const { id } = await apps.succeeded(owner, await apps.install(owner))
    await deployed(platform, owner, { ...project({}), ...own('own') })
    await apps.publish(publisher, packaged({ ...visit, ...colour }, { version: '1.1.0' }))
    expect(await apps.list(owner)).toMatchObject([{ appVersion: '1.0.0', latestVersion: '1.1.0' }])
    const answer = await apps.update(owner, id as string, { appVersion: '1.1.0' })
    expect(answer.body).toMatchObject({ status: 'UPDATING', appVersion: '1.0.0' })
    expect(refusalOf(await apps.update(owner, id as string, { appVersion: '1.1.0' }))).toBe('409 INVALID_STATE')
    expect(refusalOf(await apps.uninstall(owner, id as string))).toBe('409 INVALID_STATE')
    const { counts } = await apps.ended(owner, answer)
    expect(counts).toEqual({ created: 1, updated: 0, unchanged: 1, deleted: 1 })
    expect(await fields()).toEqual([
      ['colour', 'site-maps'],
      ['own', null],
    ])
    expect(await apps.list(owner)).toMatchObject([{ status: 'INSTALLED', appVersion: '1.1.0' }])
  })

  it('sends with the named credentials only that it brought', async () => {
    const credential = (apiName: string, host: string) => ({
      apiName,
      label: apiName,
      baseUrl: `https://${host}`,
      authType: 'NONE',
    })
    const created = await (
      await apps.session(owner)
    )['namedCredentialCreate']!({
      body: { ...credential('erp', 'erp.example.com'), staticHeaders: { 'X-Tenant': 'emea' } },
    } as never)
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    const brought = { 'credentials/maps.credential.json': credential('maps', 'maps.example.com') }
    await apps.publish(publisher, packaged(brought))
    await apps.succeeded(owner, await apps.install(owner))
    const { credentials } = platform.services
    const sends = async (managedBy: string | null, wanted: object) => {
      const { organizationId } = owner
      const found = await credentials
        .authenticate({ organizationId, managedBy, ...wanted } as never)
        .catch(({ code }: { code: string }) => code)
      return found === null || typeof found === 'string' ? found : found.url
    }
    const erp = 'https://erp.example.com/orders'
    expect([await sends(null, { url: erp }), await sends(null, { apiName: 'erp', url: '/orders' })]).toEqual([erp, erp])
    expect(await sends('site-maps', { url: erp })).toBeNull()
    expect(await sends('site-maps', { apiName: 'erp', url: '/orders' })).toBe('NOT_FOUND')
    expect(await sends('site-maps', { apiName: 'maps', url: '/x' })).toBe('https://maps.example.com/x')
    const byFunction = {
      ...packaged(
        { ...brought, 'functions/spy/function.json': { name: 'Spy', httpEnabled: true } },
        { version: '1.1.0' },
      ),
      'src/functions/spy/index.js':
        'export default async (_input, { credentials }) => credentials.fetch("erp", "/orders").then(() => "sent", (error) => error.message)',
    }
    await apps.publish(publisher, byFunction)
    const [{ id }] = (await apps.list(owner)) as [{ id: string }]
    await apps.succeeded(owner, await apps.update(owner, id, { appVersion: '1.1.0' }))
    const headers = { 'x-service-function-depth': '0' }
    const { body } = await owner.rest['serverlessFunctionInvoke']!({ id: 'spy', body: { input: {} }, headers } as never)
    expect(body['output']).toContain('was not found')
  })

  it('asks for scopes that the version in use did not ask for', async () => {
    await apps.publish(publisher, first)
    const { id } = await apps.succeeded(owner, await apps.install(owner))
    await apps.publish(publisher, packaged(visit, { version: '1.1.0', scopes: ['READ_ACCOUNTS', 'READ_LEADS'] }))
    const before = await state()
    expect(refusalOf(await apps.update(owner, id as string, { appVersion: '1.1.0' }))).toBe(
      '400 VALIDATION_FAILED scopes REQUIRED',
    )
    expect(await state()).toEqual(before)
    const given = { appVersion: '1.1.0', scopes: ['READ_LEADS'] }
    await apps.succeeded(owner, await apps.update(owner, id as string, given))
    expect(await apps.list(owner)).toMatchObject([{ appVersion: '1.1.0', scopes: ['READ_LEADS'] }])
  })

  it('does not lose scopes that its components act with, and does with a version that needs fewer', async () => {
    const acting = (wanted: string[]) => ({
      ...packaged({ 'functions/place/function.json': { name: 'Place', scopes: wanted } }, { scopes: wanted }),
      'src/functions/place/index.js': 'export default () => 1',
    })
    const version = (number: string, wanted: string[]) => ({
      ...acting(wanted),
      'app.json': json({ slug: 'site-maps', name: 'Site maps', version: number, scopes: wanted }),
    })
    const stored = () =>
      platform.query('select scopes, version from extensions.function where organization_id = $1', [
        owner.organizationId,
      ])
    await apps.publish(publisher, version('1.0.0', ['WRITE_ACCOUNTS']))
    const { id } = await apps.succeeded(owner, await apps.install(owner, { scopes: ['WRITE_ACCOUNTS'] }))
    const failed = await apps.ended(owner, await apps.update(owner, id as string, { scopes: [] }))
    expect([failed.status, failed.problems.map(({ code }) => code)]).toEqual(['FAILED', ['OAUTH_SCOPE_INSUFFICIENT']])
    expect(await apps.list(owner)).toMatchObject([{ status: 'INSTALLED', scopes: ['WRITE_ACCOUNTS'] }])
    expect(await stored()).toEqual([{ scopes: ['WRITE_ACCOUNTS'], version: 1 }])
    await apps.publish(publisher, version('1.1.0', ['READ_LEADS']))
    const next = { appVersion: '1.1.0', scopes: ['READ_LEADS'] }
    await apps.succeeded(owner, await apps.update(owner, id as string, next))
    expect(await stored()).toEqual([{ scopes: ['READ_LEADS'], version: 2 }])
  })

  it('keeps the version in use if the other one has a problem', async () => {
    await apps.publish(publisher, first)
    const { id } = await apps.succeeded(owner, await apps.install(owner))
    await deployed(platform, owner, { ...project({}), ...own('colour') })
    await apps.publish(publisher, packaged({ ...visit, ...colour }, { version: '1.1.0' }))
    const failed = await apps.ended(owner, await apps.update(owner, id as string, { appVersion: '1.1.0' }))
    expect(problemsOf(failed)).toEqual(['src/fields/ACCOUNT.colour.field.json  NOT_UNIQUE'])
    expect(await apps.list(owner)).toMatchObject([{ status: 'INSTALLED', appVersion: '1.0.0' }])
    expect(await fields()).toEqual([
      ['colour', null],
      ['size', 'site-maps'],
    ])
  })

  it('has the settings that fit its schema, at once, and its functions read them', async () => {
    const source = 'export default (_input, { env }) => ({ region: JSON.parse(env.APP_SETTINGS).region })'
    const files = {
      ...packaged(
        { 'functions/place/function.json': { name: 'Place', httpEnabled: true } },
        { settingsSchema: { type: 'object', properties: { region: { type: 'string' } }, required: ['region'] } },
      ),
      'src/functions/place/index.js': source,
    }
    await apps.publish(publisher, files)
    expect(refusalOf(await apps.install(owner))).toBe('400 VALIDATION_FAILED settings.region REQUIRED')
    const { id } = await apps.succeeded(owner, await apps.install(owner, { settings: { region: 'north' } }))
    const invoked = async () => {
      const { body } = await owner.rest['serverlessFunctionInvoke']!({
        id: 'place',
        body: { input: {} },
        headers: { 'x-service-function-depth': '0' },
      } as never)
      return body['output'] as unknown
    }
    expect(await invoked()).toEqual({ region: 'north' })
    expect(refusalOf(await apps.update(owner, id as string, { settings: { region: 1 } }))).toBe(
      '400 VALIDATION_FAILED settings.region WRONG_TYPE',
    )
    const { status, body } = await apps.update(owner, id as string, { settings: { region: 'south' } })
    expect([status, body['status'], body['settings']]).toEqual([200, 'INSTALLED', { region: 'south' }])
    expect(await invoked()).toEqual({ region: 'south' })
  })
})

describe('an app that is removed', () => {
  it('takes its components with it, and records come back with their object, which then belongs to the organization', async () => {
    const coded = { name: 'visit', label: 'Visit', fields: [{ name: 'code', label: 'Code', type: 'TEXT' }] }
    await apps.publish(publisher, packaged({ 'objects/visit.object.json': coded, ...size }))
    const { id } = await apps.succeeded(owner, await apps.install(owner))
    await settleFieldChanges(platform)
    const created = await owner.rest['customRecordCreate']!({ name: 'visit', body: { metadata: 'First' } } as never)
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    const answer = await apps.uninstall(owner, id as string)
    expect([answer.status, answer.body['status']]).toEqual([202, 'UNINSTALLING'])
    expect((await apps.ended(owner, answer)).counts).toEqual({ created: 0, updated: 0, unchanged: 0, deleted: 2 })
    expect([await apps.list(owner), await fields()]).toEqual([[], [['code', 'site-maps']]])
    const [object] = await platform.query<{ id: string }>(
      'select id from extensions.custom_object where organization_id = $1',
      [owner.organizationId],
    )
    const restored = await owner.rest['customObjectRestore']!({ id: object!.id })
    expect([restored.status, restored.body['managedBy']]).toEqual([200, null])
    const { body } = await owner.rest['customRecordList']!({ name: 'visit' } as never)
    expect((body['data'] as { metadata: string }[]).map(({ metadata }) => metadata)).toEqual(['First'])
    const { body: code } = await owner.rest['customFieldList']!({ query: { entity: 'custom:visit' } } as never)
    const [{ id: field, managedBy }] = code['data'] as [{ id: string; managedBy: string | null }]
    expect(managedBy).toBeNull()
    const changed = await owner.rest['customFieldUpdate']!({ id: field, body: { label: 'Mine' } } as never)
    expect([changed.status, changed.body['label']]).toEqual([200, 'Mine'])
  })

  it('can be installed again while what it left can be restored, with the values of records, and takes everything with it again', async () => {
    await apps.publish(publisher, packaged(components, { scopes }))
    const { id } = await apps.succeeded(owner, await apps.install(owner, { scopes }))
    await settleFieldChanges(platform)
    const created = await owner.rest['accountCreate']!({
      body: { name: 'Halvorsen', customFields: { margin: 12 } },
    } as never)
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    await apps.succeeded(owner, await apps.uninstall(owner, id as string))
    expect(await liveComponents()).toEqual([])
    const again = await apps.succeeded(owner, await apps.install(owner, { scopes }))
    expect(new Set((await liveComponents()).map(({ app }) => app))).toEqual(new Set(['site-maps']))
    await settleFieldChanges(platform)
    const { body } = await owner.rest['account']!({ id: created.body['id'] } as never)
    expect(body['customFields']).toMatchObject({ margin: 12, double: 24 })
    await apps.succeeded(owner, await apps.uninstall(owner, again['id'] as string))
  })

  it('takes masters and details with their records, which come back with it', async () => {
    const master = { name: 'visit', label: 'Visit', fields: [{ name: 'code', label: 'Code', type: 'TEXT' }] }
    const relation = { name: 'visit', label: 'Visit', type: 'MASTER_DETAIL', lookupTarget: 'custom:visit' }
    const detail = { name: 'finding', label: 'Finding', fields: [relation] }
    const objects = { 'objects/visit.object.json': master, 'objects/finding.object.json': detail }
    await apps.publish(publisher, packaged(objects, { scopes: [] }))
    const { id } = await apps.succeeded(owner, await apps.install(owner, { scopes: [] }))
    await settleFieldChanges(platform)
    const record = async (name: string, body: object) => {
      const created = await owner.rest['customRecordCreate']!({ name, body } as never)
      expect(created.status, JSON.stringify(created.body)).toBe(201)
      return created.body['id'] as string
    }
    const visitId = await record('visit', { customFields: { code: 'V1' } })
    await record('finding', { customFields: { visit: visitId } })
    await apps.succeeded(owner, await apps.uninstall(owner, id as string))
    await apps.succeeded(owner, await apps.install(owner, { scopes: [] }))
    await settleFieldChanges(platform)
    const records = async (name: string) => {
      const { body } = await owner.rest['customRecordList']!({ name } as never)
      return (body['data'] as { customFields: object }[]).map(({ customFields }) => customFields)
    }
    expect([await records('visit'), await records('finding')]).toEqual([[{ code: 'V1' }], [{ visit: visitId }]])
  })

  it('stays, whole, while something of the organization names a component of it', async () => {
    await apps.publish(publisher, packaged({ ...visit, ...size }))
    const { id } = await apps.succeeded(owner, await apps.install(owner))
    const rule = {
      entityType: 'ACCOUNT',
      name: 'Sized',
      conditions: [{ field: 'customFields.size', operator: 'EQUALS', value: 'XXL' }],
      errorMessage: 'Too large.',
    }
    expect((await owner.rest['validationRuleCreate']!({ body: rule } as never)).status).toBe(201)
    const { status, problems } = await apps.ended(owner, await apps.uninstall(owner, id as string))
    expect([status, problems]).toMatchObject([
      'FAILED',
      [{ code: 'HAS_DEPENDENTS', usedBy: [{ object: 'validation_rule', name: 'Sized' }] }],
    ])
    expect(await apps.list(owner)).toMatchObject([{ status: 'INSTALLED' }])
    expect(await fields()).toEqual([['size', 'site-maps']])
  })
})

describe('the places of layouts and pages', () => {
  const place = { key: 'place', label: 'Place', url: 'https://maps.example.com/place', objectTypes: ['ACCOUNT'] }

  it('show what an installed app has for the record type, and name the others', async () => {
    await deployed(platform, owner, project(layout))
    const resolved = async () => {
      const { body } = await member.rest['layoutResolved']!({ query: { objectType: 'ACCOUNT' } } as never)
      return [body['config'].sections[0].items, body['warnings']] as unknown
    }
    const missing = (slot: string, code = 'APP_NOT_INSTALLED') => ({ code, slot })
    expect(await resolved()).toEqual([[], [missing('app/site-maps:place'), missing('app/other:place')]])
    await apps.publish(publisher, packaged({}, { slots: [place] }))
    const { id } = await apps.succeeded(owner, await apps.install(owner))
    const shown = { slot: 'app/site-maps:place', label: 'Place', url: 'https://maps.example.com/place', height: 300 }
    expect(await resolved()).toEqual([[shown], [missing('app/other:place')]])
    await apps.publish(publisher, packaged({}, { version: '2.0.0', slots: [{ ...place, objectTypes: ['LEAD'] }] }))
    await apps.succeeded(owner, await apps.update(owner, id as string, { appVersion: '2.0.0' }))
    expect(await resolved()).toEqual([
      [],
      [missing('app/site-maps:place', 'SLOT_NOT_AVAILABLE'), missing('app/other:place')],
    ])
  })
})

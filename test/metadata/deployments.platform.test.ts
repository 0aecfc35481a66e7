import JSZip from 'jszip'
import { beforeEach, describe, expect, it } from 'vitest'
import { deploymentQueue } from '../../subgraphs/extensions/metadata/deployment.queue.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { settleFieldChanges } from '../extensions/field-changes.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import {
  components,
  deployed,
  deploymentOf,
  json,
  problemsOf,
  project,
  requested,
  retrieved,
  source,
  succeeded,
  type Files,
} from './metadata.fixture.ts'

const platform = usePlatform()
let owner: Member
let admin: Member

beforeEach(async () => {
  const organizationId = await platform.organization('Metadata')
  owner = await platform.member({ organizationId, role: 'OWNER' })
  admin = await platform.member({ organizationId, role: 'ADMIN' })
})

const files = (given: Record<string, object | string>): Files =>
  Object.fromEntries(
    Object.entries(given).map(([path, content]) => [
      `src/${path}`,
      typeof content === 'string' ? content : json(content),
    ]),
  )
const field = (values: object = {}) => ({
  entity: 'ACCOUNT',
  name: 'size',
  label: 'Size',
  fieldType: 'TEXT',
  ...values,
})
const eventsOf = async (): Promise<string[]> =>
  (
    await platform.query<{ type: string }>('select type from kernel.event where organization_id = $1 order by id', [
      owner.organizationId,
    ])
  ).map(({ type }) => type)
/** What a change of a definition writes. */
const written = () =>
  platform.query(
    `select (select count(*) from kernel.event where organization_id = $1) as events,
       (select count(*) from identity.audit_entry where organization_id = $1) as audited,
       (select version from kernel.definition_version where organization_id = $1) as version`,
    [owner.organizationId],
  )

describe('metadataDeploy', () => {
  it('announces what has changed once, with the event of each component', async () => {
    const { id, version } = await succeeded(platform, admin, files({ 'fields/ACCOUNT.size.field.json': field() }))
    expect((await eventsOf()).slice(-3)).toEqual(['api_key.created', 'custom_field.created', 'metadata.deployed'])
    const [event] = await platform.query<{ data: { record: object; actorId: string } }>(
      `select data from kernel.event where organization_id = $1 and type = 'metadata.deployed'`,
      [owner.organizationId],
    )
    expect(event!.data.record).toEqual({
      id,
      organizationId: owner.organizationId,
      version,
      created: 1,
      updated: 0,
      deleted: 0,
      createdById: admin.userId,
    })
    expect(event!.data.actorId).toBe(admin.userId)
  })

  it('changes what a file changes, and gives the rest the values of a new component', async () => {
    const path = 'fields/ACCOUNT.size.field.json'
    await succeeded(platform, owner, files({ [path]: field({ description: 'How large.', maxLength: 20 }) }))
    const { counts } = await succeeded(platform, owner, files({ [path]: field({ label: 'Extent' }) }))
    expect(counts).toEqual({ created: 0, updated: 1, unchanged: 0, deleted: 0 })
    const { files: now } = await retrieved(owner, { components: [{ type: 'CUSTOM_FIELD', name: 'ACCOUNT.size' }] })
    expect(Object.keys(now)).toEqual(['service.project.json', `src/${path}`])
    expect(JSON.parse(now[`src/${path}`]!)).toEqual({
      ...field({ label: 'Extent' }),
      isRequired: false,
      isUnique: false,
      trackHistory: false,
      isActive: true,
      sortOrder: 0,
    })
  })

  it('checks everything and changes nothing with checkOnly', async () => {
    const before = await written()
    const checked = await succeeded(platform, owner, project(), { checkOnly: true })
    expect([checked.counts!['created'], checked.version]).toEqual([16, null])
    expect(checked.missingSecrets).toHaveLength(2)
    expect(await written()).toEqual(before)
    expect(Object.keys((await retrieved(owner)).files)).toEqual(['service.project.json'])
  })

  it('changes nothing if one component is refused, and names each problem with its file and path', async () => {
    const before = await written()
    const failed = await deployed(platform, owner, {
      ...project(),
      ...files({
        'fields/ACCOUNT.wrong.field.json': field({ name: 'wrong', fieldType: 'NUMBER', maxLength: 5 }),
        'fields/ACCOUNT.parts.field.json': field({
          name: 'parts',
          fieldType: 'FORMULA',
          formulaConfig: { expression: 'customFields.nothing', returnType: 'TEXT' },
        }),
        'actions/wrong.action.json': {
          ...components['actions/check_stock.action.json']!,
          apiName: 'wrong',
          inputMapping: { sku: '{{record.nothing}}' },
          outputMapping: { 'customFields.nothing': 1, ownerId: '{{output.ownerId' },
        },
        'workflows/Wrong.workflow.json': {
          name: 'Wrong',
          triggerType: 'MANUAL',
          triggerEntity: 'ACCOUNT',
          actions: [{ id: 'a', type: 'FUNCTION', config: { functionApiName: 'nothing' } }],
        },
      }),
    })
    expect(failed.status).toBe('FAILED')
    expect(problemsOf(failed).toSorted()).toEqual([
      'src/actions/wrong.action.json inputMapping.sku UNKNOWN_FIELD',
      'src/actions/wrong.action.json outputMapping.customFields.nothing UNKNOWN_FIELD',
      'src/actions/wrong.action.json outputMapping.ownerId TEMPLATE_SYNTAX',
      'src/fields/ACCOUNT.parts.field.json formulaConfig.expression FORMULA_UNKNOWN_FIELD',
      'src/fields/ACCOUNT.wrong.field.json maxLength NOT_ALLOWED',
      'src/workflows/Wrong.workflow.json actions.0.config.functionApiName UNKNOWN_REFERENCE',
    ])
    expect(failed.version).toBeNull()
    expect(await written()).toEqual(before)
  })

  it('names what is wrong with files before anything is compared', async () => {
    const wrong: Record<string, object | string> = {
      'fields/ACCOUNT.a.field.json': '{"entity": ',
      'fields/ACCOUNT.b.field.json': field({ name: 'other' }),
      'fields/ACCOUNT.c.field.json': field({ name: 'c', unlisted: 1, fieldType: 'TEXTS' }),
      'fields/ACCOUNT.d.field.json': field({
        name: 'd',
        fieldType: 'PICKLIST',
        picklistValues: [{ value: 'A', isDefault: 'yes' }],
      }),
      'fields/ACCOUNT.e.field.json': `${'['.repeat(100)}${']'.repeat(100)}`,
      'fields/ACCOUNT.f.field.json': '{"label": "\\u0000"}',
      'fields/ACCOUNT.g.field.json': '{"__proto__": 1}',
      'functions/alone/index.ts': source,
      'functions/both/function.json': { name: 'Both' },
      'functions/both/index.ts': source,
      'functions/both/index.js': source,
      'objects/detail.object.json': {
        name: 'detail',
        label: 'D',
        fields: [{ name: 'a', label: 'A', type: 'NUMBER', formula: 1 }],
      },
      'layouts/ACCOUNT.default.layout.json': { objectType: 'ACCOUNT', profile: 'Sales', name: 'A', config: {} },
      'pages/site.page.json': {},
      'reports/a.report.json': {},
    }
    const failed = await deployed(platform, owner, files(wrong))
    expect(problemsOf(failed).toSorted()).toEqual([
      'src/fields/ACCOUNT.a.field.json  INVALID_JSON',
      'src/fields/ACCOUNT.b.field.json  WRONG_PATH',
      'src/fields/ACCOUNT.c.field.json fieldType NOT_ALLOWED',
      'src/fields/ACCOUNT.c.field.json unlisted UNKNOWN_FIELD',
      'src/fields/ACCOUNT.d.field.json picklistValues.0.isDefault WRONG_TYPE',
      'src/fields/ACCOUNT.e.field.json  TOO_DEEP',
      'src/fields/ACCOUNT.f.field.json  NOT_TEXT',
      'src/fields/ACCOUNT.g.field.json  NOT_ALLOWED',
      'src/functions/alone/function.json  REQUIRED',
      'src/functions/both/function.json language NOT_TOGETHER',
      'src/layouts/ACCOUNT.default.layout.json  WRONG_PATH',
      'src/objects/detail.object.json fields.0.formula WRONG_TYPE',
      'src/pages/site.page.json apiName REQUIRED',
      'src/pages/site.page.json definition REQUIRED',
      'src/pages/site.page.json label REQUIRED',
      'src/pages/site.page.json objectType REQUIRED',
      'src/reports/a.report.json  WRONG_PATH',
    ])
    expect([failed.counts, failed.components]).toEqual([null, []])
  })

  it('creates, changes and deletes page layouts, whose files are as they were retrieved', async () => {
    const { 'layouts/ACCOUNT.default.layout.json': _layout, ...others } = components
    await succeeded(platform, owner, project(others))
    await platform.query(
      `insert into identity.profile (organization_id, id, name, created_at, updated_at) values ($1, $2, 'default', now(), now())`,
      [owner.organizationId, newId()],
    )
    const layout = (values: object = {}) => ({
      objectType: 'ACCOUNT',
      name: 'Accounts',
      config: { sections: [{ label: 'Details', items: [{ field: 'name' }, { slot: 'app/maps:place' }] }] },
      ...values,
    })
    const all = files({
      'layouts/ACCOUNT.default.layout.json': layout(),
      'layouts/ACCOUNT.profile%3Adefault.layout.json': layout({ profile: 'default' }),
      'layouts/custom%3Asite.default.layout.json': layout({ objectType: 'custom:site', name: 'Sites' }),
    })
    const { counts } = await succeeded(platform, owner, all)
    expect(counts).toEqual({ created: 3, updated: 0, unchanged: 0, deleted: 0 })
    const { files: now } = await retrieved(owner, { types: ['PAGE_LAYOUT'] })
    const { 'service.project.json': _project, ...layouts } = now
    expect(Object.fromEntries(Object.entries(layouts).map(([path, text]) => [path, JSON.parse(text)]))).toEqual(
      Object.fromEntries(Object.entries(all).map(([path, text]) => [path, JSON.parse(text)])),
    )
    expect((await succeeded(platform, owner, layouts)).counts).toMatchObject({ unchanged: 3 })
    const path = 'src/layouts/ACCOUNT.default.layout.json'
    const renamed = await succeeded(platform, owner, { [path]: json(layout({ name: 'All accounts' })) })
    expect(renamed.counts).toMatchObject({ updated: 1 })
    const wrong = { sections: [{ label: 'Details', items: [{ field: 'nothing' }] }] }
    const failed = await deployed(platform, owner, {
      [path]: json(layout({ config: wrong })),
      'src/layouts/LEAD.Nobody.layout.json': json(layout({ objectType: 'LEAD', profile: 'Nobody' })),
    })
    expect(problemsOf(failed).toSorted()).toEqual([
      `${path} config.sections.0.items.0.field UNKNOWN_FIELD`,
      'src/layouts/LEAD.Nobody.layout.json profile UNKNOWN_REFERENCE',
    ])
    const deletion = {
      'destructiveChanges.json': json({ delete: [{ type: 'PAGE_LAYOUT', name: 'ACCOUNT.default' }] }),
    }
    const { counts: deleted } = await succeeded(platform, owner, deletion, { allowDestructive: true })
    expect(deleted).toMatchObject({ deleted: 1 })
    expect((await owner.rest['layoutList']!({ query: { objectType: 'ACCOUNT' } })).body.data).toMatchObject([
      { profile: 'default' },
    ])
  })

  it('creates pages after the objects and fields that they name, changes, moves and deletes them', async () => {
    const page = (apiName: string, values: object = {}) => ({
      apiName,
      label: 'Overview',
      objectType: 'custom:yard',
      recordTypeField: 'customFields.kind',
      assignments: [{ profile: null, recordType: 'DRY', position: 0 }],
      definition: {
        regions: [
          {
            name: 'main',
            components: [
              {
                type: 'FIELDS',
                label: 'Yard',
                items: [{ field: 'customFields.kind', isReadOnly: true }],
                visibleWhen: {
                  logic: 'OR',
                  conditions: [{ conditions: [{ field: 'customFields.kind', operator: 'EQUALS', value: 'DRY' }] }],
                },
              },
              {
                type: 'RELATED_LIST',
                label: 'Docks',
                objectType: 'custom:dock',
                field: 'customFields.yard',
                columns: ['name'],
              },
            ],
          },
        ],
      },
      ...values,
    })
    const kind = { name: 'kind', label: 'Kind', type: 'PICKLIST', options: [{ value: 'DRY' }, { value: 'WET' }] }
    const yard = { name: 'yard', label: 'Yard', type: 'LOOKUP', lookupTarget: 'custom:yard' }
    const all = files({
      'pages/first.page.json': page('first'),
      'pages/second.page.json': page('second', { assignments: [] }),
      'objects/dock.object.json': { name: 'dock', label: 'Dock', fields: [yard] },
      'objects/yard.object.json': { name: 'yard', label: 'Yard', fields: [kind] },
    })
    const { counts } = await succeeded(platform, owner, all)
    expect(counts).toEqual({ created: 4, updated: 0, unchanged: 0, deleted: 0 })
    const resolved = async () =>
      (await owner.rest['pageResolved']!({ query: { objectType: 'custom:yard', recordType: 'DRY' } } as never)).body
        .apiName
    expect(await resolved()).toBe('first')
    const { 'service.project.json': _project, ...now } = (await retrieved(owner, { types: ['PAGE'] })).files
    expect(now).toEqual(Object.fromEntries(Object.entries(all).filter(([path]) => path.startsWith('src/pages/'))))
    expect((await succeeded(platform, owner, now)).counts).toMatchObject({ unchanged: 2 })

    // The second page takes the assignment of the first, in one deployment and in either order.
    const [first, second] = ['src/pages/first.page.json', 'src/pages/second.page.json'] as const
    const moved = { [first]: json(page('first', { assignments: [] })), [second]: json(page('second')) }
    expect((await succeeded(platform, owner, moved)).counts).toMatchObject({ updated: 2 })
    expect(await resolved()).toBe('second')

    const wrong = { assignments: [{ profile: 'Nobody', recordType: 'DAMP' }], definition: { regions: [] } }
    const failed = await deployed(platform, owner, { [first]: json(page('first', wrong)) })
    expect(problemsOf(failed).toSorted()).toEqual([`${first} assignments.0.profile UNKNOWN_REFERENCE`])

    const objects = ['yard', 'dock'].map((name) => ({ type: 'CUSTOM_OBJECT', name }))
    const used = await deployed(
      platform,
      owner,
      { 'destructiveChanges.json': json({ delete: objects }) },
      { allowDestructive: true },
    )
    expect([used.status, used.problems.map(({ code }) => code)]).toEqual([
      'FAILED',
      expect.arrayContaining(['HAS_DEPENDENTS']),
    ])
    const deletions = [...['first', 'second'].map((name) => ({ type: 'PAGE', name })), ...objects]
    const deletion = { 'destructiveChanges.json': json({ delete: deletions }) }
    expect((await succeeded(platform, owner, deletion, { allowDestructive: true })).counts).toMatchObject({
      deleted: 4,
    })
    expect((await owner.rest['pageList']!({})).body.data).toEqual([])
  })

  it('names secrets that are missing, and a credential that needs one arrives inactive', async () => {
    const { missingSecrets, warnings } = await succeeded(platform, owner, project())
    expect(missingSecrets).toEqual([
      {
        type: 'NAMED_CREDENTIAL',
        name: 'erp',
        secret: 'secret',
        file: 'src/credentials/erp.credential.json',
        path: 'authType',
      },
      {
        type: 'FUNCTION',
        name: 'score_account',
        secret: 'ERP_TOKEN',
        file: 'src/functions/score_account/function.json',
        path: 'secrets',
      },
    ])
    expect(warnings.map(({ type }) => type).toSorted()).toEqual(['BEFORE_SAVE_HOOK', 'WORKFLOW'])
    const [credential] = await platform.query(
      'select is_active, secret_status, sealed_secret from extensions.named_credential where organization_id = $1',
      [owner.organizationId],
    )
    expect(credential).toEqual({ is_active: false, secret_status: 'MISSING', sealed_secret: null })
    const value = { id: 'score_account', name: 'ERP_TOKEN', body: { value: 'secret value' } }
    expect((await owner.rest['serverlessFunctionSecretSet']!(value as never)).status).toBe(200)
    const again = await succeeded(platform, owner, project())
    expect([again.missingSecrets.length, again.counts!['unchanged']]).toEqual([1, 16])
    expect(JSON.stringify(await retrieved(owner))).not.toContain('secret value')
  })

  it('makes a changed schema of a custom event type its next version', async () => {
    const path = 'events/machine_stopped.event.json'
    const type = components[path]!
    await succeeded(platform, owner, files({ [path]: type }))
    const versions = async () =>
      (
        await platform.query<{ version: number }>(
          'select version from events.custom_event_schema where organization_id = $1 order by version',
          [owner.organizationId],
        )
      ).map(({ version }) => version)
    await succeeded(platform, owner, files({ [path]: { ...type, label: 'Stopped' } }))
    expect(await versions()).toEqual([1])
    const schema = { type: 'object', properties: { machineId: { type: 'string' }, minutes: { type: 'integer' } } }
    await succeeded(platform, owner, files({ [path]: { ...type, schema } }))
    expect(await versions()).toEqual([1, 2])
  })

  it('makes a changed source the next version of a function, deployed, and names an error with its file', async () => {
    const settings = { name: 'Echo' }
    const program = (text: string) =>
      files({ 'functions/echo/function.json': settings, 'functions/echo/index.js': text })
    await succeeded(platform, owner, program('export default () => 1\n'))
    const read = async () => (await owner.rest['serverlessFunction']!({ id: 'echo' })).body
    expect([(await read()).deployedVersion, (await read()).language]).toEqual([1, 'javascript'])
    await succeeded(platform, owner, program('export default () => 2\n'))
    expect((await read()).deployedVersion).toBe(2)
    const wrong = await deployed(platform, owner, program('export default () => {\n'))
    expect(problemsOf(wrong)).toEqual(['src/functions/echo/index.js  COMPILE_ERROR'])
    expect((await read()).deployedVersion).toBe(2)
  })

  it('is refused if the organization has another version than expected, and fails if it got it meanwhile', async () => {
    const { version } = await retrieved(owner)
    const path = 'fields/ACCOUNT.size.field.json'
    const first = await succeeded(platform, owner, files({ [path]: field() }), { expectedVersion: version })
    const other = { source: { files: files({ [path]: field({ label: 'Other' }) }) }, expectedVersion: version }
    const { status, body } = await owner.rest['metadataDeploy']!({ body: other } as never)
    const message = `The organization has the version ${first.version}; retrieve it again and repeat your changes.`
    expect([status, body.code, body.detail]).toEqual([409, 'VERSION_CONFLICT', message])
    const stored = () =>
      platform.query('select from extensions.deployment where organization_id = $1', [owner.organizationId])
    expect(await stored()).toHaveLength(1)

    const next = await requested(owner, files({ [path]: field({ label: 'Next' }) }), { expectedVersion: first.version })
    const late = await requested(owner, other.source.files, { expectedVersion: first.version })
    await drain(deploymentQueue, platform.services)
    expect((await deploymentOf(owner, next)).status).toBe('SUCCEEDED')
    const { problems } = await deploymentOf(owner, late)
    expect(problems.map(({ path: at, code }) => [at, code])).toEqual([['expectedVersion', 'VERSION_CONFLICT']])
    expect((await retrieved(owner)).files[`src/${path}`]).toContain('"Next"')
  })

  it('deletes what destructiveChanges.json names, in the opposite order, and only if that is allowed', async () => {
    await succeeded(platform, owner, project())
    await settleFieldChanges(platform)
    const names = [
      ['CUSTOM_OBJECT', 'site'],
      ['CUSTOM_OBJECT', 'site_visit'],
      ['FUNCTION', 'score_account'],
      ['WORKFLOW', 'Call new accounts'],
      ['VALIDATION_RULE', 'custom:site_visit.Long'],
      ['AFTER_SAVE_TRIGGER', 'custom:site_visit.Tell the ERP'],
      ['CUSTOM_ACTION', 'check_stock'],
      // The two objects name each other.
      ['CUSTOM_FIELD', 'custom:site.visits'],
      ['PAGE', 'account_overview'],
    ]
    const deletions = (given: readonly string[][]): Files => ({
      'destructiveChanges.json': json({ delete: given.map(([type, name]) => ({ type, name })) }),
    })
    const refused = await deployed(platform, owner, deletions(names))
    expect(problemsOf(refused)).toEqual(['destructiveChanges.json delete NOT_ALLOWED'])
    const used = await deployed(platform, owner, deletions([names[2]!]), { allowDestructive: true })
    expect(problemsOf(used)).toEqual(['destructiveChanges.json delete.0 HAS_DEPENDENTS'])
    expect((used.problems[0]!.usedBy as { object: string }[]).map(({ object }) => object).toSorted()).toEqual([
      'after_save_trigger',
      'custom_action',
      'workflow',
    ])
    const unknown = await deployed(
      platform,
      owner,
      deletions([
        ['PAGE', 'a'],
        ['FUNCTION', 'none'],
      ]),
      { allowDestructive: true },
    )
    expect(problemsOf(unknown)).toEqual([
      'destructiveChanges.json delete.0.name UNKNOWN_REFERENCE',
      'destructiveChanges.json delete.1.name UNKNOWN_REFERENCE',
    ])
    const { counts } = await succeeded(platform, owner, deletions(names), { allowDestructive: true })
    expect(counts).toEqual({ created: 0, updated: 0, unchanged: 0, deleted: 9 })
    expect(
      Object.keys((await retrieved(owner)).files).filter((path) => /objects|functions|workflows/.test(path)),
    ).toEqual([])
  })

  it('does not delete a field that an object of the source has', async () => {
    const object = { name: 'site', label: 'Site', fields: [{ name: 'a', label: 'A', type: 'TEXT' }] }
    await succeeded(platform, owner, files({ 'objects/site.object.json': object }))
    const deletion = json({ delete: [{ type: 'CUSTOM_FIELD', name: 'custom:site.a' }] })
    const all = { ...files({ 'objects/site.object.json': object }), 'destructiveChanges.json': deletion }
    const failed = await deployed(platform, owner, all, { allowDestructive: true })
    expect(problemsOf(failed)).toEqual(['destructiveChanges.json delete.0 NOT_TOGETHER'])
    const without = files({ 'objects/site.object.json': { ...object, fields: [] } })
    await succeeded(platform, owner, { ...without, 'destructiveChanges.json': deletion }, { allowDestructive: true })
  })

  it('refuses more functions than an organization may have before it compiles one', async () => {
    const all = Array.from({ length: 101 }, (_, index): [string, object] => [
      `functions/f_${100 + index}/function.json`,
      { name: `Function ${index}` },
    ])
    const wrong = { 'functions/f_100/index.js': 'export default () => {' }
    const failed = await deployed(platform, owner, files({ ...Object.fromEntries(all), ...wrong }))
    expect(problemsOf(failed)).toEqual(['src/functions/f_200/function.json  TOO_MANY'])
  })

  it('deletes a custom object with records only by force', async () => {
    await succeeded(platform, owner, files({ 'objects/site.object.json': { name: 'site', label: 'Site', fields: [] } }))
    expect((await owner.rest['customRecordCreate']!({ name: 'site', body: {} } as never)).status).toBe(201)
    const deletion = (force: boolean): Files => ({
      'destructiveChanges.json': json({ delete: [{ type: 'CUSTOM_OBJECT', name: 'site', force }] }),
    })
    const used = await deployed(platform, owner, deletion(false), { allowDestructive: true })
    expect(problemsOf(used)).toEqual(['destructiveChanges.json delete.0 HAS_DEPENDENTS'])
    await succeeded(platform, owner, deletion(true), { allowDestructive: true })
  })

  it('takes an archive, also of Windows and macOS, with any source folder', async () => {
    const archive = new JSZip()
    archive.file('service.project.json', json({ formatVersion: 1, name: 'a', sourceDir: 'crm/main' }))
    archive.file('crm\\main\\fields\\ACCOUNT.size.field.json', `\uFEFF${json(field())}`)
    archive.file('__MACOSX/crm/main/fields/._ACCOUNT.size.field.json', 'x')
    archive.file('README.md', '# about')
    const zip = await archive.generateAsync({ type: 'base64' })
    const { status, body } = await owner.rest['metadataDeploy']!({ body: { source: { zip } } } as never)
    expect(status, JSON.stringify(body)).toBe(202)
    await drain(deploymentQueue, platform.services)
    const { counts, components: found } = await deploymentOf(owner, body.id as string)
    expect([counts!['created'], found[0]!.file]).toEqual([1, 'crm/main/fields/ACCOUNT.size.field.json'])
  })

  it.each([
    ['neither files nor zip', {}, 'source REQUIRED'],
    ['both', { files: { a: '{}' }, zip: 'UEsFBg==' }, 'source REQUIRED'],
    ['no file', { files: {} }, 'source EMPTY'],
    ['a list of files', { files: [] }, 'source.files WRONG_TYPE'],
    ['a path out of the project', { files: { '/a.json': '{}' } }, 'source.files./a.json WRONG_PATH'],
    ['no text', { files: { 'a.json': 1 } }, 'source.files.a.json NOT_TEXT'],
    ['one path twice', { files: { 'a/b': '', 'a\\b': '' } }, 'source.files.a\\b NOT_UNIQUE'],
    ['no base64', { zip: '?' }, 'source.zip WRONG_FORMAT'],
    ['no archive', { zip: 'eyJhIjogMX0=' }, 'source.zip WRONG_FORMAT'],
  ])('refuses a source with %s at once', async (_name, given, problem) => {
    const { status, body } = await owner.rest['metadataDeploy']!({ body: { source: given } } as never)
    expect([status, body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)]).toEqual([
      400,
      [problem],
    ])
    expect(
      await platform.query('select from extensions.deployment where organization_id = $1', [owner.organizationId]),
    ).toEqual([])
  })

  it('is for owners and admins with MANAGE_METADATA', async () => {
    const { organizationId } = owner
    const member = await platform.member({ organizationId, role: 'MEMBER' })
    const reader = await platform.member({ organizationId, role: 'ADMIN', scopes: ['WRITE_CUSTOM_FIELDS'] })
    const body = { source: { files: { 'src/a': '' } } }
    expect((await member.rest['metadataDeploy']!({ body } as never)).body.code).toBe('PERMISSION_DENIED')
    expect((await reader.rest['metadataDeploy']!({ body } as never)).body.code).toBe('API_KEY_SCOPE_INSUFFICIENT')
    const answers = await Promise.all([
      member.rest['metadataRetrieve']!({ body: {} } as never),
      member.rest['metadataDeploymentList']!({}),
      member.rest['metadataDeployment']!({ id: newId() }),
      member.rest['metadataSchema']!({ schemaType: 'PROJECT' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  })

  it('gives nothing more rights than the credential and the user have who deploy', async () => {
    const key = await platform.member({
      organizationId: owner.organizationId,
      role: 'ADMIN',
      scopes: ['MANAGE_METADATA'],
    })
    const failed = await deployed(platform, key, project())
    expect(failed.status).toBe('FAILED')
    expect(problemsOf(failed).map((problem) => problem.split(' ').at(-1))).toEqual(
      expect.arrayContaining(['API_KEY_SCOPE_INSUFFICIENT']),
    )
    await succeeded(platform, key, files({ 'fields/ACCOUNT.size.field.json': field() }))
    const id = await requested(key, files({ 'fields/ACCOUNT.more.field.json': field({ name: 'more' }) }))
    await platform.query(`update identity.app_user set role = 'MEMBER' where id = $1`, [key.userId])
    await drain(deploymentQueue, platform.services)
    expect((await deploymentOf(owner, id)).problems.map(({ code }) => code)).toEqual(['PERMISSION_DENIED'])
  })

  it('by an admin changes nothing of a function or workflow that acts as an owner', async () => {
    const program = 'functions/score_account'
    const workflow = 'workflows/Call new accounts.workflow.json'
    const given = project()
    await succeeded(platform, owner, given)
    const settings = components[`${program}/function.json`]!
    const { [`src/${program}/tests/doubles.json`]: _test, ...untested } = given
    const changes: Readonly<Record<string, Files>> = {
      settings: { ...given, ...files({ [`${program}/function.json`]: { ...settings, description: 'Mine' } }) },
      fewerScopes: { ...given, ...files({ [`${program}/function.json`]: { ...settings, scopes: [] } }) },
      secrets: {
        ...given,
        ...files({ [`${program}/function.json`]: { ...settings, secrets: ['ERP_TOKEN', 'MORE'] } }),
      },
      source: { ...given, ...files({ [`${program}/index.ts`]: `${source}// Mine\n` }) },
      aTest: { ...given, ...files({ [`${program}/tests/mine.json`]: { input: {}, expect: { output: {} } } }) },
      aLostTest: untested,
      workflow: { ...given, ...files({ [workflow]: { ...components[workflow]!, delayMinutes: 6 } }) },
    }
    const before = [await retrieved(owner), await written()]
    for (const [name, all] of Object.entries(changes)) {
      const failed = await deployed(platform, admin, all)
      const file = name === 'workflow' ? workflow : `${program}/function.json`
      expect([name, failed.status, problemsOf(failed)]).toEqual([name, 'FAILED', [`src/${file}  PERMISSION_DENIED`]])
      expect([await retrieved(owner), await written()]).toEqual(before)
    }
    expect((await succeeded(platform, owner, changes['source']!)).counts).toMatchObject({ updated: 1 })
  })

  it('is not seen by another organization', async () => {
    const id = await requested(owner, files({ 'fields/ACCOUNT.size.field.json': field() }))
    const other = await platform.member({ organizationId: await platform.organization('Other'), role: 'OWNER' })
    expect((await other.rest['metadataDeployment']!({ id })).status).toBe(404)
    expect((await other.rest['metadataDeploymentCancel']!({ id })).status).toBe(404)
  })
})

describe('deployments of an organization', () => {
  it('are carried out one after another, in their order', async () => {
    const path = 'fields/ACCOUNT.size.field.json'
    const ids: string[] = []
    for (const label of ['One', 'Two', 'Three']) ids.push(await requested(owner, files({ [path]: field({ label }) })))
    await drain(deploymentQueue, platform.services)
    const changes = await Promise.all(ids.map(async (id) => (await deploymentOf(owner, id)).components[0]!.change))
    expect(changes).toEqual(['CREATED', 'UPDATED', 'UPDATED'])
    expect((await retrieved(owner)).files[`src/${path}`]).toContain('Three')
    const { body } = await owner.rest['metadataDeploymentList']!({})
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
  })

  it('can be cancelled while they wait, and not after their end', async () => {
    const id = await requested(owner, files({ 'fields/ACCOUNT.size.field.json': field() }))
    const { status, body } = await owner.rest['metadataDeploymentCancel']!({ id })
    expect([status, body.status]).toEqual([200, 'CANCELLED'])
    await drain(deploymentQueue, platform.services)
    expect(Object.keys((await retrieved(owner)).files)).toEqual(['service.project.json'])
    expect((await owner.rest['metadataDeploymentCancel']!({ id })).body.code).toBe('INVALID_STATE')
  })
})

/** The same object, which does something before each call of one of its methods. */
const before = <T extends object>(target: T, name: keyof T, work: () => unknown): T =>
  new Proxy(target, {
    get(of, key): unknown {
      const value: unknown = Reflect.get(of, key, of)
      if (typeof value !== 'function') return value
      const call = value as (...given: unknown[]) => unknown
      if (key !== name) return call.bind(of)
      return async (...given: unknown[]): Promise<unknown> => {
        await work()
        return call.apply(of, given)
      }
    },
  })

describe('an attempt of a deployment', () => {
  const aField = files({ 'fields/ACCOUNT.size.field.json': field() })
  const stateOf = async (id: string) => {
    const { status, problems } = await deploymentOf(owner, id)
    const [row] = await platform.query<{ state: string; isEnded: boolean }>(
      'select state, ended_at is not null as "isEnded" from extensions.deployment where id = $1',
      [id],
    )
    return [status, row!.state, row!.isEnded, ...problems.map(({ code }) => code)]
  }
  /** Gives the next attempt its lease: the one before has ended its process. */
  const leased = async (id: string, attempts: number) => {
    const token = newId()
    await platform.query(
      `update extensions.deployment set lease_token = $2, attempts = $3, next_attempt_at = now() + interval '1 hour' where id = $1`,
      [id, token, attempts],
    )
    return { id, attempts, token, lostToken: newId(), organization: owner.organizationId }
  }
  const { signal: unlimited } = new AbortController()

  it('is not repeated for ever while it ends its process', async () => {
    const id = await requested(owner, aField)
    expect(await deploymentQueue.attempt(platform.services, await leased(id, 6), unlimited)).toEqual({
      end: 'RECORDED',
    })
    expect(await stateOf(id)).toEqual(['FAILED', 'DONE', true, 'INTERRUPTED'])
    expect(Object.keys((await retrieved(owner)).files)).toEqual(['service.project.json'])
  })

  it('ends without an effect at its deadline, and the last one ends the deployment', async () => {
    const id = await requested(owner, aField)
    const late = AbortSignal.abort(new Error('The attempt did not end.'))
    await expect(deploymentQueue.attempt(platform.services, await leased(id, 4), late)).rejects.toThrow(
      'The attempt did not end.',
    )
    expect(await stateOf(id)).toEqual(['VALIDATING', 'QUEUED', false])
    expect(await deploymentQueue.attempt(platform.services, await leased(id, 5), late)).toEqual({ end: 'RECORDED' })
    expect(await stateOf(id)).toEqual(['FAILED', 'DONE', true, 'INTERRUPTED'])
  })

  it('compiles no further source after its deadline', async () => {
    const echo = (name: string) => ({
      [`functions/${name}/function.json`]: { name },
      [`functions/${name}/index.js`]: `export default () => '${name}'`,
    })
    const id = await requested(owner, files({ ...echo('one'), ...echo('two') }))
    const deadline = new AbortController()
    let compiled = 0
    const sandbox = before(platform.services.sandbox, 'compile', () => {
      compiled++
      deadline.abort(new Error('Late.'))
    })
    const attempt = deploymentQueue.attempt({ ...platform.services, sandbox }, await leased(id, 1), deadline.signal)
    await expect(attempt).rejects.toThrow('Late.')
    expect([compiled, await stateOf(id)]).toEqual([1, ['VALIDATING', 'QUEUED', false]])
  })

  it('carries out no step after its deadline', async () => {
    const id = await requested(owner, aField)
    const deadline = new AbortController()
    // The secrets are loaded before the transaction begins.
    const vault = before(platform.services.vault, 'load', () => deadline.abort(new Error('Late.')))
    const attempt = deploymentQueue.attempt({ ...platform.services, vault }, await leased(id, 1), deadline.signal)
    await expect(attempt).rejects.toThrow('Late.')
    expect(await stateOf(id)).toEqual(['DEPLOYING', 'QUEUED', false])
    expect(Object.keys((await retrieved(owner)).files)).toEqual(['service.project.json'])
  })

  it('that changes nothing ends as cancelled if that was requested meanwhile', async () => {
    await succeeded(platform, owner, aField)
    const id = await requested(owner, aField)
    const cancel = () => platform.query('update extensions.deployment set is_cancelled = true where id = $1', [id])
    const extensions = before(platform.services.extensions, 'load', cancel)
    await deploymentQueue.attempt({ ...platform.services, extensions }, await leased(id, 1), unlimited)
    expect(await stateOf(id)).toEqual(['CANCELLED', 'CANCELLED', true])
  })
})

describe('metadataRetrieve', () => {
  it('has the types and components that are asked for, and refuses others', async () => {
    await succeeded(platform, owner, project())
    const some = await retrieved(owner, { types: ['FUNCTION'], components: [{ type: 'CUSTOM_OBJECT', name: 'site' }] })
    expect(Object.keys(some.files)).toEqual([
      'service.project.json',
      'src/functions/score_account/function.json',
      'src/functions/score_account/index.ts',
      'src/functions/score_account/tests/doubles.json',
      'src/objects/site.object.json',
    ])
    const { status, body } = await owner.rest['metadataRetrieve']!({
      body: { components: [{ type: 'CUSTOM_OBJECT', name: 'none' }] },
    } as never)
    expect([status, body.errors[0].path, body.errors[0].code]).toEqual([400, 'components.0.name', 'UNKNOWN_REFERENCE'])
  })

  it('warns of settings that the format has no property for', async () => {
    const body = { ...field(), isIndexed: true, isSearchable: true }
    expect((await owner.rest['customFieldCreate']!({ body } as never)).status).toBe(201)
    expect((await retrieved(owner)).warnings).toEqual(
      ['isSearchable', 'isIndexed'].map((name) => ({
        type: 'CUSTOM_FIELD',
        name: 'ACCOUNT.size',
        message: `The format has no property for ${name}; it is not in the file.`,
      })),
    )
  })

  it('answers an archive with the same files', async () => {
    await succeeded(platform, owner, project())
    const { zip, files: none } = await retrieved(owner, { format: 'ZIP' })
    expect(none).toBeNull()
    const archive = await JSZip.loadAsync(zip!, { base64: true })
    const texts = await Promise.all(
      Object.values(archive.files).map(async (file) => [file.name, await file.async('text')]),
    )
    expect(Object.fromEntries(texts)).toEqual((await retrieved(owner)).files)
  })
})

describe('metadataSchema', () => {
  it('answers the schema that deployments check with', async () => {
    const { status, body } = await owner.rest['metadataSchema']!({ schemaType: 'CUSTOM_FIELD' })
    expect([status, body.additionalProperties, body.required]).toEqual([
      200,
      false,
      ['entity', 'name', 'label', 'fieldType'],
    ])
    expect((await owner.rest['metadataSchema']!({ schemaType: 'OTHER' })).status).toBe(404)
  })

  it('agrees with the API about the bounds of properties', async () => {
    const path = 'functions/f_one/function.json'
    for (const [name, value] of Object.entries({
      timeoutMs: 999,
      memoryMb: 129,
      name: '',
      schedule: 'x'.repeat(121),
    })) {
      const file = await deployed(platform, owner, files({ [path]: { name: 'One', [name]: value } }))
      expect(problemsOf(file)).toEqual([expect.stringMatching(new RegExp(`^src/${path} ${name} `))])
      const api = await owner.rest['serverlessFunctionCreate']!({
        body: { apiName: 'f_one', name: 'One', [name]: value },
      } as never)
      expect([api.status, api.body.errors[0].path]).toEqual([400, name])
    }
  })
})

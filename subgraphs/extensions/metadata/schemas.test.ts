import 'reflect-metadata'
import '../../all.ts'
import { describe, expect, it } from 'vitest'
import { metadataComponents } from '../../kernel/metadata/component.ts'
import { components } from '../../../test/metadata/metadata.fixture.ts'
import { MetadataSchemaType, MetadataType } from './metadata-type.ts'
import { fileSchemaOf } from './schemas.ts'

type Content = Readonly<Record<string, unknown>>

const sampleOf = (path: string): Content => components[path] as Content

/** A valid file of each kind. */
const samples: Readonly<Record<MetadataSchemaType, Content>> = {
  CUSTOM_OBJECT: sampleOf('objects/site.object.json'),
  CUSTOM_FIELD: sampleOf('fields/ACCOUNT.margin.field.json'),
  VALIDATION_RULE: sampleOf('validation-rules/ACCOUNT.Margin too low.rule.json'),
  WORKFLOW: sampleOf('workflows/Call new accounts.workflow.json'),
  CUSTOM_ACTION: sampleOf('actions/check_stock.action.json'),
  BEFORE_SAVE_HOOK: sampleOf('hooks/ACCOUNT.Credit check.hook.json'),
  AFTER_SAVE_TRIGGER: sampleOf('after-save/custom%3Asite_visit.Tell the ERP.trigger.json'),
  NAMED_CREDENTIAL: sampleOf('credentials/erp.credential.json'),
  CUSTOM_EVENT_TYPE: sampleOf('events/machine_stopped.event.json'),
  FUNCTION: sampleOf('functions/score_account/function.json'),
  PAGE_LAYOUT: sampleOf('layouts/ACCOUNT.default.layout.json'),
  PAGE: sampleOf('pages/account_overview.page.json'),
  FUNCTION_TEST: { input: { id: 'a' }, expect: { output: { id: 'a' } } },
  PROJECT: { formatVersion: 1, name: 'sales' },
  APP: { slug: 'site-maps', name: 'Site maps', version: '1.4.0', scopes: ['READ_ACCOUNTS'] },
  DESTRUCTIVE_CHANGES: { delete: [{ type: 'WORKFLOW', name: 'Call' }] },
}

const problems = (type: MetadataSchemaType, change: Content): string[] =>
  fileSchemaOf(type)
    .problems(
      Object.fromEntries(Object.entries({ ...samples[type], ...change }).filter(([, value]) => value !== undefined)),
    )
    .map(({ path, code }) => `${path} ${code}`)

type Rule = readonly [
  type: MetadataSchemaType,
  property: string,
  accepted: readonly unknown[],
  refused: readonly unknown[],
]

const apiNames = ['ab', `a${'b'.repeat(47)}`, 'a_1'] as const
const noApiNames = ['a', 'Ab', '1a', '_a', 'a-b', `a${'b'.repeat(48)}`] as const
const hookTypes = [
  'LEAD',
  'CONTACT',
  'ACCOUNT',
  'OPPORTUNITY',
  'TASK',
  'CASE',
  'custom:a',
  `custom:a${'b'.repeat(62)}`,
] as const
const noHookTypes = [
  'PRODUCT',
  'account',
  'custom:',
  'custom:A',
  'custom:1a',
  `custom:a${'b'.repeat(63)}`,
  '',
  1,
] as const
const texts = ['one', 'a'] as const
const flags = [
  [true, false],
  ['true', 1, null],
] as const
const bounds = (least: number, most: number): readonly [unknown[], unknown[]] => [
  [least, most],
  [least - 1, most + 1, least + 0.5, String(least)],
]
const members = (...values: string[]): readonly [unknown[], unknown[]] => [
  values,
  ['OTHER', values[0]!.toLowerCase(), 1],
]
const listOf = (...values: string[]): readonly [unknown[], unknown[]] => [
  [[], values],
  [['OTHER'], values[0], [1]],
]

const slot = { key: 'map', label: 'Map', url: 'https://maps.example.com/embed?a=b', objectTypes: ['ACCOUNT'] } as const
const httpsUrls: readonly [unknown[], unknown[]] = [
  ['https://example.com', 'https://example.com:8443/a?b=c#d', `https://example.com/${'a'.repeat(1_980)}`],
  [
    'http://example.com',
    'https://',
    'https://a b',
    'https://user@example.com',
    'javascript:alert(1)',
    '',
    null,
    `https://example.com/${'a'.repeat(1_981)}`,
  ],
]

/** Each rule of the format, with the values at its bounds. */
const rules: readonly Rule[] = [
  ['PROJECT', 'formatVersion', [1], [2, '1', null]],
  ['PROJECT', 'name', ['a', 'a'.repeat(100)], ['', 'a'.repeat(101), 1]],
  ['PROJECT', 'description', ['', 'text'], [1]],
  ['PROJECT', 'sourceDir', ['src', 'a/b_c.-/9'], ['/src', 'src/', 'a//b', 'a b', '']],

  ['CUSTOM_OBJECT', 'name', ['a', `a${'b'.repeat(62)}`], ['A', '1', '_a', `a${'b'.repeat(63)}`, '']],
  ['CUSTOM_OBJECT', 'label', texts, ['', 1, null]],
  ['CUSTOM_OBJECT', 'pluralLabel', texts, [1]],
  ['CUSTOM_OBJECT', 'description', ['', null], [1]],
  ['CUSTOM_OBJECT', 'nameField', ['subject', null], [1]],
  ['CUSTOM_OBJECT', 'fields', [[]], [{}, [1], [{}], [{ name: 'a', label: 'A' }]]],

  ['CUSTOM_FIELD', 'entity', ...members('LEAD', 'CONTACT', 'ACCOUNT', 'OPPORTUNITY', 'PRODUCT', 'QUOTE')],
  ['CUSTOM_FIELD', 'name', ['A', '_', `a${'B'.repeat(63)}`], ['1a', 'a-b', `a${'B'.repeat(64)}`, '']],
  ['CUSTOM_FIELD', 'label', texts, ['', null]],
  ...[
    ['TEXT', 'TEXTAREA', 'NUMBER', 'CURRENCY', 'DATE', 'DATETIME', 'CHECKBOX', 'PICKLIST', 'MULTI_PICKLIST', 'EMAIL'],
    ['PHONE', 'URL', 'LOOKUP', 'FORMULA', 'ROLLUP_SUMMARY'],
  ].map((types): Rule => ['CUSTOM_FIELD', 'fieldType', types, ['MASTER_DETAIL', 'text', null]]),
  ...['description', 'defaultValue', 'lookupEntity', 'controllingField', 'pattern'].map((name): Rule => [
    'CUSTOM_FIELD',
    name,
    ['a', null],
    [1, []],
  ]),
  ...['isRequired', 'isUnique', 'trackHistory', 'isActive'].map((name): Rule => ['CUSTOM_FIELD', name, ...flags]),
  ...['picklistValues', 'formulaConfig', 'rollupConfig'].map((name): Rule => [
    'CUSTOM_FIELD',
    name,
    [[], {}, 'anything', 1, null],
    [],
  ]),
  ['CUSTOM_FIELD', 'lookupObject', [`custom:a${'b'.repeat(62)}`, null], ['a', 'custom:A', `custom:a${'b'.repeat(63)}`]],
  ['CUSTOM_FIELD', 'lookupDeleteBehavior', ['CLEAR', 'RESTRICT', null], ['CASCADE', 'clear']],
  ['CUSTOM_FIELD', 'dependentValues', [null, {}, { a: ['b'] }], [[], { a: 'b' }, { a: [1] }]],
  ...['precision', 'maxLength'].map((name): Rule => ['CUSTOM_FIELD', name, [1, null], [1.5, '1']]),
  ...['minValue', 'maxValue'].map((name): Rule => ['CUSTOM_FIELD', name, [1.5, -1, null], ['1', []]]),
  ['CUSTOM_FIELD', 'sortOrder', [0, 7], [0.5, '1', null]],

  ['VALIDATION_RULE', 'entityType', hookTypes, noHookTypes],
  ['VALIDATION_RULE', 'name', texts, ['', null]],
  ['VALIDATION_RULE', 'description', texts, [1]],
  ['VALIDATION_RULE', 'isActive', ...flags],
  ['VALIDATION_RULE', 'appliesTo', ...members('CREATE', 'UPDATE', 'BOTH')],
  ['VALIDATION_RULE', 'conditions', [[], [{}], [{ field: 'a' }]], [{}, [1], ['a'], null]],
  ['VALIDATION_RULE', 'logic', ...members('AND', 'OR')],
  ['VALIDATION_RULE', 'errorMessage', texts, ['', null]],
  ['VALIDATION_RULE', 'errorField', ['amount', null], [1]],

  ['WORKFLOW', 'name', texts, ['', null]],
  ['WORKFLOW', 'description', texts, [1]],
  [
    'WORKFLOW',
    'triggerType',
    ...members(
      'RECORD_CREATED',
      'RECORD_UPDATED',
      'RECORD_DELETED',
      'FIELD_CHANGED',
      'STAGE_CHANGED',
      'TIME_BASED',
      'WEBHOOK',
      'MANUAL',
    ),
  ],
  ['WORKFLOW', 'triggerEntity', ['LEAD', ''], [1, null]],
  ['WORKFLOW', 'triggerConfig', [{}, { fields: ['a'] }], [[], 'a', null]],
  ['WORKFLOW', 'conditions', [[], {}, 'anything'], []],
  ['WORKFLOW', 'runOnce', ...flags],
  ['WORKFLOW', 'delayMinutes', [0, 1], [-1, 0.5, '1', null]],

  ['CUSTOM_ACTION', 'apiName', apiNames, noApiNames],
  ['CUSTOM_ACTION', 'label', texts, ['', null]],
  ['CUSTOM_ACTION', 'description', texts, [1]],
  [
    'CUSTOM_ACTION',
    'url',
    ['https://example.com/a'],
    ['http://example.com', 'https://', 'example.com', 'https://a b', 1],
  ],
  ['CUSTOM_ACTION', 'function', ['score', null], [1]],
  ['CUSTOM_ACTION', 'inputSchema', [{}], [[], 'a', null]],
  ['CUSTOM_ACTION', 'outputSchema', [{}], [[], 'a', null]],
  ['CUSTOM_ACTION', 'kind', ...members('READ', 'WRITE')],
  ['CUSTOM_ACTION', 'idempotent', ...flags],
  ['CUSTOM_ACTION', 'maxRetries', ...bounds(0, 3)],
  ['CUSTOM_ACTION', 'timeoutMs', ...bounds(500, 30_000)],
  ['CUSTOM_ACTION', 'objectTypes', [[], ['ACCOUNT']], ['ACCOUNT', [1]]],
  ['CUSTOM_ACTION', 'allowManual', ...flags],
  ['CUSTOM_ACTION', 'exposeAsTool', ...flags],
  ['CUSTOM_ACTION', 'toolDescription', ['a', null], [1]],
  ...['inputMapping', 'outputMapping'].map((name): Rule => [
    'CUSTOM_ACTION',
    name,
    [null, {}, { sku: '{{record.name}}', other: [1] }],
    [[], 'a', 1, Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`a${index}`, 1]))],
  ]),

  ['BEFORE_SAVE_HOOK', 'objectType', hookTypes, noHookTypes],
  ['BEFORE_SAVE_HOOK', 'name', texts, ['', null]],
  ['BEFORE_SAVE_HOOK', 'description', texts, [1]],
  ['BEFORE_SAVE_HOOK', 'operations', ...listOf('CREATE', 'UPDATE', 'DELETE')],
  ['BEFORE_SAVE_HOOK', 'url', ['https://example.com/a'], ['example.com', 'a b', 1]],
  ['BEFORE_SAVE_HOOK', 'function', ['score'], [1]],
  ['BEFORE_SAVE_HOOK', 'timeoutMs', ...bounds(250, 5_000)],
  ['BEFORE_SAVE_HOOK', 'failureMode', ...members('FAIL_OPEN', 'FAIL_CLOSED')],
  ['BEFORE_SAVE_HOOK', 'position', [0, 7], [0.5, '1']],

  ['AFTER_SAVE_TRIGGER', 'objectType', hookTypes, noHookTypes],
  ['AFTER_SAVE_TRIGGER', 'name', texts, ['', null]],
  ['AFTER_SAVE_TRIGGER', 'description', texts, [1]],
  ['AFTER_SAVE_TRIGGER', 'operations', [['CREATE'], ['UPDATE', 'DELETE']], [[], ['OTHER'], 'CREATE', null]],
  ['AFTER_SAVE_TRIGGER', 'function', ['score'], [1, null]],
  ['AFTER_SAVE_TRIGGER', 'timeoutMs', ...bounds(250, 10_000)],
  ['AFTER_SAVE_TRIGGER', 'position', ...bounds(0, 1_000)],

  ['NAMED_CREDENTIAL', 'apiName', apiNames, noApiNames],
  ['NAMED_CREDENTIAL', 'label', texts, ['', null]],
  ['NAMED_CREDENTIAL', 'description', texts, [1]],
  ['NAMED_CREDENTIAL', 'baseUrl', ['https://example.com/a'], ['http://example.com', 'example.com', '', null]],
  [
    'NAMED_CREDENTIAL',
    'authType',
    ...members('NONE', 'API_KEY_HEADER', 'BEARER', 'BASIC', 'OAUTH2_CLIENT_CREDENTIALS'),
  ],
  ...['headerName', 'username', 'clientId'].map((name): Rule => ['NAMED_CREDENTIAL', name, ['a', null], [1]]),
  ['NAMED_CREDENTIAL', 'tokenUrl', ['https://example.com/token', null], ['token', 'a b', 1]],
  ['NAMED_CREDENTIAL', 'scopes', [[], ['a']], ['a', [1]]],
  ['NAMED_CREDENTIAL', 'staticHeaders', [{}, { a: 'b' }], [[], { a: 1 }]],
  ['NAMED_CREDENTIAL', 'timeoutMs', ...bounds(1_000, 10_000)],

  ['CUSTOM_EVENT_TYPE', 'apiName', apiNames, noApiNames],
  ['CUSTOM_EVENT_TYPE', 'label', texts, ['', null]],
  ['CUSTOM_EVENT_TYPE', 'description', texts, [1]],
  ['CUSTOM_EVENT_TYPE', 'schema', [{}, { type: 'object' }], [[], 'a', null]],
  ['CUSTOM_EVENT_TYPE', 'publishAccess', ...members('ADMINS', 'MEMBERS')],

  ['FUNCTION', 'name', ['a', 'a'.repeat(120)], ['', 'a'.repeat(121), null]],
  ['FUNCTION', 'apiName', apiNames, noApiNames],
  ['FUNCTION', 'description', texts, [1]],
  ['FUNCTION', 'language', ['typescript', 'javascript'], ['TYPESCRIPT', 'python']],
  ['FUNCTION', 'envVars', [{}, { A: 'b' }], [[], { A: 1 }]],
  ['FUNCTION', 'timeoutMs', ...bounds(1_000, 30_000)],
  ['FUNCTION', 'memoryMb', ...bounds(16, 128)],
  ['FUNCTION', 'allowedHosts', [[], ['a.example.com']], ['a', [1]]],
  ['FUNCTION', 'scopes', [[], ['READ_LEADS', 'WRITE_A_B']], [['READ_leads'], ['MANAGE_METADATA'], ['*'], 'READ_LEADS']],
  ['FUNCTION', 'httpEnabled', ...flags],
  ['FUNCTION', 'eventTypes', [[], ['lead.created']], ['a', [1]]],
  ['FUNCTION', 'schedule', ['*/5 * * * *', null], [1, 'a'.repeat(121)]],
  ['FUNCTION', 'runAsAdmin', ...flags],
  ['FUNCTION', 'secrets', [[], ['A', '_', `A${'9'.repeat(63)}`]], [['a'], ['1A'], [`A${'9'.repeat(64)}`], 'A']],

  ['FUNCTION_TEST', 'description', ['', null, 'a'.repeat(2_000)], [1, 'a'.repeat(2_001)]],
  ['FUNCTION_TEST', 'input', [{}, { a: [1] }], [[], 'a', null]],
  [
    'FUNCTION_TEST',
    'expect',
    [{ output: null }, { output: {} }, { error: { name: 'TypeError' } }, { error: { name: 'a', message: 'b' } }],
    [
      {},
      { output: 1, error: { name: 'a' } },
      { error: {} },
      { error: 'a' },
      { error: { name: '' } },
      { error: { message: 'a'.repeat(2_001) } },
      { error: { stack: 'a' } },
      { status: 'FAILED' },
      null,
    ],
  ],
  [
    'FUNCTION_TEST',
    'fetch',
    [
      [],
      [{ url: 'https://api.example.com/a', method: 'PATCH', status: 599, headers: { a: 'b' }, body: 'text' }],
      [{ url: 'credential:erp/', status: 200, body: null }],
      Array.from({ length: 50 }, () => ({ url: 'https://a.b' })),
    ],
    [
      {},
      [1],
      [{}],
      [{ url: 'http://api.example.com' }],
      [{ url: 'credential:ERP/a' }],
      [{ url: 'credential:erp' }],
      [{ url: `https://${'a'.repeat(8_192)}` }],
      [{ url: 'https://a.b', method: 'HEAD' }],
      [{ url: 'https://a.b', status: 199 }],
      [{ url: 'https://a.b', status: 600 }],
      [{ url: 'https://a.b', headers: { a: 1 } }],
      [{ url: 'https://a.b', more: 1 }],
      Array.from({ length: 51 }, () => ({ url: 'https://a.b' })),
    ],
  ],

  ['PAGE_LAYOUT', 'objectType', ...members('LEAD', 'CONTACT', 'ACCOUNT', 'OPPORTUNITY')],
  ['PAGE_LAYOUT', 'profile', ['Sales', null], [1]],
  ['PAGE_LAYOUT', 'name', texts, ['', null]],
  ['PAGE_LAYOUT', 'config', [{}], [[], 'a', null]],

  ['PAGE', 'apiName', ['ab', 'a_1', `a${'b'.repeat(62)}`], ['a', 'Ab', '1a', '_a', 'a-b', `a${'b'.repeat(63)}`, null]],
  ['PAGE', 'label', ['a', 'a'.repeat(80)], ['', 'a'.repeat(81), null]],
  ['PAGE', 'description', texts, [1]],
  [
    'PAGE',
    'objectType',
    ['LEAD', 'CONTACT', 'ACCOUNT', 'OPPORTUNITY', 'custom:site', `custom:a${'b'.repeat(62)}`],
    ['TASK', 'CASE', 'custom:A', `custom:a${'b'.repeat(63)}`, null],
  ],
  ['PAGE', 'recordTypeField', ['type', null], [1]],
  [
    'PAGE',
    'assignments',
    [[], [{}], [{ profile: null, recordType: null }], [{ profile: 'Sales', recordType: 'A', position: 1_000 }]],
    [{}, [1], [{ profile: 1 }], [{ recordType: 1 }], [{ position: 1_001 }], [{ position: -1 }], [{ more: 1 }]],
  ],
  ['PAGE', 'definition', [{}, { regions: [] }], [[], 'a', null]],

  [
    'APP',
    'slug',
    ['ab', 'a-1', `a${'b'.repeat(47)}`],
    ['a', 'Ab', '1a', '-a', 'a_b', `a${'b'.repeat(48)}`, 'ab\n', null],
  ],
  ['APP', 'name', ['a', 'a'.repeat(100)], ['', ' ', 'a'.repeat(101), null]],
  [
    'APP',
    'version',
    ['0.0.0', '1.20.300', '999999.999999.999999'],
    ['1', '1.0', '1.0.0.0', 'v1.0.0', '01.0.0', '1.0.1000000', '1.0.0-beta', '1.0.0\n', '', 1],
  ],
  ['APP', 'description', ['', 'a'.repeat(1_000)], ['a'.repeat(1_001), 1, null]],
  ['APP', 'homepageUrl', ...httpsUrls],
  [
    'APP',
    'scopes',
    [[], ['READ_LEADS', 'WRITE_LEADS', 'INVOKE_FUNCTIONS']],
    [['*'], ['read'], ['READ_LEADS', 'READ_LEADS'], ['SESSION'], 'READ_LEADS', [1], null],
  ],
  ['APP', 'settingsSchema', [null, {}, { type: 'object' }], [[], 'a', 1]],
  [
    'APP',
    'slots',
    [
      [],
      [slot],
      [{ ...slot, key: `a${'_'.repeat(47)}`, label: 'a'.repeat(80), height: 50 }],
      [{ ...slot, objectTypes: ['LEAD', 'CONTACT', 'ACCOUNT', 'OPPORTUNITY', 'custom:site'], height: 2_000 }],
      Array.from({ length: 20 }, () => slot),
      ...httpsUrls[0].map((url) => [{ ...slot, url }]),
    ],
    [
      {},
      [1],
      [{ ...slot, key: 'A' }],
      [{ ...slot, key: `a${'b'.repeat(48)}` }],
      [{ ...slot, key: 'a.b' }],
      [{ ...slot, label: '' }],
      [{ ...slot, label: 'a'.repeat(81) }],
      [{ ...slot, objectTypes: [] }],
      [{ ...slot, objectTypes: ['TASK'] }],
      [{ ...slot, objectTypes: ['ACCOUNT', 'ACCOUNT'] }],
      [{ ...slot, height: 49 }],
      [{ ...slot, height: 2_001 }],
      [{ ...slot, height: 50.5 }],
      [{ ...slot, unlisted: 1 }],
      [{ key: 'map' }],
      Array.from({ length: 21 }, () => slot),
      ...httpsUrls[1].map((url) => [{ ...slot, url }]),
      null,
    ],
  ],
  [
    'APP',
    'clientId',
    ['019a0c5e-7f00-7f41-9d20-6c8a2b3e5d10', null],
    ['a', '019A0C5E-7F00-7F41-9D20-6C8A2B3E5D10', '019a0c5e7f007f419d206c8a2b3e5d10', 1],
  ],
  ['APP', 'releaseNotes', ['', 'a'.repeat(4_000)], ['a'.repeat(4_001), 1, null]],

  [
    'DESTRUCTIVE_CHANGES',
    'delete',
    [[], [{ type: 'PAGE', name: 'a', force: true }]],
    [
      {},
      [{ type: 'A', name: 'a' }],
      [{ type: 'PAGE' }],
      [{ type: 'PAGE', name: '' }],
      [{ type: 'PAGE', name: 'a', x: 1 }],
    ],
  ],
]

const required: Readonly<Record<MetadataSchemaType, readonly string[]>> = {
  CUSTOM_OBJECT: ['name', 'label'],
  CUSTOM_FIELD: ['entity', 'name', 'label', 'fieldType'],
  VALIDATION_RULE: ['entityType', 'name', 'conditions', 'errorMessage'],
  WORKFLOW: ['name', 'triggerType', 'triggerEntity'],
  CUSTOM_ACTION: ['apiName', 'label', 'inputSchema', 'outputSchema'],
  BEFORE_SAVE_HOOK: ['objectType', 'name'],
  AFTER_SAVE_TRIGGER: ['objectType', 'name', 'operations', 'function'],
  NAMED_CREDENTIAL: ['apiName', 'label', 'baseUrl'],
  CUSTOM_EVENT_TYPE: ['apiName', 'label', 'schema'],
  FUNCTION: ['name'],
  PAGE_LAYOUT: ['objectType', 'name', 'config'],
  PAGE: ['apiName', 'label', 'objectType', 'definition'],
  FUNCTION_TEST: ['expect'],
  PROJECT: ['formatVersion', 'name'],
  APP: ['slug', 'name', 'version', 'scopes'],
  DESTRUCTIVE_CHANGES: ['delete'],
}

const types = Object.keys(MetadataSchemaType) as MetadataSchemaType[]

describe('the schema of a file of the format', () => {
  it.each(rules)('%s: %s has its rule', (type, property, accepted, refused) => {
    for (const value of accepted) expect([value, problems(type, { [property]: value })]).toEqual([value, []])
    for (const value of refused) {
      const found = problems(type, { [property]: value })
      expect([value, found.length, found[0]?.startsWith(property)]).toEqual([value, 1, true])
    }
  })

  it.each(types)('%s: refuses properties that are not listed, and takes $schema', (type) => {
    expect(problems(type, { unlisted: 1 })).toEqual(['unlisted UNKNOWN_FIELD'])
    expect(problems(type, { $schema: 'https://crm.example.com/v1/metadata/schemas/X' })).toEqual([])
    expect(problems(type, { $schema: 1 })).toEqual(['$schema WRONG_TYPE'])
  })

  it.each(types)('%s: requires what is required, and nothing else', (type) => {
    const names = Object.keys(samples[type])
    const needed = names.filter((name) => problems(type, { [name]: undefined }).length > 0)
    expect(needed.toSorted()).toEqual([...required[type]].toSorted())
    for (const name of required[type]) expect(problems(type, { [name]: undefined })).toEqual([`${name} REQUIRED`])
  })

  it('has a rule for each property, and the rules name no others', () => {
    const tested = Map.groupBy(rules, ([type]) => type)
    for (const type of types) {
      const names = new Set((tested.get(type) ?? []).map(([, property]) => property))
      const open: readonly string[] = type === 'WORKFLOW' ? ['actions'] : []
      expect([type, [...names, ...open].toSorted()]).toEqual([type, [...fileSchemaOf(type).names].toSorted()])
    }
  })

  it('refuses what is no object', () => {
    for (const content of [null, [], 'text', 1])
      expect(fileSchemaOf('PROJECT').problems(content)).toEqual([
        { path: '', code: 'WRONG_TYPE', message: 'The file must contain one JSON object.' },
      ])
  })

  it('names the first problem of each property only, however many there are', () => {
    const scopes = Array.from({ length: 10_000 }, () => 1)
    expect(problems('FUNCTION', { scopes, eventTypes: scopes })).toHaveLength(2)
  })
})

it('each component type of the format is deployed', () => {
  const known = metadataComponents().map(({ type }) => type)
  expect(known.toSorted()).toEqual(Object.keys(MetadataType).toSorted())
})

it('a field of a custom object has the rules of the format', () => {
  const field = (change: Content): string[] =>
    problems('CUSTOM_OBJECT', { fields: [{ name: 'a', label: 'A', type: 'TEXT', ...change }] })
  for (const type of ['LOOKUP', 'MASTER_DETAIL']) expect(field({ type })).toEqual([])
  for (const target of ['LEAD', 'CONTACT', 'ACCOUNT', 'OPPORTUNITY', 'TASK', 'CASE', 'custom:site'])
    expect(field({ lookupTarget: target })).toEqual([])
  expect(field({ lookupTarget: 'INVOICE' })).toEqual(['fields.0.lookupTarget WRONG_FORMAT'])
  expect(field({ type: 'OTHER' })).toEqual(['fields.0.type NOT_ALLOWED'])
  expect(field({ unlisted: 1 })).toEqual(['fields.0.unlisted UNKNOWN_FIELD'])
  expect(field({ label: undefined })).toEqual(['fields.0.label REQUIRED'])
})

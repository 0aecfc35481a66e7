import { expect } from 'vitest'
import { deploymentQueue } from '../../subgraphs/extensions/metadata/deployment.queue.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import type { Member, Platform } from '../platform.ts'

export type Files = Record<string, string>

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const condition = (field: string, operator: string, value: unknown) => ({ field, operator, value })

/** One component of each type, with references between them in all directions that the format allows. */
export const components: Readonly<Record<string, object>> = {
  'objects/site_visit.object.json': {
    name: 'site_visit',
    label: 'Site visit',
    pluralLabel: 'Site visits',
    nameField: 'subject',
    fields: [
      { name: 'subject', label: 'Subject', type: 'TEXT', required: true },
      { name: 'outcome', label: 'Outcome', type: 'PICKLIST', options: [{ value: 'DONE' }, { value: 'OPEN' }] },
      {
        name: 'reason',
        label: 'Reason',
        type: 'PICKLIST',
        options: [{ value: 'RAIN' }, { value: 'ILL' }],
        controllingField: 'outcome',
        dependentValues: { OPEN: ['RAIN', 'ILL'] },
      },
      { name: 'site', label: 'Site', type: 'LOOKUP', lookupTarget: 'custom:site', onDelete: 'RESTRICT' },
      { name: 'hours', label: 'Hours', type: 'NUMBER' },
      { name: 'margin', label: 'Margin', type: 'NUMBER' },
      {
        name: 'days',
        label: 'Days',
        type: 'FORMULA',
        formula: { expression: 'customFields.hours / 8', returnType: 'NUMBER', decimals: 2, blankAs: 'ZERO' },
      },
    ],
  },
  'objects/site.object.json': {
    name: 'site',
    label: 'Site',
    description: 'Where machines stand.',
    fields: [
      { name: 'account', label: 'Account', type: 'LOOKUP', lookupTarget: 'ACCOUNT', onDelete: 'CLEAR' },
      {
        name: 'visits',
        label: 'Visits',
        type: 'ROLLUP_SUMMARY',
        rollup: { childObject: 'custom:site_visit', relationField: 'customFields.site', aggregate: 'COUNT' },
      },
    ],
  },
  'fields/ACCOUNT.tier.field.json': {
    entity: 'ACCOUNT',
    name: 'tier',
    label: 'Tier',
    fieldType: 'PICKLIST',
    picklistValues: [
      { value: 'GOLD', label: 'Gold', color: '#c9a227' },
      { value: 'SILVER', isDefault: true, sortOrder: 1 },
    ],
    sortOrder: 0,
  },
  'fields/ACCOUNT.margin.field.json': {
    entity: 'ACCOUNT',
    name: 'margin',
    label: 'Margin',
    fieldType: 'NUMBER',
    precision: 2,
    minValue: -100,
    maxValue: 100.5,
    sortOrder: 1,
  },
  'fields/ACCOUNT.double.field.json': {
    entity: 'ACCOUNT',
    name: 'double',
    label: 'Double margin',
    fieldType: 'FORMULA',
    formulaConfig: { expression: 'customFields.margin * 2', returnType: 'NUMBER' },
    sortOrder: 2,
  },
  'validation-rules/ACCOUNT.Margin too low.rule.json': {
    entityType: 'ACCOUNT',
    name: 'Margin too low',
    conditions: [condition('customFields.margin', 'LESS_THAN', 0)],
    errorMessage: 'The margin must not be negative.',
    errorField: 'customFields.margin',
  },
  'validation-rules/custom%3Asite_visit.Long.rule.json': {
    entityType: 'custom:site_visit',
    name: 'Long',
    appliesTo: 'CREATE',
    conditions: [
      { logic: 'OR', conditions: [condition('customFields.hours', 'GREATER_THAN', 24)] },
      condition('customFields.outcome', 'EQUALS', 'OPEN'),
    ],
    logic: 'OR',
    errorMessage: 'A visit takes a day at most.',
  },
  'functions/score_account/function.json': {
    name: 'Score an account',
    apiName: 'score_account',
    envVars: { FACTOR: '2' },
    memoryMb: 64,
    allowedHosts: ['api.example.com'],
    scopes: ['READ_ACCOUNTS'],
    eventTypes: ['account.created', 'custom.machine_stopped', 'custom_object.site_visit.created'],
    schedule: '*/15 8-18 * * 1-5',
    secrets: ['ERP_TOKEN'],
  },
  'actions/check_stock.action.json': {
    apiName: 'check_stock',
    label: 'Check the stock',
    function: 'score_account',
    inputSchema: { type: 'object', properties: { sku: { type: 'string' } } },
    outputSchema: { type: 'object' },
    inputMapping: { sku: 'A-{{record.customFields.margin}}' },
    outputMapping: { 'customFields.margin': '{{output.stock}}' },
    kind: 'WRITE',
    idempotent: true,
    objectTypes: ['ACCOUNT', 'custom:site_visit'],
  },
  'hooks/ACCOUNT.Credit check.hook.json': {
    objectType: 'ACCOUNT',
    name: 'Credit check',
    operations: ['UPDATE'],
    url: 'https://erp.example.com/api/credit',
    timeoutMs: 1000,
    failureMode: 'FAIL_CLOSED',
    position: 3,
  },
  'after-save/custom%3Asite_visit.Tell the ERP.trigger.json': {
    objectType: 'custom:site_visit',
    name: 'Tell the ERP',
    operations: ['CREATE', 'DELETE'],
    function: 'score_account',
    position: 7,
  },
  'credentials/erp.credential.json': {
    apiName: 'erp',
    label: 'ERP',
    baseUrl: 'https://erp.example.com/api',
    authType: 'BEARER',
    staticHeaders: { 'X-Tenant': 'emea' },
  },
  'events/machine_stopped.event.json': {
    apiName: 'machine_stopped',
    label: 'Machine stopped',
    schema: { type: 'object', properties: { machineId: { type: 'string' } } },
    publishAccess: 'MEMBERS',
  },
  'layouts/ACCOUNT.default.layout.json': {
    objectType: 'ACCOUNT',
    name: 'Accounts',
    config: {
      sections: [
        {
          label: 'Company',
          columns: 2,
          items: [{ field: 'name', isRequired: true }, { field: 'customFields.tier' }, { slot: 'app/maps:place' }],
        },
        { label: 'Figures', isCollapsed: true, items: [{ field: 'customFields.double', isReadOnly: true }] },
      ],
    },
  },
  'pages/account_overview.page.json': {
    apiName: 'account_overview',
    label: 'Account overview',
    description: 'What sales needs before a call.',
    objectType: 'ACCOUNT',
    recordTypeField: 'customFields.tier',
    assignments: [
      { profile: null, recordType: null, position: 0 },
      { profile: null, recordType: 'GOLD', position: 3 },
    ],
    definition: {
      regions: [
        {
          name: 'main',
          width: 8,
          components: [
            {
              type: 'FIELDS',
              label: 'Company',
              items: [{ field: 'name' }, { field: 'customFields.margin', isReadOnly: true }],
              visibleWhen: { conditions: [condition('customFields.tier', 'EQUALS', 'GOLD')] },
            },
            {
              type: 'RELATED_LIST',
              label: 'Sites',
              objectType: 'custom:site',
              field: 'customFields.account',
              columns: ['customFields.visits'],
            },
          ],
        },
        {
          name: 'side',
          components: [
            { type: 'LAYOUT' },
            { type: 'TIMELINE' },
            { type: 'TEXT', text: '**Call** first.' },
            { type: 'APP_SLOT', slot: 'app/maps:place' },
          ],
        },
      ],
    },
  },
  'workflows/Call new accounts.workflow.json': {
    name: 'Call new accounts',
    triggerType: 'RECORD_CREATED',
    triggerEntity: 'ACCOUNT',
    conditions: { logic: 'OR', conditions: [condition('customFields.tier', 'EQUALS', 'GOLD')] },
    actions: [
      { id: 'call', type: 'CREATE_TASK', config: { subject: 'Call {{record.name}}' }, next: 'stock' },
      {
        id: 'stock',
        type: 'CUSTOM_ACTION',
        config: { actionApiName: 'check_stock', input: { sku: 'x' } },
        next: 'score',
      },
      { id: 'score', type: 'FUNCTION', config: { functionApiName: 'score_account' } },
    ],
    delayMinutes: 5,
  },
}

export const source =
  'export default (input: { id: string }, { env }) => ({ id: input.id, factor: Number(env.FACTOR) })\n'

/** A test of the function, whose spaces and order of properties are its own. */
export const functionTest = `{ "expect":{"output": {"factor": 2}},
  "input": {"id":"a"} }`

/** The files of a project with these components. */
export const project = (given: Readonly<Record<string, object>> = components): Files => ({
  'service.project.json': json({ formatVersion: 1, name: 'sales' }),
  ...Object.fromEntries(Object.entries(given).map(([path, content]) => [`src/${path}`, json(content)])),
  ...('functions/score_account/function.json' in given && {
    'src/functions/score_account/index.ts': source,
    'src/functions/score_account/tests/doubles.json': functionTest,
  }),
})

export interface Deployed {
  readonly id: string
  readonly status: string
  readonly version: string | null
  readonly counts: Record<string, number> | null
  readonly components: readonly { type: string; name: string; file: string; change: string }[]
  readonly problems: readonly { file: string | null; path: string; code: string; message: string; usedBy: unknown }[]
  readonly testResults: readonly object[]
  readonly missingSecrets: readonly object[]
  readonly warnings: readonly { type: string; name: string; message: string }[]
}

/** Requests a deployment, which must be accepted, and returns its id. */
export async function requested(by: Member, files: Files, options: object = {}): Promise<string> {
  const { status, body } = await by.rest['metadataDeploy']!({ body: { source: { files }, ...options } } as never)
  expect([status, body.status, body.errors], JSON.stringify(body)).toEqual([202, 'PENDING', undefined])
  return body.id as string
}

export async function deploymentOf(by: Member, id: string): Promise<Deployed> {
  const { status, body } = await by.rest['metadataDeployment']!({ id })
  expect(status).toBe(200)
  return body as unknown as Deployed
}

/** Deploys files, and returns what became of it. */
export async function deployed(platform: Platform, by: Member, files: Files, options: object = {}): Promise<Deployed> {
  const id = await requested(by, files, options)
  await drain(deploymentQueue, platform.services)
  return deploymentOf(by, id)
}

/** A deployment that must succeed. */
export async function succeeded(platform: Platform, by: Member, files: Files, options: object = {}): Promise<Deployed> {
  const deployment = await deployed(platform, by, files, options)
  expect([deployment.status, deployment.problems]).toEqual(['SUCCEEDED', []])
  return deployment
}

export interface Retrieved {
  readonly version: string
  readonly files: Files
  readonly zip: string | null
  readonly warnings: readonly object[]
}

export async function retrieved(by: Member, options: object = {}): Promise<Retrieved> {
  const { status, body } = await by.rest['metadataRetrieve']!({ body: options } as never)
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200)
  return body as unknown as Retrieved
}

export const problemsOf = ({ problems }: Deployed): string[] =>
  problems.map(({ file, path, code }) => `${file} ${path} ${code}`)

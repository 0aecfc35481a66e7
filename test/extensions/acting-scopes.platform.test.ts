import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let organizationId: string
beforeAll(async () => {
  organizationId = await platform.organization()
})

const withScopes = (...scopes: string[]): Promise<Member> => platform.member({ organizationId, role: 'OWNER', scopes })

const name = (): string => `x_${newId().slice(-8)}`
const source = 'export default () => 1'
const step = (type: string, config: object) => ({
  id: 'one',
  type,
  name: 'One',
  config,
  next: null,
  branches: null,
  onError: 'FAIL',
})
const aFunction = (values: object) => ({ apiName: name(), name: 'F', source, language: 'javascript', ...values })
const aWorkflow = (values: object) => ({ name: name(), triggerType: 'MANUAL', ...values })
const anAiTrigger = (values: object) => ({ name: name(), prompt: 'Say what it is about.', ...values })
const url = 'https://receiver.example.com/hook'

type Case = readonly [what: string, operation: string, scope: string, body: object, needs: readonly string[]]

/** What is set up, the scope of the operation, and the scopes of what it reads and does. */
const cases: readonly Case[] = [
  [
    'a function with a scope',
    'serverlessFunctionCreate',
    'WRITE_FUNCTIONS',
    aFunction({ scopes: ['WRITE_CASES'] }),
    ['WRITE_CASES'],
  ],
  [
    'a function of events',
    'serverlessFunctionCreate',
    'WRITE_FUNCTIONS',
    aFunction({ eventTypes: ['lead.created'] }),
    ['READ_LEADS'],
  ],
  [
    'a workflow of records',
    'workflowCreate',
    'WRITE_WORKFLOWS',
    aWorkflow({ triggerType: 'RECORD_CREATED', triggerEntity: 'LEAD' }),
    ['READ_LEADS'],
  ],
  [
    'a workflow that creates a record',
    'workflowCreate',
    'WRITE_WORKFLOWS',
    aWorkflow({ steps: [step('CREATE_RECORD', { object: 'ACCOUNT', values: { name: 'x' } })] }),
    ['WRITE_ACCOUNTS'],
  ],
  [
    'a workflow that finds records',
    'workflowCreate',
    'WRITE_WORKFLOWS',
    aWorkflow({ steps: [step('FIND_RECORDS', { object: 'CASE' })] }),
    ['READ_CASES'],
  ],
  [
    'a workflow that creates a task',
    'workflowCreate',
    'WRITE_WORKFLOWS',
    aWorkflow({ steps: [step('CREATE_TASK', { subject: 'Call' })] }),
    ['WRITE_TASKS'],
  ],
  [
    'a workflow that sends a mail',
    'workflowCreate',
    'WRITE_WORKFLOWS',
    aWorkflow({ steps: [step('SEND_EMAIL', { to: ['a@example.com'], subject: 'x', bodyText: 'x' })] }),
    ['WRITE_EMAILS'],
  ],
  [
    'an AI workflow of events',
    'aiTriggerCreate',
    'WRITE_AI_WORKFLOWS',
    anAiTrigger({ eventType: 'case.created' }),
    ['READ_CASES'],
  ],
  [
    'an AI workflow that creates a task',
    'aiTriggerCreate',
    'WRITE_AI_WORKFLOWS',
    anAiTrigger({ actions: [{ type: 'CREATE_TASK', config: { subject: 'Call' } }] }),
    ['WRITE_TASKS'],
  ],
  [
    'a hook',
    'beforeSaveHookCreate',
    'WRITE_HOOKS',
    { objectType: 'LEAD', name: name(), operations: ['CREATE'], url },
    ['WRITE_LEADS'],
  ],
  [
    'a custom action',
    'customActionCreate',
    'WRITE_CUSTOM_ACTIONS',
    {
      apiName: name(),
      label: 'x',
      url,
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      objectTypes: ['LEAD'],
    },
    ['READ_LEADS'],
  ],
]

describe('what acts later', () => {
  it.each(cases)('%s: needs the scopes of what it reads and does', async (_, operation, scope, body, needs) => {
    const narrow = await withScopes(scope)
    const before = await platform.fingerprint()
    const refused = await narrow.rest[operation]!({ body })
    expect([refused.status, refused.body.code, refused.body.missingScopes]).toEqual([
      403,
      'API_KEY_SCOPE_INSUFFICIENT',
      needs,
    ])
    expect(await platform.fingerprint()).toBe(before)

    const { status, body: answer } = await (await withScopes(scope, ...needs)).rest[operation]!({ body })
    expect([status, answer.errors]).toEqual([201, undefined])
  })

  it('is not changed by a credential with fewer scopes, which may pause and delete it', async () => {
    const narrow = await withScopes('WRITE_FUNCTIONS', 'WRITE_WORKFLOWS')
    const wide = await withScopes('*')
    const { id } = (await wide.rest['serverlessFunctionCreate']!({ body: aFunction({ scopes: ['READ_CASES'] }) })).body
    const steps = [step('CREATE_TASK', { subject: 'Call' })]
    const workflow = (await wide.rest['workflowCreate']!({ body: aWorkflow({ steps }) })).body
    expect((await wide.rest['workflowActivate']!({ id: workflow.id })).status).toBe(200)
    const before = await platform.fingerprint()
    const tries = {
      serverlessFunctionUpdate: [{ id, body: { scopes: [] } }, 'READ_CASES'],
      serverlessFunctionVersionCreate: [{ id, body: { source, language: 'javascript', deploy: true } }, 'READ_CASES'],
      serverlessFunctionRollback: [{ id }, 'READ_CASES'],
      serverlessFunctionSecretSet: [{ id, name: 'TOKEN', body: { value: 'x' } }, 'READ_CASES'],
      serverlessFunctionTest: [{ id, body: { source, language: 'javascript' } }, 'READ_CASES'],
      workflowUpdate: [{ id: workflow.id, body: { steps: [] } }, 'WRITE_TASKS'],
      workflowRegenerateSecret: [{ id: workflow.id }, 'WRITE_TASKS'],
    } as const
    for (const [operation, [request, missing]] of Object.entries(tries)) {
      const { status, body } = await narrow.rest[operation]!(request)
      expect([operation, status, body.missingScopes]).toEqual([operation, 403, [missing]])
    }
    expect(await platform.fingerprint()).toBe(before)

    expect((await narrow.rest['serverlessFunctionUpdate']!({ id, body: { isActive: false } })).status).toBe(200)
    expect((await narrow.rest['workflowPause']!({ id: workflow.id })).status).toBe(200)
    expect((await narrow.rest['workflowDelete']!({ id: workflow.id })).status).toBe(204)
    expect((await narrow.rest['serverlessFunctionDelete']!({ id })).status).toBe(200)
  })
})

describe('a text for its caller', () => {
  it('contains values only of records that the credential may read', async () => {
    const wide = await withScopes('*')
    const contact = (await wide.rest['contactCreate']!({ body: { firstName: 'Ida', lastName: 'Holm' } })).body
    const template = {
      name: name(),
      category: 'SALES',
      status: 'ACTIVE',
      isShared: true,
      subject: 'Hello {{contact.firstName | default: "you"}}',
      bodyHtml: '<p>Hello</p>',
    }
    const { body: saved } = await wide.rest['emailTemplateCreate']!({ body: template })
    const mail = { to: ['a@example.com'], templateId: saved.id as string, contactId: contact.id as string }
    const sent = async (by: Member) => {
      const { status, body } = await by.rest['emailSend']!({ body: mail })
      return status < 300 ? (body.subject as unknown) : body
    }
    expect(await sent(wide)).toBe('Hello Ida')
    expect(await sent(await withScopes('WRITE_EMAILS', 'READ_EMAIL_TEMPLATES'))).toBe('Hello you')
    expect(await sent(await withScopes('WRITE_EMAILS', 'READ_EMAIL_TEMPLATES', 'READ_CONTACTS'))).toBe('Hello Ida')
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let organizationId: string
let wide: Member
beforeAll(async () => {
  organizationId = await platform.organization()
  wide = await withScopes('*')
  const source = 'export default () => 1'
  const body = { apiName: 'decide', name: 'Decide', source, language: 'javascript' }
  const { status } = await wide.rest['serverlessFunctionCreate']!({ body })
  if (status !== 201) throw new Error(`The function was not created: ${status}.`)
})

const withScopes = (...scopes: string[]): Promise<Member> => platform.member({ organizationId, role: 'OWNER', scopes })
const name = (): string => `x_${newId().slice(-8)}`
const task = [
  {
    id: 'one',
    type: 'CREATE_TASK',
    name: 'One',
    config: { subject: 'Call' },
    next: null,
    branches: null,
    onError: 'FAIL',
  },
]

/** What acts later: how it is set up, what changes nothing of what it reads and does, what pauses it, and a change by which it needs more. */
interface Case {
  readonly operations: string
  readonly scope: string
  readonly created: () => object
  readonly needs: readonly string[]
  readonly harmless: object
  readonly paused: object
  readonly widened: object
  readonly more: readonly string[]
}

const cases: Readonly<Record<string, Case>> = {
  'a hook': {
    operations: 'beforeSaveHook',
    scope: 'WRITE_HOOKS',
    created: () => ({ objectType: 'LEAD', name: name(), operations: ['CREATE'], url: 'https://a.example.com/decide' }),
    needs: ['WRITE_LEADS'],
    harmless: { position: 7 },
    paused: { isActive: false },
    widened: { url: null, function: 'decide' },
    more: ['INVOKE_FUNCTIONS'],
  },
  'a trigger': {
    operations: 'afterSaveTrigger',
    scope: 'WRITE_HOOKS',
    created: () => ({ objectType: 'CASE', name: name(), operations: ['UPDATE'], function: 'decide' }),
    needs: ['READ_CASES', 'INVOKE_FUNCTIONS'],
    harmless: { position: 7 },
    paused: { isActive: false },
    widened: { operations: ['CREATE', 'UPDATE', 'DELETE'] },
    more: [],
  },
  'a custom action': {
    operations: 'customAction',
    scope: 'WRITE_CUSTOM_ACTIONS',
    created: () => ({
      apiName: name(),
      label: 'x',
      url: 'https://a.example.com/act',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      objectTypes: ['LEAD'],
    }),
    needs: ['READ_LEADS'],
    harmless: { label: 'y' },
    paused: { isActive: false },
    widened: { objectTypes: ['CASE'], url: null, function: 'decide' },
    more: ['READ_CASES', 'INVOKE_FUNCTIONS'],
  },
  'an AI workflow': {
    operations: 'aiTrigger',
    scope: 'WRITE_AI_WORKFLOWS',
    created: () => ({ name: name(), prompt: 'Say what it is about.', eventType: 'case.created' }),
    needs: ['READ_CASES'],
    harmless: { prompt: 'Say it in one line.' },
    paused: { status: 'PAUSED' },
    widened: { eventType: 'lead.created', actions: [{ type: 'CREATE_TASK', config: { subject: 'Call' } }] },
    more: ['READ_LEADS', 'WRITE_TASKS'],
  },
  'a function': {
    operations: 'serverlessFunction',
    scope: 'WRITE_FUNCTIONS',
    created: () => ({ apiName: name(), name: 'F', language: 'javascript', scopes: ['READ_CASES'] }),
    needs: ['READ_CASES'],
    harmless: { name: 'G' },
    paused: { isActive: false },
    widened: { scopes: ['WRITE_LEADS'], eventTypes: ['account.created'] },
    more: ['WRITE_LEADS', 'READ_ACCOUNTS'],
  },
  'a workflow': {
    operations: 'workflow',
    scope: 'WRITE_WORKFLOWS',
    created: () => ({ name: name(), triggerType: 'RECORD_CREATED', triggerEntity: 'LEAD', steps: task.slice(1) }),
    needs: ['READ_LEADS'],
    harmless: { name: 'Other' },
    paused: {},
    widened: { triggerEntity: 'CASE', steps: task },
    more: ['READ_CASES', 'WRITE_TASKS'],
  },
}

describe.each(Object.entries(cases))(
  '%s',
  (_, { operations, scope, created, needs, harmless, paused, widened, more }) => {
    const answers = async (by: Member, id: string, body: object) => {
      const { status, body: answer } = await by.rest[`${operations}Update`]!({ id, body })
      return status === 403 ? [...(answer.missingScopes as string[])].toSorted() : status
    }
    const set = async () => {
      const { status, body } = await wide.rest[`${operations}Create`]!({ body: created() })
      expect([status, body.errors]).toEqual([201, undefined])
      return body.id as string
    }

    it('is changed only with the scopes of what it reads and does, before and after the change', async () => {
      const id = await set()
      const [narrow, enough, only, all] = [
        await withScopes(scope),
        await withScopes(scope, ...needs),
        await withScopes(scope, ...more),
        await withScopes(scope, ...needs, ...more),
      ]
      const before = await platform.fingerprint()
      expect(await answers(narrow, id, harmless)).toEqual(needs.toSorted())
      expect(await answers(narrow, id, { ...paused, ...harmless })).toEqual(needs.toSorted())
      if (more.length > 0) expect(await answers(enough, id, widened)).toEqual(more.toSorted())
      expect(await answers(only, id, widened)).toEqual(needs.toSorted())
      expect(await platform.fingerprint()).toBe(before)
      expect(await answers(enough, id, harmless)).toBe(200)
      expect(await answers(all, id, widened)).toBe(200)
    })

    it('is paused and deleted without them, as whoever stops it must be able to', async () => {
      const id = await set()
      const narrow = await withScopes(scope)
      if (Object.keys(paused).length > 0) expect(await answers(narrow, id, paused)).toBe(200)
      expect([200, 204]).toContain((await narrow.rest[`${operations}Delete`]!({ id })).status)
    })
  },
)

it.each(['a hook', 'a custom action', 'an AI workflow', 'a workflow'] as const)(
  '%s gets a new secret, with which its receiver or the platform can be deceived, only with these scopes',
  async (kind) => {
    const { operations, scope, created, needs } = cases[kind]!
    const { id } = (await wide.rest[`${operations}Create`]!({ body: created() })).body
    const [narrow, enough] = [await withScopes(scope), await withScopes(scope, ...needs)]
    const rotate = async (by: Member) => {
      const { status, body } = await by.rest[`${operations}RegenerateSecret`]!({ id })
      return [status, status === 200 ? typeof body.secret : body.missingScopes]
    }
    const before = await platform.fingerprint()
    expect(await rotate(narrow)).toEqual([403, needs])
    expect(await platform.fingerprint()).toBe(before)
    expect(await rotate(enough)).toEqual([200, 'string'])
  },
)

it('an AI workflow is paused by its switch without the scopes of what it does, and not turned on', async () => {
  const { created, scope, needs } = cases['an AI workflow']!
  const { id } = (await wide.rest['aiTriggerCreate']!({ body: created() })).body
  const narrow = await withScopes(scope)
  expect((await narrow.rest['aiTriggerToggle']!({ id })).body.status).toBe('PAUSED')
  const refused = await narrow.rest['aiTriggerToggle']!({ id })
  expect([refused.status, refused.body.missingScopes]).toEqual([403, needs])
  expect((await wide.rest['aiTrigger']!({ id })).body.status).toBe('PAUSED')
})

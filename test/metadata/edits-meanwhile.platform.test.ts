import { beforeEach, describe, expect, it, vi } from 'vitest'
import { runDeployment, type Result } from '../../subgraphs/extensions/metadata/run-deployment.ts'
import { actingCaller } from '../../subgraphs/identity/public.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { functionFiles, grading } from './function-tests.fixture.ts'
import { components, json, project, retrieved, succeeded, type Files } from './metadata.fixture.ts'

const platform = usePlatform()
let owner: Member
let caller: Caller
let authorization: string

beforeEach(async () => {
  owner = await platform.member({ organizationId: await platform.organization('Edits'), role: 'OWNER' })
  const { organizationId, userId } = owner
  const origin = { kind: 'FUNCTION_TEST', id: newId(), runId: newId() }
  const acting = { organizationId, userId, scopes: ['*'], runAsAdmin: true, origin, depth: 1 }
  caller = (await actingCaller(platform.services.database, acting))!
  authorization = `Bearer ${await sessionOf(platform, owner)}`
})

const fieldFile = (name: string, label: string): Files => ({
  [`src/fields/ACCOUNT.${name}.field.json`]: json({ entity: 'ACCOUNT', name, label, fieldType: 'TEXT' }),
})
const projectFile = { 'service.project.json': json({ formatVersion: 1, name: 'sales' }) }

interface Options {
  readonly testLevel?: 'NONE' | 'ALL'
  readonly expectedVersion?: string
  /** Runs when the deployment has been decided, before its transaction. */
  readonly before?: () => Promise<unknown>
  /** Runs in the transaction, after it was decided again and before the first step. */
  readonly within?: () => Promise<unknown>
  /** Runs at the end of the transaction. */
  readonly finish?: () => void
}

/** Deploys while somebody else changes something. */
async function deployedDespite(files: Files, options: Options): Promise<Result & { readonly attempts: number }> {
  const { testLevel = 'NONE', expectedVersion = null, before, within, finish } = options
  let attempts = 0
  let isWithin = false
  const result = await runDeployment(platform.services, caller, {
    files: new Map(Object.entries({ ...projectFile, ...files })),
    checkOnly: false,
    allowDestructive: false,
    expectedVersion,
    app: null,
    testLevel,
    tests: null,
    signal: new AbortController().signal,
    requireWanted: async (sql) => {
      if (!sql || isWithin) return
      isWithin = true
      await within?.()
    },
    beginTests: () => Promise.resolve(),
    begin: async () => {
      attempts += 1
      if (attempts === 1) await before?.()
    },
    finish: () => Promise.resolve(finish?.()),
  })
  return { ...result, attempts }
}

/** Changes something as a signed-in user, and returns the status of the answer. */
async function edited(path: string, body: object, method = 'PATCH'): Promise<number> {
  const headers = { authorization, 'content-type': 'application/json' }
  const answer = await fetch(`${platform.url}/v1/${path}`, { method, headers, body: JSON.stringify(body) })
  await answer.arrayBuffer()
  return answer.status
}

async function idOf(table: string): Promise<string> {
  const [row] = await platform.query<{ id: string }>(
    `select id from ${table} where organization_id = $1 and deleted_at is null order by id limit 1`,
    [owner.organizationId],
  )
  return row!.id
}
const fieldId = async (name: string): Promise<string> => {
  const [row] = await platform.query<{ id: string }>(
    `select id from extensions.field_definition where organization_id = $1 and name = $2`,
    [owner.organizationId, name],
  )
  return row!.id
}

const changesIn = ({ problems, components: all }: Result): unknown => [
  problems,
  all.map(({ name, change }) => `${name} ${change}`),
]

describe('an edit before the transaction of a deployment', () => {
  const files = (label: string): Files => ({ ...fieldFile('size', label), ...functionFiles({ grade: grading }) })
  const editField = async () => edited(`custom-fields/${await fieldId('size')}`, { label: 'Width' })

  beforeEach(() => succeeded(platform, owner, files('Size')))

  it('of a component that was unchanged is found: the component is as its file says', async () => {
    const before = async () => expect(await editField()).toBe(200)
    const result = await deployedDespite({ ...files('Size'), ...fieldFile('depth', 'Depth') }, { before })
    expect(changesIn(result)).toEqual([[], ['depth CREATED', 'ACCOUNT.size UPDATED', 'grade UNCHANGED'].map(named)])
    expect((await retrieved(owner)).files['src/fields/ACCOUNT.size.field.json']).toContain('"Size"')
  })

  it('of the source of a function that was unchanged is found, and its source is compiled', async () => {
    const version = { source: 'export default () => 0', language: 'javascript', deploy: true }
    const before = async () => expect(await edited('functions/grade/versions', version, 'POST')).toBe(201)
    const result = await deployedDespite({ ...files('Size'), ...fieldFile('depth', 'Depth') }, { before })
    expect(changesIn(result)).toEqual([[], ['depth CREATED', 'ACCOUNT.size UNCHANGED', 'grade UPDATED'].map(named)])
    expect((await retrieved(owner)).files['src/functions/grade/index.js']).toBe(grading.source)
  })

  it('is a conflict with an expected version, also of what the project does not have', async () => {
    const { version } = await retrieved(owner)
    const before = async () => expect(await editField()).toBe(200)
    const result = await deployedDespite(fieldFile('depth', 'Depth'), { before, expectedVersion: version })
    expect(result.problems.map(({ path, code }) => [path, code])).toEqual([['expectedVersion', 'VERSION_CONFLICT']])
    const { files: now } = await retrieved(owner)
    expect(now['src/fields/ACCOUNT.size.field.json']).toContain('"Width"')
    expect(now['src/fields/ACCOUNT.depth.field.json']).toBeUndefined()
  })

  describe('with tests', () => {
    /** How often a test ran. */
    async function runs(before: () => Promise<unknown>): Promise<number> {
      const running = vi.spyOn(platform.services.sandbox, 'run')
      try {
        const source = `${grading.source!} // next`
        const wanted = { ...fieldFile('size', 'Large'), ...functionFiles({ grade: { ...grading, source } }) }
        const result = await deployedDespite(wanted, { before, testLevel: 'ALL' })
        expect([result.problems, result.tests.map(({ name, status }) => `${name} ${status}`)]).toEqual([
          [],
          ['best PASSED'],
        ])
        const { files: now } = await retrieved(owner)
        expect(now['src/functions/grade/index.js']).toBe(source)
        expect(now['src/fields/ACCOUNT.size.field.json']).toContain('"Large"')
        return running.mock.calls.length
      } finally {
        running.mockRestore()
      }
    }

    it('does not run them again', async () => {
      expect(await runs(async () => expect(await editField()).toBe(200))).toBe(1)
    })

    it('runs them again if their function is another one', async () => {
      const edit = async () => expect(await edited('functions/grade', { description: 'Grades.' })).toBe(200)
      expect(await runs(edit)).toBe(2)
    })
  })
})

/** Names of fields have their record type. */
const named = (text: string): string => (text.startsWith('depth') ? `ACCOUNT.${text}` : text)

describe('an edit in the transaction of a deployment', () => {
  it('waits until the deployment has ended, whatever it changes, and is then made', async () => {
    await succeeded(platform, owner, { ...project(components), ...fieldFile('outside', 'Outside') })
    const edits: readonly (readonly [name: string, edit: () => Promise<number>, status: number])[] = [
      ['field', async () => edited(`custom-fields/${await fieldId('tier')}`, { label: 'Level' }), 200],
      ['other field', async () => edited(`custom-fields/${await fieldId('outside')}`, { label: 'Out' }), 200],
      ['function', () => edited('functions/score_account', { description: 'Scores.' }), 200],
      [
        'source',
        () =>
          edited(
            'functions/score_account/versions',
            { source: 'export default () => 1', deploy: true, language: 'javascript' },
            'POST',
          ),
        201,
      ],
      [
        'workflow',
        async () => edited(`workflows/${await idOf('extensions.workflow')}`, { description: 'Calls.' }),
        200,
      ],
      [
        'action',
        async () => edited(`custom-actions/${await idOf('extensions.custom_action')}`, { label: 'Stock' }),
        200,
      ],
      [
        'credential',
        async () => edited(`named-credentials/${await idOf('extensions.named_credential')}`, { label: 'The ERP' }),
        200,
      ],
      [
        'trigger',
        async () => edited(`after-save-triggers/${await idOf('extensions.after_save_trigger')}`, { position: 9 }),
        200,
      ],
      [
        'event type',
        async () => edited(`custom-event-types/${await idOf('events.custom_event_type')}`, { label: 'Halted' }),
        200,
      ],
    ]
    for (const [index, [name, edit, status]] of edits.entries()) {
      const { version, files } = await retrieved(owner)
      const wanted = { ...files, ...fieldFile('depth', `Depth ${index}`) }
      let isEdited = false
      let isEditedWithin = true
      let editing: Promise<number> | null = null
      const result = await deployedDespite(wanted, {
        expectedVersion: version,
        within: async () => {
          editing = edit().finally(() => (isEdited = true))
          await vi.waitFor(async () => expect(isEdited || (await platform.waitingForLocks()) > 0).toBe(true), 10_000)
        },
        finish: () => (isEditedWithin = isEdited),
      })
      expect([name, result.problems, isEditedWithin, await editing!]).toEqual([name, [], false, status])
      const changed = result.components.filter(({ change }) => change !== 'UNCHANGED')
      expect([name, changed.map((one) => one.name)]).toEqual([name, ['ACCOUNT.depth']])
      const after = await retrieved(owner)
      expect([name, after.version === result.version]).toEqual([name, false])
    }
  })
})

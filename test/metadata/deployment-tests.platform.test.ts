import { beforeEach, describe, expect, it } from 'vitest'
import { deploymentQueue } from '../../subgraphs/extensions/metadata/deployment.queue.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { functionFiles, grading, outcomes, type AFunction, type Report } from './function-tests.fixture.ts'
import {
  deployed,
  deploymentOf,
  json,
  problemsOf,
  requested,
  retrieved,
  succeeded,
  type Deployed,
  type Files,
} from './metadata.fixture.ts'

const platform = usePlatform()
let owner: Member

beforeEach(async () => {
  owner = await platform.member({ organizationId: await platform.organization('Tests'), role: 'OWNER' })
})

const field = {
  'src/fields/ACCOUNT.size.field.json': json({ entity: 'ACCOUNT', name: 'size', label: 'Size', fieldType: 'TEXT' }),
}
const wrong: AFunction = {
  ...grading,
  tests: { ...grading.tests, wrong: { input: { score: 91 }, expect: { output: { grade: 'B' } } } },
}
const all = { testLevel: 'ALL' }
const testsOf = (deployment: Deployed): string[] => outcomes({ tests: deployment.testResults } as Report)
/** What any change of a definition writes, and what the organization has. */
const state = async () => [
  (await retrieved(owner)).files,
  await platform.query(
    `select (select count(*) from kernel.event where organization_id = $1) as events,
       (select count(*) from identity.audit_entry where organization_id = $1) as audited,
       (select count(*) from extensions.function_version where organization_id = $1) as versions,
       (select count(*) from extensions.function_invocation where organization_id = $1) as invocations,
       (select version from kernel.definition_version where organization_id = $1) as version`,
    [owner.organizationId],
  ),
]

describe('a deployment with tests', () => {
  it('takes effect if they pass, and says which ran', async () => {
    const files = { ...field, ...functionFiles({ grade: grading }) }
    const { testResults, counts } = await succeeded(platform, owner, files, all)
    expect([counts!['created'], testResults]).toEqual([
      2,
      [
        {
          function: 'grade',
          name: 'best',
          file: 'src/functions/grade/tests/best.json',
          status: 'PASSED',
          path: null,
          message: null,
          durationMs: expect.any(Number),
        },
      ],
    ])
    expect((await retrieved(owner)).files['src/functions/grade/index.js']).toBe(grading.source)
  })

  it('changes nothing if one does not pass, and names it with its file and path', async () => {
    await succeeded(platform, owner, functionFiles({ grade: grading }), all)
    const before = await state()
    const source = grading.source!.replace('"A"', '"A+"')
    const failed = await deployed(
      platform,
      owner,
      { ...field, ...functionFiles({ grade: { ...grading, source }, other: { ...wrong, source: grading.source! } }) },
      all,
    )
    expect([failed.status, failed.version, problemsOf(failed)]).toEqual([
      'FAILED',
      null,
      [
        'src/functions/grade/tests/best.json expect.output.grade TEST_FAILED',
        'src/functions/other/tests/wrong.json expect.output.grade TEST_FAILED',
      ],
    ])
    expect(failed.problems[0]!.message).toBe(
      'The test grade/best has not passed. expect.output.grade must be "A", and is "A+".',
    )
    expect(testsOf(failed)).toEqual([
      'best FAILED expect.output.grade',
      'best PASSED',
      'wrong FAILED expect.output.grade',
    ])
    expect(await state()).toEqual(before)
  })

  it('runs them with checkOnly, and also if nothing differs', async () => {
    const before = await state()
    const checked = await succeeded(platform, owner, functionFiles({ grade: grading }), { ...all, checkOnly: true })
    expect([testsOf(checked), checked.version]).toEqual([['best PASSED'], null])
    expect(
      problemsOf(await deployed(platform, owner, functionFiles({ grade: wrong }), { ...all, checkOnly: true })),
    ).toHaveLength(1)
    expect(await state()).toEqual(before)

    const first = await succeeded(platform, owner, functionFiles({ grade: wrong }))
    expect(testsOf(first)).toEqual([])
    const same = await state()
    const again = await deployed(platform, owner, functionFiles({ grade: wrong }), all)
    expect([again.status, testsOf(again)]).toEqual(['FAILED', ['best PASSED', 'wrong FAILED expect.output.grade']])
    const only = { testLevel: 'SPECIFIED', tests: ['grade/best'] }
    const passed = await succeeded(platform, owner, functionFiles({ grade: wrong }), only)
    expect([testsOf(passed), passed.version, passed.counts!['unchanged']]).toEqual([['best PASSED'], first.version, 1])
    expect(await state()).toEqual(same)
  })

  it('runs those that are named, and refuses names that it does not know', async () => {
    const files = functionFiles({ grade: wrong, other: grading })
    const deploy = (tests: readonly string[] | undefined, testLevel = 'SPECIFIED') =>
      owner.rest['metadataDeploy']!({ body: { source: { files }, testLevel, ...(tests && { tests }) } } as never)
    for (const [tests, level, code] of [
      [undefined, 'SPECIFIED', 'REQUIRED'],
      [[], 'SPECIFIED', 'REQUIRED'],
      [['grade'], 'ALL', 'NOT_TOGETHER'],
      [['grade'], 'NONE', 'NOT_TOGETHER'],
    ] as const) {
      const { status, body } = await deploy(tests, level)
      expect([status, body.errors]).toMatchObject([400, [{ path: 'tests', code }]])
    }
    const unknown = await deployed(platform, owner, files, {
      testLevel: 'SPECIFIED',
      tests: ['other', 'grade/nothing'],
    })
    expect([unknown.status, problemsOf(unknown), testsOf(unknown)]).toEqual([
      'FAILED',
      ['null tests.1 UNKNOWN_REFERENCE'],
      [],
    ])
    const named = await succeeded(platform, owner, files, { testLevel: 'SPECIFIED', tests: ['other', 'grade/best'] })
    expect(testsOf(named)).toEqual(['best PASSED', 'best PASSED'])
  })

  it('names a source that does not compile once, and a function without the rights of who deploys', async () => {
    const broken = { source: 'export default (', tests: { a: { expect: { output: 1 } }, b: { expect: { output: 1 } } } }
    const uncompiled = await deployed(platform, owner, functionFiles({ broken }), all)
    expect([problemsOf(uncompiled), testsOf(uncompiled)]).toEqual([
      ['src/functions/broken/index.js  COMPILE_ERROR'],
      ['a ERROR', 'b ERROR'],
    ])
    const { organizationId } = owner
    const key = await platform.member({ organizationId, role: 'ADMIN', scopes: ['MANAGE_METADATA'] })
    const files = functionFiles({ grade: { ...grading, settings: { scopes: ['READ_ACCOUNTS'] } } })
    const refused = await deployed(platform, key, files, all)
    expect([refused.problems.map(({ code }) => code), testsOf(refused)]).toEqual([['API_KEY_SCOPE_INSUFFICIENT'], []])
  })

  it('ends a test by its limits, while another organization deploys', async () => {
    const loop = {
      source: 'export default () => { for (;;); }',
      settings: { timeoutMs: 1_000 },
      tests: { ends: { expect: { output: 1 } } },
    }
    const id = await requested(owner, functionFiles({ loop }), all)
    const other = await platform.member({ organizationId: await platform.organization('Other'), role: 'OWNER' })
    const theirs = await succeeded(platform, other, functionFiles({ grade: grading }), all)
    expect(testsOf(theirs)).toEqual(['best PASSED'])
    const failed = await deploymentOf(owner, id)
    expect(problemsOf(failed)).toEqual(['src/functions/loop/tests/ends.json  TEST_ERROR'])
    expect(failed.problems[0]!.message).toContain('TIMEOUT')
  })

  it('is TESTING before it changes anything, and can be cancelled between tests', async () => {
    const tests = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { expect: { output: {} } }]))
    const files: Files = { ...field, ...functionFiles({ grade: { ...grading, tests } }) }
    const before = await state()
    const id = await requested(owner, files, all)
    const statuses: string[] = []
    const { sandbox } = platform.services
    const watched = new Proxy(sandbox, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        const call = (value as (...given: unknown[]) => unknown).bind(target)
        if (name !== 'run') return call
        return async (...given: unknown[]) => {
          statuses.push((await deploymentOf(owner, id)).status)
          if (statuses.length === 2) await owner.rest['metadataDeploymentCancel']!({ id })
          return call(...given)
        }
      },
    })
    const token = newId()
    await platform.query(
      `update extensions.deployment set lease_token = $2, attempts = 1, next_attempt_at = now() + interval '1 hour' where id = $1`,
      [id, token],
    )
    const item = { id, attempts: 1, token, lostToken: newId(), organization: owner.organizationId }
    await deploymentQueue.attempt({ ...platform.services, sandbox: watched }, item, new AbortController().signal)
    expect([statuses, (await deploymentOf(owner, id)).status]).toEqual([['TESTING', 'TESTING'], 'CANCELLED'])
    expect(await state()).toEqual(before)
    await drain(deploymentQueue, platform.services)
  })
})

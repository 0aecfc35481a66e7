import { beforeEach, describe, expect, it, vi } from 'vitest'
import { runTests, type TestedFunction, type TestRun } from '../../subgraphs/extensions/function-test/run-tests.ts'
import { actingCaller } from '../../subgraphs/identity/public.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { aSandbox } from '../../subgraphs/kernel/sandbox/a-sandbox.fixture.ts'
import type { Sandbox } from '../../subgraphs/kernel/sandbox/sandbox.ts'
import { usePlatform, type Member } from '../platform.ts'
import { statementsOf } from '../statements.ts'
import { functionFiles, grading, outcomes, tested } from './function-tests.fixture.ts'
import { succeeded } from './metadata.fixture.ts'

const platform = usePlatform()
let owner: Member
let caller: Caller

beforeEach(async () => {
  owner = await platform.member({ organizationId: await platform.organization('Tests'), role: 'OWNER' })
  const { organizationId, userId } = owner
  const origin = { kind: 'FUNCTION_TEST', id: newId(), runId: newId() }
  const acting = { organizationId, userId, scopes: ['*'], runAsAdmin: true, origin, depth: 1 }
  caller = (await actingCaller(platform.services.database, acting))!
})

const loop = 'export default () => { for (;;); }'
const quick = 'export default () => ({})'
const isOver = 'The tests of a run must end within 60 seconds together.'

describe('the time of a run of tests', () => {
  const settings = { timeoutMs: 20_000, memoryMb: 64, envVars: {}, allowedHosts: [] }
  const functionOf = (sandbox: Sandbox, apiName: string, source: string, language = 'javascript'): TestedFunction => ({
    apiName,
    functionId: newId(),
    settings: { ...settings, language } as never,
    secretNames: [],
    tests: ['a', 'b'].map((name) => ({ name, file: `${apiName}/${name}.json`, text: '{"expect": {"output": {}}}' })),
    program: (endsAt) => sandbox.compile(owner.organizationId, source, language as 'javascript', endsAt),
    caller,
  })
  async function ran(sandbox: Sandbox, msMax: number, functions: readonly TestedFunction[]) {
    const { graph, rest, counters, clock } = platform.services
    const begun = performance.now()
    const run: TestRun = { organizationId: owner.organizationId, depth: 1, functions, endsAt: begun + msMax }
    const results = await runTests({ sandbox, graph, rest, counters, clock }, run)
    const told = results.map(({ function: apiName, name, status, message }) => [`${apiName}/${name}`, status, message])
    return { told, elapsedMs: performance.now() - begun }
  }
  /** The only child of the sandbox is busy until the program ends. */
  function occupied(sandbox: Sandbox): Promise<unknown> {
    return sandbox.run({
      organizationId: newId(),
      program: { code: loop, sourceMap: null },
      input: {},
      env: {},
      secrets: {},
      invocation: { id: newId(), trigger: 'TEST', depth: 0, attempt: 1 },
      timeoutMs: 10_000,
      memoryMb: 64,
      call: () => Promise.resolve(null),
    })
  }

  it('ends the test that runs, and what was tested before is answered', async () => {
    const sandbox = aSandbox({ childrenMax: 1 })
    await sandbox.compile(owner.organizationId, quick, 'javascript')
    const names: readonly (readonly [string, string])[] = [
      ['quick', quick],
      ['loop', loop],
      ['other', quick],
    ]
    const functions = names.map(([name, source]) => functionOf(sandbox, name, source))
    const { told, elapsedMs } = await ran(sandbox, 3_000, functions)
    expect(told).toEqual([
      ['quick/a', 'PASSED', null],
      ['quick/b', 'PASSED', null],
      ['loop/a', 'ERROR', isOver],
      ['loop/b', 'ERROR', isOver],
      ['other/a', 'ERROR', isOver],
      ['other/b', 'ERROR', isOver],
    ])
    expect(elapsedMs).toBeLessThan(8_000)
  })

  it.each(['javascript', 'typescript'])('goes on while a source in %s waits to be compiled', async (language) => {
    const sandbox = aSandbox({ childrenMax: 1 })
    await sandbox.compile(owner.organizationId, quick, 'javascript')
    void occupied(sandbox)
    const { told, elapsedMs } = await ran(sandbox, 500, [functionOf(sandbox, 'waits', quick, language)])
    expect(told).toEqual([
      ['waits/a', 'ERROR', isOver],
      ['waits/b', 'ERROR', isOver],
    ])
    expect(elapsedMs).toBeLessThan(5_000)
  })

  it('goes on while a program waits for a process that runs it', async () => {
    const sandbox = aSandbox({ childrenMax: 1 })
    const program = await sandbox.compile(owner.organizationId, quick, 'javascript')
    void occupied(sandbox)
    // A program of a higher level would have a process of its own.
    const waits = { ...functionOf(sandbox, 'waits', quick), program: () => Promise.resolve(program) }
    const { graph, rest, counters, clock } = platform.services
    const begun = performance.now()
    const run = { organizationId: owner.organizationId, depth: 0, functions: [waits], endsAt: begun + 500 }
    const results = await runTests({ sandbox, graph, rest, counters, clock }, run)
    expect(results.map(({ status, message }) => [status, message])).toEqual([
      ['ERROR', isOver],
      ['ERROR', isOver],
    ])
    expect(performance.now() - begun).toBeLessThan(5_000)
  })
})

describe('a run of tests', () => {
  it('reads of the functions that are named only, and of all of them at once', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `grade_${index}`)
    await succeeded(platform, owner, functionFiles(Object.fromEntries(names.map((name) => [name, grading]))))
    const statements = async (functions: readonly string[]) => {
      let passed: string[] = []
      const read = async () => void (passed = outcomes(await tested(owner, null, functions)))
      const texts = await statementsOf(platform, read, /extensions\.function|app_user/, { inTransactions: true })
      expect(passed).toEqual(functions.map(() => 'best PASSED'))
      return texts
    }
    const one = await statements(['grade_3'])
    expect(await statements(names)).toHaveLength(one.length)
    expect(one.filter((text) => /t\.content as text/.test(text))).toHaveLength(1)
    // The texts of those that are not named are not read.
    await platform.query(
      `update extensions.function_test set content = 'no JSON' from extensions.function f
       where f.id = function_id and f.organization_id = $1 and f.api_name <> 'grade_3'`,
      [owner.organizationId],
    )
    expect(outcomes(await tested(owner, null, ['grade_3']))).toEqual(['best PASSED'])
  })

  it('unpacks its archive once, also with an Idempotency-Key', async () => {
    await succeeded(platform, owner, functionFiles({ grade: grading }))
    const body = { types: ['FUNCTION'], format: 'ZIP' }
    const { zip } = (await owner.rest['metadataRetrieve']!({ body } as never)).body as { readonly zip: string }
    const unpacking = vi.spyOn(platform.services.work, 'run')
    try {
      const once = 'mutation ($zip: String) { metadataTest(source: { zip: $zip }) { status passed } }'
      const requests: Readonly<Record<string, string>>[] = [{}, { 'Idempotency-Key': newId() }]
      for (const headers of requests) {
        unpacking.mockClear()
        const { body: answer } = await owner.graphql(once, { zip }, headers)
        expect(answer).toEqual({ data: { metadataTest: { status: 'PASSED', passed: 1 } } })
        expect(unpacking).toHaveBeenCalledTimes(1)
      }
    } finally {
      unpacking.mockRestore()
    }
  })
})

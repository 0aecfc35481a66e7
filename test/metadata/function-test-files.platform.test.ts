import { beforeEach, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { deployed, json, problemsOf, retrieved, succeeded, type Files } from './metadata.fixture.ts'

const platform = usePlatform()
let owner: Member

beforeEach(async () => {
  owner = await platform.member({ organizationId: await platform.organization('Metadata'), role: 'OWNER' })
})

const folder = 'src/functions/grade'
const aTest = (grade: string): string => json({ input: { score: 90 }, expect: { output: { grade } } })
const project = (tests: Files, settings: object = {}): Files => ({
  [`${folder}/function.json`]: json({ name: 'Grade', ...settings }),
  [`${folder}/index.js`]: 'export default ({ score }) => ({ grade: score > 80 ? "A" : "B" })',
  ...Object.fromEntries(Object.entries(tests).map(([name, text]) => [`${folder}/tests/${name}.json`, text])),
})
const testsNow = async (): Promise<Files> => {
  const { files } = await retrieved(owner)
  return Object.fromEntries(Object.entries(files).filter(([path]) => path.includes('/tests/')))
}
const audited = async (): Promise<string[]> =>
  (
    await platform.query<{ entry: string }>(
      `select action || ' ' || coalesce("after" ->> 'name', "before" ->> 'name') as entry from identity.audit_entry
       where organization_id = $1 and target_type = 'function_test' order by created_at, id`,
      [owner.organizationId],
    )
  ).map(({ entry }) => entry)

it('the tests of a function are those of its files: they are created, changed and deleted by a deployment', async () => {
  const first = await succeeded(platform, owner, project({ high: aTest('A'), 'b-2': aTest('A') }))
  expect(await testsNow()).toEqual({
    [`${folder}/tests/b-2.json`]: aTest('A'),
    [`${folder}/tests/high.json`]: aTest('A'),
  })

  const second = await succeeded(platform, owner, project({ high: aTest('B'), c_3: aTest('A') }))
  expect(second.counts).toEqual({ created: 0, updated: 1, unchanged: 0, deleted: 0 })
  expect(await testsNow()).toEqual({
    [`${folder}/tests/c_3.json`]: aTest('A'),
    [`${folder}/tests/high.json`]: aTest('B'),
  })
  expect(second.version).not.toBe(first.version)
  expect((await audited()).toSorted()).toEqual([
    'function_test.created b-2',
    'function_test.created c_3',
    'function_test.created high',
    'function_test.deleted b-2',
    'function_test.updated high',
  ])

  const again = await succeeded(platform, owner, project({ high: aTest('B'), c_3: aTest('A') }))
  expect([again.counts!['unchanged'], again.version]).toEqual([1, second.version])
  expect(await audited()).toHaveLength(5)
  await succeeded(platform, owner, project({}))
  expect(await testsNow()).toEqual({})
  const versions = await platform.query('select 1 from extensions.function_version where organization_id = $1', [
    owner.organizationId,
  ])
  expect(versions).toHaveLength(1)
})

it('a deleted function leaves no tests', async () => {
  await succeeded(platform, owner, project({ high: aTest('A') }))
  expect((await owner.rest['serverlessFunctionDelete']!({ id: 'grade' })).status).toBe(200)
  expect(
    await platform.query('select 1 from extensions.function_test where organization_id = $1', [owner.organizationId]),
  ).toEqual([])
  await succeeded(platform, owner, project({ low: aTest('A') }))
  expect(Object.keys(await testsNow())).toEqual([`${folder}/tests/low.json`])
})

it('what is wrong with a test is named with its file, and nothing is deployed', async () => {
  const wrong = await deployed(
    platform,
    owner,
    project({
      'no json': '{}',
      array: '[]',
      broken: '{"expect": ',
      deep: `{"expect": {"output": ${'['.repeat(40)}${']'.repeat(40)}}}`,
      empty: '{}',
      host: json({ expect: { output: 1 }, fetch: [{ url: 'ftp://example.com/a' }] }),
    }),
  )
  expect([wrong.status, problemsOf(wrong).toSorted()]).toEqual([
    'FAILED',
    [
      `${folder}/tests/array.json  WRONG_TYPE`,
      `${folder}/tests/broken.json  INVALID_JSON`,
      `${folder}/tests/deep.json  TOO_DEEP`,
      `${folder}/tests/empty.json expect REQUIRED`,
      `${folder}/tests/host.json fetch.0.url WRONG_FORMAT`,
      `${folder}/tests/no json.json  WRONG_PATH`,
      `${folder}/tests/no json.json expect REQUIRED`,
    ].toSorted(),
  ])
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`t${index}`, aTest('A')]))
  expect(problemsOf(await deployed(platform, owner, project(many)))).toEqual([`${folder}/function.json  TOO_MANY`])
  const large = json({ description: 'a', expect: { output: 'a'.repeat(140_000) } })
  expect(problemsOf(await deployed(platform, owner, project({ a: large, b: large })))).toEqual([
    `${folder}/function.json  TOO_LARGE`,
  ])
  const alone = { [`${folder}/tests/a.json`]: aTest('A') }
  expect(problemsOf(await deployed(platform, owner, alone))).toEqual([`${folder}/function.json  REQUIRED`])
  const deeper = { ...project({}), [`${folder}/tests/a/b.json`]: aTest('A') }
  expect(problemsOf(await deployed(platform, owner, deeper))).toEqual([`${folder}/tests/a/b.json  WRONG_PATH`])
  expect(Object.keys((await retrieved(owner)).files)).toEqual(['service.project.json'])
})

import { cp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'
import { metadataComponents } from '../../subgraphs/kernel/metadata/component.ts'
import { startBackground } from '../../worker.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aCrm, type Crm } from './crm.fixture.ts'

const sample = join(projectRoot, 'test/sample-project')
const platform = usePlatform()
let background: { close(): Promise<void> }

beforeAll(async () => {
  background = await startBackground(platform.services)
})
afterAll(() => background.close())

/** The sample project in a folder of its own, with the key of an owner of an empty organization. */
async function aSample(): Promise<{ crm: Crm; owner: Member }> {
  const owner = await platform.member({ organizationId: await platform.organization('Halvorsen'), role: 'OWNER' })
  const crm = await aCrm({ CRM_URL: platform.url, CRM_API_KEY: owner.secret })
  await cp(sample, crm.folder, { recursive: true })
  return { crm, owner }
}

interface Deployed {
  readonly status: string
  readonly counts: Record<string, number>
  readonly components: readonly { readonly type: string }[]
  readonly missingSecrets: readonly { readonly secret: string }[]
}

it('has a component of each type of the platform, and is deployed as a whole', async () => {
  const { crm } = await aSample()
  const { status, components, counts, missingSecrets } = await crm.json<Deployed>(['deploy'])
  expect(status).toBe('SUCCEEDED')
  const types = new Set(components.map(({ type }) => type))
  expect([...types].toSorted()).toEqual(
    metadataComponents()
      .map(({ type }) => type)
      .toSorted(),
  )
  expect(counts).toEqual({ created: components.length, updated: 0, unchanged: 0, deleted: 0 })
  expect(missingSecrets.map(({ secret }) => secret)).toContain('ERP_TOKEN')

  const again = await crm.json<Deployed>(['deploy'])
  expect(again.counts).toEqual({ created: 0, updated: 0, unchanged: components.length, deleted: 0 })
  await crm.run(['init', 'copy'])
  const copy = crm.in('copy')
  expect((await copy.run(['retrieve'])).code).toBe(0)
  expect((await copy.run(['diff', '--exit-code'])).code).toBe(0)
  expect((await readdir(join(copy.folder, 'src'))).toSorted()).toEqual(
    ['.gitkeep', ...(await readdir(join(sample, 'src')))].toSorted(),
  )
})

it('has tests of its functions, which pass before and with its deployment', async () => {
  const { crm } = await aSample()
  const passed = await crm.run(['test'])
  expect([passed.code, passed.stdout.replaceAll(/\d+ ms/g, 'n ms')]).toEqual([
    0,
    [
      'ok grade_inspection/best_grade  n ms',
      'ok grade_inspection/without_score  n ms',
      'ok report_inspection/reports  n ms',
      '3 tests passed, 0 failed, in n ms.',
      '',
    ].join('\n'),
  ])
  const { status, testResults } = await crm.json<Deployed & { testResults: readonly { status: string }[] }>([
    'deploy',
    '--tests',
    'all',
  ])
  expect([status, testResults.map((test) => test.status)]).toEqual(['SUCCEEDED', ['PASSED', 'PASSED', 'PASSED']])
})

it('does what it says: a new inspection is graded, and gets a task', async () => {
  const { crm, owner } = await aSample()
  await crm.run(['deploy'])
  const [{ id }] = (await owner.rest['workflowList']!({})).body['data'] as [{ id: string }]
  await owner.rest['workflowActivate']!({ id })
  const following = crm.start('logs', 'workflow', 'Grade inspections', '--follow')
  const create =
    'mutation ($fields: JSON) { customRecordCreate(object: "inspection", input: { customFields: $fields }) { id } }'
  const variables = (score: number) => ['--variables', JSON.stringify({ fields: { subject: 'Crane 7', score } })]
  const refused = await crm.json(['query', create, ...variables(101)], 1)
  expect(refused).toMatchObject({ error: { code: 'VALIDATION_RULE_FAILED' } })
  await crm.json(['query', create, ...variables(91)])
  await following.shows('call  CREATE_TASK  SUCCEEDED')
  following.child.kill('SIGINT')
  await following.ended
  expect((await crm.run(['logs', 'function', 'grade_inspection'])).stdout).toContain('91 points are A')
})

import { expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { workflowsOf } from './workflows.fixture.ts'

const platform = usePlatform()
const anOwner = async (): Promise<Member> =>
  platform.member({ role: 'OWNER', organizationId: await platform.organization() })
const depth = { 'x-service-function-depth': '0' }

async function functionOf(who: Member, source: string, given: object = {}) {
  const body = { apiName: `f_${newId().slice(-12)}`, name: 'F', language: 'javascript', source, httpEnabled: true }
  const answer = await who.rest.serverlessFunctionCreate!({ body: { ...body, ...given } })
  expect([answer.status, answer.body.errors]).toEqual([201, undefined])
  return answer.body as { id: string; apiName: string }
}

/** A user who does not see the revenue of accounts. */
async function restricted(organizationId: string, role?: 'ADMIN'): Promise<Member> {
  const user = await platform.member({ organizationId, ...(role && { role }) })
  const ctx = systemContext(platform.services, organizationId)
  const profile = await createProfile(ctx, { name: 'Hidden', fields: { account: { annualRevenue: 'HIDDEN' } } })
  await assignProfile(ctx, user.userId, profile.id)
  return user
}

/** Long, and without a part that repeats. */
const secret = Array.from({ length: 1_600 }, (_, index) => (index * 7_919 + 10_000).toString(36)).join('')

it('no part of a secret is shown where a text of a function is cut', async () => {
  const owner = await anOwner()
  const { id } = await functionOf(
    owner,
    `export default (input, { secrets }) => {
      console.error(new Error('z'.repeat(4_000) + secrets.KEY), 'after')
      console.log('y'.repeat(50_000) + secrets.KEY)
      const error = new Error('x' + secrets.KEY)
      error.name = secrets.KEY + secrets.KEY
      throw error
    }`,
  )
  const value = secret.slice(0, 8_192)
  expect((await owner.rest.serverlessFunctionSecretSet!({ id, name: 'KEY', body: { value } })).status).toBe(200)
  const ran = await owner.rest.serverlessFunctionInvoke!({ id, body: {}, headers: depth })
  const read = await owner.rest.serverlessFunctionInvocation!({ id, invocationId: ran.body.invocationId })
  expect([ran.body.status, read.status, read.body.logs.length]).toEqual(['FAILED', 200, 2])
  for (const body of [ran.body, read.body]) expect(JSON.stringify(body)).not.toContain(value.slice(0, 8))
  expect(read.body.error.message).toBe('x[secret]')
})

it('an invocation whose user may not act is logged without secrets in its input', async () => {
  const owner = await anOwner()
  const other = await platform.member({ organizationId: owner.organizationId, role: 'ADMIN' })
  const { id } = await functionOf(owner, 'export default (input) => input', { runAsUserId: other.userId })
  const value = 'a-secret-value'
  await owner.rest.serverlessFunctionSecretSet!({ id, name: 'KEY', body: { value } })
  await platform.query('update identity.app_user set is_active = false where id = $1', [other.userId])
  const ran = await owner.rest.serverlessFunctionInvoke!({
    id,
    body: { input: { text: `<${value}>` } },
    headers: depth,
  })
  expect([ran.status, ran.body.status]).toEqual([200, 'FAILED'])
  const read = await owner.rest.serverlessFunctionInvocation!({ id, invocationId: ran.body.invocationId })
  expect(read.body).toMatchObject({ status: 'FAILED', input: { text: '<[secret]>' } })
})

it('an admin who does not see everything reads only invocations that acted as this admin', async () => {
  const owner = await anOwner()
  const admin = await restricted(owner.organizationId, 'ADMIN')
  const { id: accountId } = await account(owner, { annualRevenue: 987_654 })
  const source = `export default async (input, { api }) => {
    const answer = await api.graphql('{ account(id: "${accountId}") { annualRevenue } }')
    console.log(JSON.stringify(answer))
    if (input.fails) throw new Error(JSON.stringify(answer))
    return answer
  }`
  const { id } = await functionOf(owner, source, { scopes: ['READ_ACCOUNTS'], runAsAdmin: true })
  const invocations: string[] = []
  for (const fails of [false, true]) {
    const ran = await owner.rest.serverlessFunctionInvoke!({
      id,
      body: { input: { fails, n: 987_654 } },
      headers: depth,
    })
    expect(ran.body.status).toBe(fails ? 'FAILED' : 'SUCCEEDED')
    invocations.push(ran.body.invocationId)
  }
  const texts = async (who: Member): Promise<string[]> => {
    const answers = [await who.rest.serverlessFunctionInvocationList!({ id })]
    for (const invocationId of invocations)
      answers.push(await who.rest.serverlessFunctionInvocation!({ id, invocationId }))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    return answers.map(({ body }) => JSON.stringify(body))
  }
  for (const text of await texts(owner)) expect(text).toContain('987654')
  for (const text of await texts(admin)) expect(text).not.toContain('987654')
  const own = await functionOf(admin, 'export default (input) => input.n')
  const ran = await admin.rest.serverlessFunctionInvoke!({ id: own.id, body: { input: { n: 5 } }, headers: depth })
  const read = await admin.rest.serverlessFunctionInvocation!({ id: own.id, invocationId: ran.body.invocationId })
  expect(read.body).toMatchObject({ input: { n: 5 }, output: 5 })
})

it('an approver who does not see everything reads the codes of errors, and not their messages', async () => {
  const owner = await anOwner()
  const member = await restricted(owner.organizationId)
  const { id: recordId } = await account(owner, { annualRevenue: 987_654 })
  const fails = 'export default (input) => { throw new Error("Revenue " + input.revenue + " is wrong") }'
  const { apiName } = await functionOf(owner, fails)
  const steps = [
    {
      id: 'a',
      type: 'FUNCTION',
      config: { functionApiName: apiName, input: { revenue: '{{record.annualRevenue}}' } },
      onError: 'CONTINUE',
      next: 'b',
    },
    { id: 'b', type: 'APPROVAL', config: { approverIds: [member.userId] } },
  ]
  const run = await workflowsOf(platform).ran(owner, steps, { recordId }, { triggerEntity: 'ACCOUNT' })
  const answer = await member.rest.workflowRunApprove!({ id: run.id, stepId: 'b', body: {} })
  expect(answer.status).toBe(200)
  expect(answer.body.steps[0]).toMatchObject({ stepId: 'a', error: { code: 'FAILED' } })
  expect(JSON.stringify(answer.body)).not.toContain('987654')
  const seen = await owner.rest.workflowRun!({ id: run.id })
  expect(seen.body.steps[0].error.message).toBe('Revenue 987654 is wrong')
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'
import { answerJson, Service } from './service.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let service: Service
let owner: Member
beforeAll(async () => {
  service = await Service.start()
  owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
  const credential = { apiName: 'erp', label: 'ERP', baseUrl: service.origin, authType: 'NONE' }
  const rest = restClient(platform.contract, platform.url, {
    Authorization: `Bearer ${await sessionOf(platform, owner)}`,
  })
  const { status } = await rest.namedCredentialCreate!({ body: credential })
  if (status !== 201) throw new Error(`The credential was not created: ${status}.`)
})
afterAll(() => service.close())

it.each([
  ['serverlessFunctionInvoke', { headers: { 'x-service-function-depth': '0' } }],
  ['serverlessFunctionTest', {}],
])(
  '%s answers and logs a run that has ended, although the function was deleted meanwhile',
  async (operation, given) => {
    const source = `export default async (input, { credentials }) => (await credentials.fetch('erp', '/')).status`
    const body = { apiName: 'short', name: 'Short', language: 'javascript', source, httpEnabled: true }
    const created = await owner.rest.serverlessFunctionCreate!({ body })
    expect([created.status, created.body.errors]).toEqual([201, undefined])
    const { id } = created.body
    let deleted = 0
    service.respond = async (res) => {
      deleted = (await owner.rest.serverlessFunctionDelete!({ id })).status
      answerJson(res, 200, {})
    }
    const answer = await owner.rest[operation]!({ id, body: {}, ...given })
    expect([deleted, answer.status, answer.body.status, answer.body.output]).toEqual([200, 200, 'SUCCEEDED', 200])
    const logged = await platform.query(
      'select id, status from extensions.function_invocation where function_id = $1',
      [id],
    )
    expect(logged).toEqual([{ id: answer.body.invocationId, status: 'SUCCEEDED' }])
    expect((await owner.rest[operation]!({ id, body: {}, ...given })).body.code).toBe('NOT_FOUND')
  },
)

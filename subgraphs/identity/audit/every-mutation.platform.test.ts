import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parse, type ConstDirectiveNode, type ConstObjectValueNode } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schemaPath } from '../../kernel/config/paths.ts'
import { useIdentity } from '../identity.fixture.ts'
import { mutations, unaudited } from './mutations.fixture.ts'
import { callOf, aScenario } from './scenario.fixture.ts'

const world = useIdentity()
const provider = createServer((_req, res) =>
  res.writeHead(200, { 'content-type': 'application/json' }).end('{"access_token": "t"}'),
)

beforeAll(async () => {
  await once(provider.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const zoom = { name: 'zoom', authorizeUrl: `${origin}/authorize`, tokenUrl: `${origin}/token`, scope: '' }
  const meetingProviders = [{ ...zoom, clientId: 'crm', clientSecret: 's' }]
  Object.assign(world.services, { settings: { ...world.services.settings, meetingProviders } })
})
afterAll(() => provider.close())

const graphOf = ({ name, arguments: args }: ConstDirectiveNode): string | null => {
  const graph = name.value === 'join__field' ? args?.find((argument) => argument.name.value === 'graph') : null
  return graph ? (graph.value as unknown as ConstObjectValueNode & { value: string }).value : null
}

/** All mutations of the identity subgraph. */
function identityMutations(): string[] {
  const { definitions } = parse(readFileSync(schemaPath('supergraph.graphql'), 'utf8'))
  return definitions
    .flatMap((node) => (node.kind === 'ObjectTypeDefinition' && node.name.value === 'Mutation' ? node.fields! : []))
    .filter(({ directives }) => directives?.some((directive) => graphOf(directive) === 'IDENTITY'))
    .map(({ name }) => name.value)
}

const actions = async (): Promise<string[]> =>
  (await world.query<{ action: string }>('select action from identity.audit_entry order by id')).map(
    ({ action }) => action,
  )

/** Events without an audit entry of the same statement; rows of one statement have the same transaction and command. */
const eventsWithoutEntry = () =>
  world.query(
    `select e.type from kernel.event e where not exists (
       select from identity.audit_entry a
       where a.target_id = e.record_id::text and (a.xmin::text, a.cmin::text) = (e.xmin::text, e.cmin::text))`,
  )

describe('the audit log', () => {
  it('is written by every mutation of the identity subgraph, except those that are listed with a reason', () => {
    const listed = [...Object.keys(mutations), ...Object.keys(unaudited)]
    expect(listed.toSorted()).toEqual(identityMutations().toSorted())
    expect(Object.values(unaudited).every(({ why }) => why.length > 20)).toBe(true)
  })

  it.each(Object.entries(mutations))('has entries of %s', async (name, { actions: expected, prepare }) => {
    const call = await callOf(await aScenario(world), prepare)
    const before = await actions()
    const { codes } = await world.run(`mutation { ${name}${call.text} }`, call.variables, call.caller)
    expect(codes).toEqual([])
    expect((await actions()).slice(before.length).toSorted()).toEqual([...expected].sort())
    expect(await eventsWithoutEntry()).toEqual([])
  })

  it.each(Object.entries(unaudited))('has no entry of %s', async (name, { prepare }) => {
    const call = await callOf(await aScenario(world), prepare)
    const before = await actions()
    const { codes } = await world.run(`mutation { ${name}${call.text} }`, call.variables, call.caller)
    expect([codes, await actions()]).toEqual([[], before])
  })

  it.each([
    ['update', `update identity.audit_entry set action = 'x.y'`],
    ['update without rows', `update identity.audit_entry set action = 'x.y' where false`],
    ['delete', 'delete from identity.audit_entry'],
    [
      'overwrite',
      `insert into identity.audit_entry select * from identity.audit_entry limit 1
       on conflict (organization_id, id) do update set action = 'x.y'`,
    ],
    ['merge', `merge into identity.audit_entry e using (select 1) s on true when matched then delete`],
    ['truncate', 'truncate identity.audit_entry'],
  ])('refuses %s to the role of requests and to the owner of the table', async (_what, statement) => {
    const { organizationId } = await aScenario(world)
    const before = await actions()
    const attempt = (role: string) =>
      world.services.database.transaction(async (sql) => {
        await sql.query(`set local role ${role}`)
        await sql.query(`select set_config('app.organization_id', $1, true)`, [organizationId])
        await sql.query(statement)
      })
    await expect(attempt('crm_app')).rejects.toMatchObject({ code: '42501' })
    await expect(attempt('none')).rejects.toMatchObject({ code: '42501' })
    expect(await actions()).toEqual(before)
  })
})

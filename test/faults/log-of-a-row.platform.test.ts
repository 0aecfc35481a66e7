import { expect, it } from 'vitest'
import { crm } from '../../subgraphs/crm/subgraph.ts'
import { openLog } from '../../subgraphs/kernel/log.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { LocalSubgraph } from '../../subgraphs/kernel/subgraph/local.ts'
import { buildSubgraph } from '../../subgraphs/kernel/subgraph/subgraph.ts'
import { usePlatform } from '../platform.ts'

const platform = usePlatform()

it('An insert that the database refuses for no known reason is logged without the row', async () => {
  await platform.query(`alter table crm.account add constraint never check (tier <> 'never')`)
  const lines: string[] = []
  const log = openLog('trace', { write: (line: string) => void lines.push(line) })
  const services = { ...platform.services, log }
  const subgraph = new LocalSubgraph('crm', await buildSubgraph(crm), services)
  const { caller } = systemContext(services, await platform.organization())
  const { userId } = await platform.member({ organizationId: caller.organizationId })

  const { data, errors } = await subgraph.execute({
    document: 'mutation($input: AccountCreateInput!) { accountCreate(input: $input) { id } }',
    variables: { input: { name: 'Ann Lee', phone: '+47 555 12 345', tier: 'never', metadata: { secret: 'word' } } },
    context: { caller: { ...caller, kind: 'SESSION', role: 'OWNER', userId }, requestId: 'req_1', idempotency: null },
  })

  expect(data).toEqual({ accountCreate: null })
  expect(errors?.map(({ message, extensions }) => [message, extensions])).toEqual([
    ['Something went wrong on our side.', { code: 'INTERNAL' }],
  ])
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({
    requestId: 'req_1',
    err: {
      code: '23514',
      schema: 'crm',
      table: 'account',
      constraint: 'never',
      message: 'new row for relation "account" violates check constraint "never"',
    },
  })
  for (const value of ['Ann Lee', '555', 'secret', 'Failing row', userId]) expect(lines[0]).not.toContain(value)
})

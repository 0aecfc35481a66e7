import { expect, it } from 'vitest'
import { identity } from '../../subgraphs/identity/subgraph.ts'
import { openLog } from '../../subgraphs/kernel/log.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { LocalSubgraph } from '../../subgraphs/kernel/subgraph/local.ts'
import { buildSubgraph } from '../../subgraphs/kernel/subgraph/subgraph.ts'
import { usePlatform } from '../platform.ts'

const platform = usePlatform()

it('logs an insert that an unknown constraint refuses without the values of the row', async () => {
  // PostgreSQL includes the row in the error for roles that bypass row-level security, which cross-tenant statements use.
  await platform.query(`alter table identity.person add constraint never check (first_name <> 'Never')`)
  const lines: string[] = []
  const log = openLog('trace', { write: (line: string) => void lines.push(line) })
  const services = { ...platform.services, log }
  const subgraph = new LocalSubgraph(identity.name, await buildSubgraph(identity), services)
  const { caller } = systemContext(services, await platform.organization())

  const input = { email: 'never@example.com', password: 'Correct horse 7!', firstName: 'Never', lastName: 'Lee' }
  const { errors } = await subgraph.execute({
    document: 'mutation($input: RegisterInput!) { authRegister(input: $input) { __typename } }',
    variables: { input },
    context: { caller, requestId: 'req_1', idempotency: null },
  })

  expect(errors?.map(({ message, extensions }) => [message, extensions])).toEqual([
    ['Something went wrong on our side.', { code: 'INTERNAL' }],
  ])
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({
    requestId: 'req_1',
    err: {
      code: '23514',
      schema: 'identity',
      table: 'person',
      constraint: 'never',
      message: 'new row for relation "person" violates check constraint "never"',
    },
  })
  for (const value of ['never@example.com', 'Lee', 'argon2', 'Failing row']) expect(lines[0]).not.toContain(value)
})

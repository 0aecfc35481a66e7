import { beforeAll, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, supportCase } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member()
})

const aKey = () => ({ 'Idempotency-Key': newId() })
// One subgraph returns the account, another its cases, and the first again the accounts of the cases.
const update = `mutation($id: ID!, $industry: String, $more: Boolean = true) {
  accountUpdate(id: $id, input: { industry: $industry }) {
    version cases(first: 5) @include(if: $more) { totalCount nodes { subject account { name industry } } } } }`

it('replays the data of other subgraphs, although it has changed since', async () => {
  const { id } = await account(member, { name: 'Northwind' })
  await supportCase(member, { accountId: id, subject: 'First' })
  const headers = aKey()
  const first = await member.graphql(update, { id, industry: 'Fishing' }, headers)
  const about = { name: 'Northwind', industry: 'Fishing' }
  expect(first.body).toEqual({
    data: {
      accountUpdate: { version: 2, cases: { totalCount: 1, nodes: [{ subject: 'First', account: about }] } },
    },
  })
  await supportCase(member, { accountId: id, subject: 'Second' })
  await member.rest.accountUpdate!({ id, body: { name: 'Southwind' } })

  const replay = await member.graphql(update, { id, industry: 'Fishing' }, headers)
  expect([replay.body, replay.headers.get('idempotent-replayed')]).toEqual([first.body, 'true'])
  const other = await member.graphql(update, { id, industry: 'Forestry' }, headers)
  expect(other.body.errors[0].extensions.code).toBe('IDEMPOTENCY_KEY_REUSED')
  const anew = await member.graphql(update, { id, industry: 'Fishing' }, aKey())
  expect(anew.body.data.accountUpdate.cases.totalCount).toBe(2)
})

it('reads again the data that other subgraphs failed to return the first time', async () => {
  const { id } = await account(member)
  await supportCase(member, { accountId: id })
  const headers = aKey()
  const ask = () => member.graphql(update, { id, industry: 'Fishing' }, headers)
  const answers = await platform.services.database.transaction(async (sql) => {
    await sql.query('lock table support."case" in access exclusive mode')
    const pending = ask()
    await expect.poll(() => platform.waitingForLocks(), { interval: 1, timeout: 5000 }).toBe(2)
    await sql.query(
      `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return [await pending]
  })
  expect(answers[0]!.body.data.accountUpdate).toEqual({ version: 2, cases: null })
  const again = await ask()
  expect([again.body.data.accountUpdate.cases.totalCount, again.headers.get('idempotent-replayed')]).toEqual([
    1,
    'true',
  ])
})

import { beforeAll, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { graphqlClient } from '../rest-client.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member({ role: 'OWNER' })
})

it.each([null, 'MEMBER'])('a null role or visibility of an invitation means the default: %s', async (role) => {
  const session = graphqlClient(platform.url, { authorization: `Bearer ${await sessionOf(platform, member)}` })
  const email = `p${newId()}@example.com`
  const invite = 'mutation($input: PartnerInviteInput!) { partnerInvite(input: $input) { email } }'
  const { body } = await session(invite, { input: { email, role, visibility: null } })
  expect(body).toEqual({ data: { partnerInvite: { email } } })
  const [row] = await platform.query(
    'select u.role, u.visibility from identity.app_user u join identity.person p on p.id = u.person_id where p.email = $1',
    [email],
  )
  expect(row).toEqual({ role: 'MEMBER', visibility: 'OWN' })
})

it.each<[string, object]>([
  ['{ accountList(page: null, limit: null, orderBy: [{field: null, direction: null}]) { page limit } }', {}],
  [
    'query($p: Int, $l: Int = 5, $o: [AccountOrder!]) { accountList(page: $p, limit: $l, orderBy: $o) { page limit } }',
    { p: null, l: null, o: [{ field: null, direction: null }] },
  ],
])('Null is the default of a list: %s', async (query, variables) => {
  expect((await member.graphql(query, variables)).body).toEqual({ data: { accountList: { page: 1, limit: 20 } } })
})

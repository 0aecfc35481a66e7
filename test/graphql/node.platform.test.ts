import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, contact, invoice, opportunity, product, quote, supportCase, task } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { statementsOf } from '../statements.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member()
})

const query = `query Refetch($id: ID!) { node(id: $id) { __typename id ...Shown } }
  fragment Shown on Node { ... on Account { name owner { id } } ... on Case { subject } }`
const onlyId = 'query($id: ID!) { node(id: $id) { __typename id } }'
const read = async (who: Member, id: string, document = query) => (await who.graphql(document, { id })).body

describe('node', () => {
  it('is the record with the id, with the fields of its type', async () => {
    const { id } = await account(member, { name: 'Fjordline' })
    const owner = { id: member.userId }
    expect(await read(member, id)).toEqual({ data: { node: { __typename: 'Account', id, name: 'Fjordline', owner } } })
    expect(await read(member, id.toUpperCase(), onlyId)).toEqual({ data: { node: { __typename: 'Account', id } } })
    const { id: caseId } = await supportCase(member, { subject: 'Labels' })
    expect(await read(member, caseId)).toEqual({
      data: { node: { __typename: 'Case', id: caseId, subject: 'Labels' } },
    })
  })

  it.each<[string, (who: Member) => Promise<{ id: string }>]>([
    ['Contact', contact],
    ['Opportunity', opportunity],
    ['Task', (who) => task(who, { subject: 'Call' })],
    ['Product', product],
    ['Quote', quote],
    ['Invoice', invoice],
  ])('finds a %s', async (type, create) => {
    const { id } = await create(member)
    expect(await read(member, id, onlyId)).toEqual({ data: { node: { __typename: type, id } } })
  })

  it('is null for an id that names nothing which the caller sees', async () => {
    const none = { data: { node: null } }
    const { id: theirs } = await account(
      await platform.member({ organizationId: await platform.organization('Other') }),
    )
    const { id: deleted } = await account(member)
    await member.rest.accountDelete!({ id: deleted })
    const { id: unseen } = await account(member)
    const own = await platform.member({ organizationId: member.organizationId, visibility: 'OWN' })
    for (const id of [newId(), 'account-1', '', theirs, deleted]) expect(await read(member, id)).toEqual(none)
    expect(await read(own, unseen)).toEqual(none)
  })

  it('is null for a record of a type whose scope the credential lacks, as for an unknown id', async () => {
    const { organizationId } = member
    const cases = await platform.member({ organizationId, scopes: ['READ_CASES'] })
    const { id } = await account(member)
    const { id: caseId } = await supportCase(member)
    expect(await read(cases, id, onlyId)).toEqual({ data: { node: null } })
    expect(await read(cases, caseId, onlyId)).toEqual({ data: { node: { __typename: 'Case', id: caseId } } })
    // The document names the type, so it needs its scope, whatever the id is.
    const refused = await cases.graphql(query, { id: caseId })
    expect([refused.status, refused.body.errors[0].extensions]).toMatchObject([
      403,
      { code: 'API_KEY_SCOPE_INSUFFICIENT', missingScopes: ['READ_ACCOUNTS'] },
    ])
  })

  it('is found by one statement', async () => {
    const { id } = await product(member)
    const statements = await statementsOf(platform, () => read(member, id, onlyId))
    expect(statements).toHaveLength(1)
  })
})

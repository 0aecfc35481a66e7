import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, each, supportCase } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { statementsOf } from '../statements.ts'

const platform = usePlatform()
let member: Member
let accounts: { id: string; name: string }[]

const data = async (query: string, variables: object = {}, who = member) => {
  const { body } = await who.graphql(query, variables)
  expect(body.errors).toBe(undefined)
  return body.data
}
const names = (records: { name?: string; subject?: string }[]) => records.map(({ name, subject }) => name ?? subject)

// Ten accounts: 1 is the parent of 2 to 9, 2 is the parent of 0. Account n has n cases with three comments each; 9 also has a
// deleted case.
beforeAll(async () => {
  member = await platform.member()
  accounts = []
  for (const name of ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0']) {
    platform.advanceClock(1000)
    const parentAccountId = name === '1' ? null : name === '0' ? accounts[1]!.id : accounts[0]!.id
    accounts.push(await account(member, { name, parentAccountId }))
  }
  for (const { id, name } of accounts) {
    for (let number = 1; number <= Number(name); number++) {
      platform.advanceClock(1000)
      const priority = number % 2 ? 'HIGH' : 'LOW'
      const { id: caseId } = await supportCase(member, { subject: `${name}.${number}`, accountId: id, priority })
      if (number === 1)
        await each(['a', 'b', 'c'], (body) =>
          member.rest.caseCommentCreate!({ id: caseId, body: { body, isInternal: true } }),
        )
    }
  }
  const gone = await supportCase(member, { accountId: accounts[8]!.id })
  await member.rest.caseDelete!({ id: gone.id })
  await supportCase(member, { subject: 'alone' })
})

describe('Account.cases', () => {
  it('has a separate page, order, filter and count for every account', async () => {
    const { accountList } =
      await data(`{ accountList(filter: { name: { in: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"] } }, orderBy: [{ field: name, direction: ASC }]) { data { name
      cases(first: 2, filter: { priority: { eq: HIGH } }, orderBy: [{ field: caseNumber, direction: ASC }]) {
        totalCount nodes { subject } pageInfo { hasNextPage } } } } }`)
    expect(
      accountList.data.map(({ name, cases }: never) => [
        name,
        names((cases as { nodes: [] }).nodes),
        (cases as { totalCount: number }).totalCount,
        (cases as { pageInfo: { hasNextPage: boolean } }).pageInfo.hasNextPage,
      ]),
    ).toEqual([
      ['0', [], 0, false],
      ['1', ['1.1'], 1, false],
      ['2', ['2.1'], 1, false],
      ['3', ['3.1', '3.3'], 2, false],
      ['4', ['4.1', '4.3'], 2, false],
      ['5', ['5.1', '5.3'], 3, true],
      ['6', ['6.1', '6.3'], 3, true],
      ['7', ['7.1', '7.3'], 4, true],
      ['8', ['8.1', '8.3'], 4, true],
      ['9', ['9.1', '9.3'], 5, true],
    ])
  })

  it('continues after a cursor, newest first by default', async () => {
    const query =
      'query ($id: ID!, $after: String) { account(id: $id) { cases(first: 4, after: $after) { totalCount edges { cursor node { subject } } pageInfo { hasNextPage endCursor } } } }'
    const pages: string[][] = []
    for (let after: string | null = null, more = true; more;) {
      const { account: found } = await data(query, { id: accounts[8]!.id, after })
      const { totalCount, edges, pageInfo } = found.cases
      expect(totalCount).toBe(9)
      pages.push(edges.map(({ node }: { node: { subject: string } }) => node.subject))
      after = pageInfo.endCursor as string
      more = pageInfo.hasNextPage as boolean
    }
    expect(pages).toEqual([['9.9', '9.8', '9.7', '9.6'], ['9.5', '9.4', '9.3', '9.2'], ['9.1']])
  })

  it('searches the cases of each account', async () => {
    const { account: found } = await data(
      'query ($id: ID!) { account(id: $id) { cases(search: ".3") { totalCount nodes { subject } } } }',
      { id: accounts[4]!.id },
    )
    expect(found.cases).toEqual({ totalCount: 1, nodes: [{ subject: '5.3' }] })
  })

  it('refuses the same arguments as a list', async () => {
    const { body } = await member.graphql(
      'query ($id: ID!) { account(id: $id) { cases(first: 101) { totalCount } } }',
      { id: accounts[0]!.id },
    )
    expect([body.errors[0].extensions.code, body.errors[0].path]).toEqual(['VALIDATION_FAILED', ['account', 'cases']])
  })
})

describe('Account.children and Account.parent', () => {
  it('return the children and the parent, with a separate page for each account', async () => {
    const { accountList } =
      await data(`{ accountList(filter: { name: { in: ["0", "1", "2"] } }, orderBy: [{ field: name, direction: ASC }]) { data { name
      parent { name parent { name } }
      children(first: 3, orderBy: [{ field: name, direction: DESC }]) { totalCount nodes { name } pageInfo { hasNextPage } } } } }`)
    const page = (nodes: string[], totalCount: number, hasNextPage: boolean) => ({
      totalCount,
      nodes: nodes.map((name) => ({ name })),
      pageInfo: { hasNextPage },
    })
    expect(accountList.data).toEqual([
      { name: '0', parent: { name: '2', parent: { name: '1' } }, children: page([], 0, false) },
      { name: '1', parent: null, children: page(['9', '8', '7'], 8, true) },
      { name: '2', parent: { name: '1', parent: null }, children: page(['0'], 1, false) },
    ])
  })

  it('is null without an error when the parent is deleted', async () => {
    const parent = await account(member, { name: 'Gone' })
    const { id } = await account(member, { parentAccountId: parent.id })
    await member.rest.accountDelete!({ id: parent.id })
    expect(
      (await data('query ($id: ID!) { account(id: $id) { parentAccountId parent { name } } }', { id })).account,
    ).toEqual({ parentAccountId: parent.id, parent: null })
  })
})

describe('Case.account and Case.comments', () => {
  it('return the account and pages of comments', async () => {
    const { caseList } =
      await data(`{ caseList(filter: { subject: { in: ["1.1", "2.2", "alone"] } }, orderBy: [{ field: caseNumber, direction: ASC }]) { data { subject
      account { name parent { name } }
      comments(first: 2, orderBy: [{ field: body, direction: ASC }]) { totalCount nodes { body isInternal } pageInfo { hasNextPage } } } } }`)
    const none = { totalCount: 0, nodes: [], pageInfo: { hasNextPage: false } }
    const nodes = [
      { body: 'a', isInternal: true },
      { body: 'b', isInternal: true },
    ]
    expect(caseList.data).toEqual([
      {
        subject: '1.1',
        account: { name: '1', parent: null },
        comments: { totalCount: 3, nodes, pageInfo: { hasNextPage: true } },
      },
      { subject: '2.2', account: { name: '2', parent: { name: '1' } }, comments: none },
      { subject: 'alone', account: null, comments: none },
    ])
  })

  it('is null without an error when the account is deleted', async () => {
    const { id: accountId } = await account(member)
    const { id } = await supportCase(member, { accountId })
    await member.rest.accountDelete!({ id: accountId })
    expect((await data('query ($id: ID!) { case(id: $id) { accountId account { name } } }', { id })).case).toEqual({
      accountId,
      account: null,
    })
  })
})

describe('account and case', () => {
  it.each(['account', 'case', 'product'])('{ %s } is null with NOT_FOUND for an unknown id', async (root) => {
    const { body } = await member.graphql(`query ($id: ID!) { ${root}(id: $id) { id } }`, { id: newId() })
    expect([body.data, body.errors[0].extensions.code]).toEqual([{ [root]: null }, 'NOT_FOUND'])
  })
})

describe('the number of statements', () => {
  it.each<[string, number, string]>([
    ['one account', 1, '{ accountList(limit: 1) { data { name } } }'],
    ['ten accounts', 1, '{ accountList(limit: 10) { data { name } } }'],
    ['ten accounts and their total', 1, '{ accountList(limit: 10) { total data { name } } }'],
    ['ten accounts with their parents', 2, '{ accountList(limit: 10) { data { name parent { name } } } }'],
    ['ten accounts with two generations', 3, '{ accountList(limit: 10) { data { parent { parent { name } } } } }'],
    ['ten accounts with their children', 2, '{ accountList(limit: 10) { data { children { nodes { name } } } } }'],
    [
      'ten accounts with their children and total counts',
      3,
      '{ accountList(limit: 10) { data { children { totalCount nodes { name } } } } }',
    ],
    [
      'ten accounts with their cases',
      2,
      '{ accountList(limit: 10) { data { cases(first: 10) { nodes { subject } } } } }',
    ],
    [
      'ten accounts with two lists of cases',
      3,
      '{ accountList(limit: 10) { data { a: cases(first: 1) { nodes { subject } } b: cases(first: 2) { nodes { subject } } } } }',
    ],
    [
      'ten accounts with cases, parent and children',
      4,
      '{ accountList(limit: 10) { data { parent { name } children(first: 5) { nodes { name } } cases(first: 5) { nodes { subject } } } } }',
    ],
    [
      'ten accounts with cases and their comments',
      3,
      '{ accountList(limit: 10) { data { cases(first: 5) { nodes { comments { nodes { body } } } } } } }',
    ],
    ['fifty cases with their accounts', 2, '{ caseList(limit: 50) { data { subject account { name } } } }'],
    [
      'fifty cases with their accounts and their cases',
      3,
      '{ caseList(limit: 50) { data { account { name cases(first: 2) { nodes { subject } } } } } }',
    ],
    [
      'ten accounts as a connection',
      1,
      '{ accountConnection(first: 10) { edges { cursor node { name } } pageInfo { endCursor } } }',
    ],
    [
      'accounts in a range of the sort order',
      1,
      '{ accountList(filter: { createdAt: { lt: "2000-01-01T00:00:00Z" } }) { data { name } } }',
    ],
    ['accounts of an industry', 1, '{ accountList(filter: { industry: { eq: "none" } }) { data { name } } }'],
    ['statistics', 2, '{ accountStats { total byType { CUSTOMER } } }'],
  ])('for %s is %d', async (_, count, query) => {
    await data(query)
    const statements = await statementsOf(platform, () => data(query))
    expect(statements.length, statements.join('\n')).toBe(count)
  })
})

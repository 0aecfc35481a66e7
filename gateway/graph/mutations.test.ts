import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import { Graph } from './graph.ts'
import { LoadedSupergraph } from './supergraph.ts'

const supergraphSdl = readFileSync(schemaPath('supergraph.graphql'), 'utf8')
const { subgraphNames } = new LoadedSupergraph(supergraphSdl)
const endpoints = subgraphNames.map((name) => ({
  name,
  execute: () => Promise.reject(new Error('a refused operation calls no subgraph')),
}))
const graph = Graph.create({ supergraph: supergraphSdl, endpoints })

const login = 'authLogin(input: { email: "a@b.example", password: "x" }) { __typename }'
const forgot = 'authForgotPassword(input: { email: "a@b.example" }) { __typename }'
const remove = (alias: string): string => `${alias}: accountDelete(id: "019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26")`

describe('mutations that check a secret, send a mail or change the account of the caller', () => {
  it.each([
    ['the same twice', `mutation { a: ${login} b: ${login} }`, 'authLogin'],
    ['two of them', `mutation { ${login} ${forgot} }`, 'authLogin, authForgotPassword'],
    ['one after others', `mutation { ${login} ${remove('a')} b: ${login} }`, 'authLogin'],
    [
      'two in fragments',
      `mutation { ...A ... { ${forgot} } } fragment A on Mutation { ${login} }`,
      'authLogin, authForgotPassword',
    ],
    [
      'one that is left out',
      `mutation ($no: Boolean = false) { ${login} ... @include(if: $no) { ${forgot} } }`,
      'authLogin, authForgotPassword',
    ],
    ['those of sessions', 'mutation { a: authLogout { __typename } b: authLogout { __typename } }', 'authLogout'],
  ])('are refused: %s', (_what, document, names) => {
    expect(() => graph.prepare(document)).toThrow(
      expect.objectContaining({
        status: 400,
        message: `Send each of ${names} in a separate request.`,
        extensions: { code: 'ONE_MUTATION_PER_REQUEST' },
      }),
    )
  })

  it('are accepted one per request, also if it is merged several times or there are other fields', () => {
    expect(graph.prepare(`mutation { ${login} ${login} }`).requests).toBe(1)
    expect(graph.prepare(`mutation { ${login} ${remove('a')} }`).requests).toBe(2)
  })

  it('include all mutations without a required scope', () => {
    const tagged = (line: string): boolean => line.includes('@tag(name: "one-per-request")')
    const mutations = /\ntype Mutation[\s\S]*?\n}/.exec(supergraphSdl)![0].split('\n')
    const open = mutations.filter((line) => line.includes('@requiresScopes(scopes: [["PUBLIC"]])'))
    expect(open.length).toBeGreaterThan(0)
    expect(open.filter((line) => !tagged(line))).toEqual([])
  })
})

describe('an operation counts', () => {
  it.each([
    ['{ __typename }', 1],
    ['{ a: account(id: "1") { id } b: account(id: "2") { id } }', 1],
    [`mutation { ${remove('a')} }`, 1],
    [
      `mutation { ${remove('a')} ${remove('b')} ...More } fragment More on Mutation { ${remove('b')} ${remove('c')} }`,
      3,
    ],
    ['mutation { __typename }', 1],
  ])('%s as %i requests', (document, requests) => {
    expect(graph.prepare(document).requests).toBe(requests)
  })
})

import { describe, expect, it } from 'vitest'
import { composeSupergraph } from './compose.ts'

const sdl = (field: string): string => `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@requiresScopes"])
  type Query { ${field} }
  type Box @key(fields: "id") @requiresScopes(scopes: [["READ_BOXES"]]) { id: ID! }`

describe('composeSupergraph', () => {
  it('keeps the scopes and gives each subgraph an address', () => {
    const supergraph = composeSupergraph([
      { name: 'one', sdl: sdl('box: Box') },
      { name: 'two', sdl: sdl('boxes: [Box]'), url: 'http://two.example' },
    ])
    expect(supergraph).toContain('ONE @join__graph(name: "one", url: "local://one")')
    expect(supergraph).toContain('TWO @join__graph(name: "two", url: "http://two.example")')
    expect(supergraph).toContain('@requiresScopes(scopes: [["READ_BOXES"]])')
  })

  it('gives the same supergraph for any order of the subgraphs', () => {
    const subgraphs = [
      { name: 'one', sdl: sdl('box: Box') },
      { name: 'two', sdl: sdl('boxes: [Box]') },
    ]
    expect(composeSupergraph(subgraphs.toReversed())).toBe(composeSupergraph(subgraphs))
  })

  it('names every conflict', () => {
    const subgraphs = [
      { name: 'one', sdl: sdl('size: Int') },
      { name: 'two', sdl: sdl('size: String') },
    ]
    expect(() => composeSupergraph(subgraphs)).toThrow(
      'The subgraphs do not compose into one supergraph:\n- Type of field "Query.size" is incompatible across subgraphs',
    )
  })
})

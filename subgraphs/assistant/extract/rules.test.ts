import { describe, expect, it } from 'vitest'
import { artifactsIn, candidatesIn } from './rules.ts'

describe('names of companies', () => {
  it('are those with a legal form, and those after a preposition', () => {
    const found = candidatesIn('We met Halvorsen Marine AS, and Ida from Nordlys Shipping. Yesterday it rained.')
    expect(found.filter(({ confidence }) => confidence > 0)).toEqual([
      { name: 'Halvorsen Marine AS', index: 7, confidence: 0.9 },
      { name: 'Nordlys Shipping', index: 41, confidence: 0.5 },
    ])
  })

  it.each(['A', 'A ', 'A&', '& ', 'at A', 'A de ', 'Aa.', '| ', '- ', '```\n'])(
    'are looked for in time that does not grow with the square of a text of %j',
    (part) => {
      const text = part.repeat(Math.ceil(20_000 / part.length))
      const before = process.cpuUsage()
      candidatesIn(text)
      artifactsIn(text)
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1000).toBeLessThan(250)
    },
  )
})

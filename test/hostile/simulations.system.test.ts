import { beforeAll, describe, expect, it } from 'vitest'
import { opportunity } from '../builders.ts'
import { ran, scenario } from '../insights/scenario.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let attacker: Member
let other: Member

beforeAll(async () => {
  attacker = await platform.member()
  other = await platform.member({ organizationId: await platform.organization('Elsewhere') })
})

describe('the simulations of one organization at their bound', () => {
  it('let another one compare scenarios, run one and read, before the rest of them is done', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, at) => opportunity(attacker, { name: `Deal ${at}`, amount: at })))
    const few = { scenarios: [{ adjustments: [] }, { adjustments: [] }], iterations: 1000 }
    // 5 x 100 deals x 100,000 runs are all draws that a request may ask for.
    const many = { scenarios: Array.from({ length: 5 }, () => ({ adjustments: [] })), iterations: 100_000 }
    const ended: string[] = []
    const note = async <T>(name: string, answer: Promise<T>): Promise<T> => answer.finally(() => ended.push(name))
    const attack = Array.from({ length: 4 }, () => note('attacker', attacker.rest.scenarioCompare!({ body: many })))
    // It is answered after the requests of the attack, which it follows, have begun.
    expect((await attacker.rest.opportunityList!()).status).toBe(200)
    const compared = await note('other', other.rest.scenarioCompare!({ body: few }))
    const { id } = await scenario(other)
    const { status } = await ran(platform, other, id)
    const read = await other.rest.opportunityList!()
    expect([compared.status, status, read.status]).toEqual([200, 'COMPLETED', 200])
    expect(ended.slice(0, 2)).toContain('other')
    expect(ended.length).toBeLessThan(5)
    expect((await Promise.all(attack)).map((answer) => answer.status)).toEqual(Array(4).fill(200))
  })
})

import { describe, expect, it } from 'vitest'
import { Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { refuseBatches, refuseInvalid } from './check-input.ts'
import type { EngagementEntityInput } from './engagement.inputs.ts'

const entities = (length: number, more: Partial<EngagementEntityInput> = {}): EngagementEntityInput[] =>
  Array.from({ length }, (_, index) => ({ id: `e${index}`, type: 'ACCOUNT', ...more }))

function problemsOf(check: () => void): string[] {
  try {
    check()
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    return (thrown.extensions['errors'] as FieldProblem[]).map(({ path, code }) => `${path} ${code}`)
  }
  return []
}

const one = (list: EngagementEntityInput[]) =>
  problemsOf(() => refuseInvalid([['input', { entities: list }]], 'input.entities'))
const activity = { type: 'MEETING', timestamp: '2026-11-21T00:00:00.000Z' }
const relationship = { targetId: 'e1', type: 'PARENT_OF' }

describe('the bounds of a request', () => {
  it('are 5,000 entities, 50,000 activities and 50,000 relationships', () => {
    expect(one(entities(5_000))).toEqual([])
    expect(one(entities(5_001))).toEqual(['input.entities TOO_MANY'])
    const [some, many] = [10, 11].map((length) => Array.from({ length }, () => activity))
    expect(one(entities(5_000, { activities: some! }))).toEqual([])
    expect(
      one([...entities(4_999, { activities: some! }), { id: 'last', type: 'ACCOUNT', activities: many! }]),
    ).toEqual(['input.entities TOO_MANY'])
    const related = Array.from({ length: 10 }, () => relationship)
    expect(one(entities(5_000, { relationships: related }))).toEqual([])
    expect(one(entities(4_999, { relationships: [...related, relationship] }))).toEqual(['input.entities TOO_MANY'])
  })

  it('hold for all batches together, of which there are at most twenty', () => {
    const batches = [2_500, 2_501].map(
      (length, index) => [`input.batches.${index}`, { entities: entities(length) }] as const,
    )
    expect(problemsOf(() => refuseInvalid(batches, 'input.batches'))).toEqual(['input.batches TOO_MANY'])
    expect(problemsOf(() => refuseInvalid(batches.slice(0, 1), 'input.batches'))).toEqual([])
    expect([0, 1, 20, 21].map((count) => problemsOf(() => refuseBatches(count)))).toEqual([
      ['input.batches REQUIRED'],
      [],
      [],
      ['input.batches TOO_MANY'],
    ])
  })

  it('are named with their paths, at most fifty', () => {
    expect(
      one([{ id: 'a', type: 'A', relationships: [relationship, { ...relationship, strength: 1_000_001 }] }]),
    ).toEqual(['input.entities.0.relationships.1.strength OUT_OF_RANGE'])
    expect(one(entities(5_000, { id: 'same' }))).toHaveLength(50)
    const entity = { id: 'a'.repeat(256), type: 'A' }
    const part = { entities: [entity], place: 'input.entity' }
    expect(problemsOf(() => refuseInvalid([['input', part]], 'input.entity'))).toEqual(['input.entity.id TOO_LONG'])
  })
})

import { describe, expect, it } from 'vitest'
import { loopWithoutDelay, type OrderedStep } from './step-graph.ts'

type Change = Partial<OrderedStep>

const delayed: Change = { delayDays: 1 }
const leadsTo = (onTrueStepId: string | null, onFalseStepId: string | null = null): Change => ({
  type: 'CONDITION',
  condition: { conditions: [], logic: 'AND', onTrueStepId, onFalseStepId },
})

/** Steps with the ids `1`, `2` and so on, which are their positions. */
const steps = (...changes: Change[]): OrderedStep[] =>
  changes.map((change, index) => ({
    id: String(index + 1),
    position: index + 1,
    type: 'EMAIL',
    isActive: true,
    condition: null,
    delayDays: 0,
    delayHours: 0,
    delayFrom: 'PREVIOUS_STEP',
    ...change,
  }))

const loopOf = (...changes: Change[]): string[] | null =>
  loopWithoutDelay(steps(...changes))?.map(({ id }) => id) ?? null

describe('loopWithoutDelay', () => {
  it('finds a condition that leads back at once', () => {
    expect(loopOf({}, {}, leadsTo('1'))).toEqual(['1', '2', '3'])
    expect(loopOf({}, {}, leadsTo(null, '2'))).toEqual(['2', '3'])
    expect(loopOf({}, leadsTo('2'), {})).toEqual(['2'])
  })

  it('finds two conditions that lead to each other', () => {
    expect(loopOf(leadsTo('2', '3'), leadsTo('1', '3'), {})).toEqual(['1', '2'])
  })

  it('accepts ways forward and loops with a delay', () => {
    expect(loopOf({}, leadsTo('4', '3'), {}, {})).toBeNull()
    expect(loopOf({}, delayed, leadsTo('1'))).toBeNull()
    expect(loopOf({}, {}, { ...leadsTo('1'), ...delayed })).toBeNull()
    expect(loopOf()).toBeNull()
  })

  it('does not count a delay from the enrollment, which has passed when the loop comes back', () => {
    expect(loopOf({}, { ...delayed, delayFrom: 'ENROLLMENT' }, leadsTo('1'))).toEqual(['1', '2', '3'])
  })

  it('does not count the delay of a step that is passed over, nor a loop through an inactive condition', () => {
    expect(loopOf({}, { ...delayed, isActive: false }, leadsTo('1'))).toEqual(['1', '3'])
    expect(loopOf({}, {}, { ...leadsTo('1'), isActive: false })).toBeNull()
  })

  it('follows a condition to an inactive step to the first active one behind it', () => {
    expect(loopOf({ isActive: false }, {}, leadsTo('1'))).toEqual(['2', '3'])
    expect(loopOf({}, leadsTo('3'), { isActive: false })).toBeNull()
  })

  it('looks at 50 conditions that lead to each other at once', () => {
    const many = Array.from({ length: 50 }, (_, index) =>
      leadsTo(String(((index + 7) % 50) + 1), String(((index + 11) % 50) + 1)),
    )
    expect(loopOf(...many.map((step) => ({ ...step, ...delayed })))).toBeNull()
    expect(loopOf(...many)).not.toBeNull()
  })
})

import { describe, expect, it } from 'vitest'
import { weekdays } from '../../kernel/time/working-week.ts'
import type { ReadStep } from './sequence-reading.ts'
import type { SendWindow } from './send-window.ts'
import { branchOf, dueAt, firstStep, stepAfter, stepInPlaceOf, type Way } from './next-step.ts'

const step = (position: number, changed: Partial<ReadStep> = {}): ReadStep => ({
  id: `step ${position}`,
  sequenceId: 'sequence',
  position,
  type: 'EMAIL',
  name: null,
  delayDays: 0,
  delayHours: 0,
  delayFrom: 'PREVIOUS_STEP',
  templateId: null,
  subject: null,
  bodyHtml: null,
  bodyText: null,
  webhookUrl: null,
  replyInThread: false,
  variants: [],
  task: null,
  condition: null,
  updatedById: null,
  isActive: true,
  isDeleted: false,
  successorId: null,
  ...changed,
})

const always: SendWindow = { zone: 'UTC', days: new Set(weekdays), start: '00:00', end: '00:00', holidays: new Set() }

describe('the order of steps', () => {
  const steps = [step(1, { isActive: false }), step(2), step(3, { isActive: false }), step(4)]

  const way = (...executed: string[]): Way => ({ steps, executed: new Set(executed) })
  const byId = new Map(steps.map((one) => [one.id, one]))

  it('leaves out steps that are not active, and those that the round has executed', () => {
    expect(firstStep(steps)?.id).toBe('step 2')
    expect(stepAfter(way(), steps[1]!)?.id).toBe('step 4')
    expect(stepAfter(way(), steps[3]!)).toBeNull()
    expect(stepAfter(way('step 2'), steps[0]!)?.id).toBe('step 4')
  })

  it('goes on from the place of a step that was deleted or is not active', () => {
    const deleted = (id: string, successorId: string | null) => step(9, { id, isDeleted: true, successorId })
    const all = new Map([...byId, ['second', deleted('second', 'step 2')]])
    expect(stepInPlaceOf(way(), steps[2]!, all)?.id).toBe('step 4')
    expect(stepInPlaceOf(way(), deleted('first', 'second'), all)?.id).toBe('step 2')
    expect(stepInPlaceOf(way('step 2'), deleted('first', 'second'), all)?.id).toBe('step 4')
    expect(stepInPlaceOf(way(), deleted('last', null), all)).toBeNull()
    expect(stepInPlaceOf(way(), steps[1]!, all)?.id).toBe('step 2')
    const circle = new Map([['a', deleted('a', 'a')]])
    expect(stepInPlaceOf(way(), circle.get('a')!, circle)).toBeNull()
  })

  it('follows the branches of a condition, also back into the next round', () => {
    const leads = (onTrueStepId: string, onFalseStepId: string | null = null) =>
      ({ conditions: [], logic: 'AND', onTrueStepId, onFalseStepId }) as const
    const condition = step(5, { type: 'CONDITION', condition: leads('step 2') })
    const whole = (...executed: string[]): Way => ({
      steps: [...steps, condition, step(6)],
      executed: new Set(executed),
    })
    const branch = (on: Way, isMet: boolean, from = condition) => {
      const found = branchOf(on, from, isMet)
      return found && [found.step.id, found.isNextRound]
    }
    expect(branch(whole(), true)).toEqual(['step 2', false])
    expect(branch(whole('step 2', 'step 4'), true)).toEqual(['step 2', true])
    expect(branch(whole(), false)).toEqual(['step 6', false])
    expect(branch(whole('step 6'), false)).toBeNull()
    expect(branch(whole(), true, { ...condition, condition: leads('gone') })).toEqual(['step 6', false])
    expect(branch(whole(), true, { ...condition, condition: leads('step 3') })).toEqual(['step 4', false])
    expect(branch(whole(), true, { ...condition, condition: leads('step 5') })).toEqual(['step 5', true])
  })
})

describe('the time of a step', () => {
  const now = new Date('2026-11-23T10:00:00.000Z')
  const due = (changed: Partial<ReadStep>, enrolledAt = now, window = always) =>
    dueAt(step(1, changed), enrolledAt, now, window).toISOString()

  it('counts from the step before it or from the enrollment, and is never in the past', () => {
    const enrolled = new Date('2026-11-20T08:00:00.000Z')
    expect(due({ delayDays: 2, delayHours: 3 }, enrolled)).toBe('2026-11-25T13:00:00.000Z')
    expect(due({ delayDays: 5, delayFrom: 'ENROLLMENT' }, enrolled)).toBe('2026-11-25T08:00:00.000Z')
    expect(due({ delayDays: 1, delayFrom: 'ENROLLMENT' }, enrolled)).toBe(now.toISOString())
  })

  it('is in the send window for mails only', () => {
    const mornings = { ...always, start: '08:00', end: '09:00' }
    expect(due({}, now, mornings)).toBe('2026-11-24T08:00:00.000Z')
    expect(due({ type: 'TASK' }, now, mornings)).toBe(now.toISOString())
  })
})

import { describe, expect, it } from 'vitest'
import { weekdays } from '../../kernel/time/working-week.ts'
import type { ReadStep } from './sequence-reading.ts'
import type { SendWindow } from './send-window.ts'
import { branchOf, dueAt, firstStep, stepAfter, stepInPlaceOf } from './step-order.ts'

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
  replyInThread: false,
  variants: [],
  task: null,
  condition: null,
  isActive: true,
  isDeleted: false,
  ...changed,
})

const always: SendWindow = { zone: 'UTC', days: new Set(weekdays), start: '00:00', end: '00:00', holidays: new Set() }

describe('the order of steps', () => {
  const steps = [step(1, { isActive: false }), step(2), step(3, { isActive: false }), step(4)]

  it('leaves out steps that are not active', () => {
    expect(firstStep(steps)?.id).toBe('step 2')
    expect(stepAfter(steps, steps[1]!)?.id).toBe('step 4')
    expect(stepAfter(steps, steps[3]!)).toBeNull()
  })

  it('goes on from the place of a step that was deleted or is not active', () => {
    expect(stepInPlaceOf(steps, steps[2]!)?.id).toBe('step 4')
    expect(stepInPlaceOf(steps, step(2, { id: 'deleted', isDeleted: true }))?.id).toBe('step 2')
    expect(stepInPlaceOf(steps, step(5, { isDeleted: true }))).toBeNull()
    expect(stepInPlaceOf(steps, steps[1]!)?.id).toBe('step 2')
  })

  it('follows the branches of a condition, also back', () => {
    const condition = step(5, { type: 'CONDITION', condition: { onTrueStepId: 'step 2', onFalseStepId: null } })
    const all = [...steps, condition, step(6)]
    expect(branchOf(all, condition, true)?.id).toBe('step 2')
    expect(branchOf(all, condition, false)?.id).toBe('step 6')
    const lost = { ...condition, condition: { onTrueStepId: 'gone' } }
    expect(branchOf(all, lost, true)?.id).toBe('step 6')
    const resting = { ...condition, condition: { onTrueStepId: 'step 3' } }
    expect(branchOf(all, resting, true)?.id).toBe('step 4')
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

import { defaultsOf } from '../kernel/record/structure.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { Sequence } from '../outreach/sequence/sequence.ts'
import { SequenceSettings } from '../outreach/sequence/sequence-settings.ts'
import type { SequenceStep } from '../outreach/sequence/sequence-step.ts'
import { hourMs, iso } from './calendar.ts'
import { withHistory, type Step } from './history.ts'
import { commonFields, type DemoUser, type GeneratorInput } from './organization.ts'
import type { Random } from './random.ts'
import type { sequenceTexts, StepText } from './vocabulary/sequences.ts'

export type GeneratedStep = GeneratedRecord<SequenceStep>
type Common = ReturnType<typeof commonFields>

/** A sequence that was written, got its steps and was started. */
export function sequenceOf(
  random: Random,
  owner: DemoUser,
  common: Common,
  { name, description, steps }: (typeof sequenceTexts)[number],
  createdMs: number,
): GeneratedRecord<Sequence> {
  const added = steps.map((_, index): Step<Sequence> => ({
    atMs: createdMs + (index + 1) * 60_000,
    actorId: owner.id,
    values: { stepCount: index + 1, stepRevision: index + 1 },
  }))
  const activatedMs = createdMs + hourMs
  const activated: Step<Sequence> = {
    atMs: activatedMs,
    actorId: owner.id,
    values: { status: 'ACTIVE', activatedAt: iso(activatedMs) },
    events: ['sequence.activated'],
    isEventReplaced: true,
  }
  const values = {
    ...common,
    ownerId: owner.id,
    name,
    description,
    entityTypes: ['CONTACT' as const],
    settings: { ...defaultsOf(SequenceSettings), stopOnOpportunityStage: ['CLOSED_WON'] },
    status: 'ACTIVE' as const,
    activatedAt: iso(activatedMs),
    stepCount: steps.length,
    stepRevision: steps.length,
  }
  const created = { status: 'DRAFT' as const, activatedAt: null, stepCount: 0, stepRevision: 0 }
  return withHistory(random, { values, actorId: owner.id, eventId: random.id(createdMs) }, created, [
    ...added,
    activated,
  ])
}

export function stepsOf(
  input: GeneratorInput,
  random: Random,
  owner: DemoUser,
  sequenceId: string,
  texts: readonly StepText[],
  createdMs: number,
): GeneratedStep[] {
  const commons = texts.map((_, index) => commonFields(input, random, createdMs + (index + 1) * 60_000, owner.id))
  return texts.map(({ opened, ...text }, index) => {
    const common = commons[index]!
    const condition = opened && {
      conditions: [{ field: 'enrollment.openedAt', operator: 'IS_NOT_EMPTY' }],
      logic: 'AND' as const,
      onTrueStepId: commons[opened.onTrue - 1]!.id,
      onFalseStepId: commons[opened.onFalse - 1]!.id,
    }
    const values = {
      ...common,
      ...text,
      ownerId: owner.id,
      sequenceId,
      position: index + 1,
      ...(condition && { condition }),
    }
    return { values, actorId: owner.id, eventId: random.id(Date.parse(common.createdAt)) }
  })
}

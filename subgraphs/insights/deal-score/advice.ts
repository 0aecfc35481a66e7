import type { FactorKey, Health } from './factors.ts'

interface Advice {
  readonly risk: string
  readonly strength: string
  readonly action: string
}

const advice: Readonly<Record<FactorKey, Advice>> = {
  RECENCY: {
    risk: 'There was no recent contact in which the customer took part.',
    strength: 'The customer was in contact recently.',
    action: 'Call the customer, or agree on a meeting.',
  },
  MOMENTUM: {
    risk: 'There is less activity than two weeks ago.',
    strength: 'There is more activity than two weeks ago.',
    action: 'Find out why the customer is less active.',
  },
  STAGE_PACE: {
    risk: 'The deal has been in its stage longer than usual.',
    strength: 'The deal is in its stage no longer than usual.',
    action: 'Move the deal to its next stage, or close it.',
  },
  MULTI_THREADING: {
    risk: 'Few contacts take part, or no decision maker is known.',
    strength: 'Several contacts take part, among them a decision maker.',
    action: 'Involve more contacts, and name the decision maker.',
  },
  CLOSE_DATE: {
    risk: 'The close date has passed, was pushed, or is too near.',
    strength: 'The close date is plausible.',
    action: 'Agree on a close date with the customer, and set it.',
  },
  NEXT_STEP: {
    risk: 'There is no next step with a date.',
    strength: 'A next step is planned.',
    action: 'Plan a meeting, or a task with a due date.',
  },
  QUALIFICATION: {
    risk: 'Required fields are empty.',
    strength: 'All required fields are filled.',
    action: 'Fill the required fields.',
  },
  REPLY_RATIO: {
    risk: 'The customer hardly replies.',
    strength: 'The customer replies.',
    action: 'Try another channel, or another contact.',
  },
}

const riskBelow = 0.5
const strengthFrom = 0.75
const actionsMax = 3
/** An action that gains less is not worth its time. */
const gainMin = 1

export interface Finding {
  readonly factor: FactorKey
  readonly text: string
  readonly points: number
}

export interface Findings {
  readonly risks: readonly Finding[]
  readonly strengths: readonly Finding[]
  readonly nextBestActions: readonly Finding[]
}

const byPoints = (a: Finding, b: Finding): number => b.points - a.points

/** What speaks against a deal, what speaks for it, and what would help most. */
export function findingsOf({ factors }: Pick<Health, 'factors'>): Findings {
  const lost = (kind: 'risk' | 'action') => (factor: Health['factors'][number]) => ({
    factor: factor.key,
    text: advice[factor.key][kind],
    points: factor.gainIfFixed,
  })
  return {
    risks: factors
      .filter(({ value }) => value < riskBelow)
      .map(lost('risk'))
      .toSorted(byPoints),
    strengths: factors
      .filter(({ value }) => value >= strengthFrom)
      .map(({ key, contribution }) => ({ factor: key, text: advice[key].strength, points: contribution }))
      .toSorted(byPoints),
    nextBestActions: factors
      .filter(({ gainIfFixed }) => gainIfFixed >= gainMin)
      .map(lost('action'))
      .toSorted(byPoints)
      .slice(0, actionsMax),
  }
}

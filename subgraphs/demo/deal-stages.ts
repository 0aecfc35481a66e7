import { enterStage } from '../crm/opportunity/opportunity.stage.ts'
import type { PipelineStage } from '../crm/pipeline/pipeline.ts'
import type { Opportunity } from '../crm/opportunity/opportunity.ts'
import { dayMs, hourMs, iso, minuteMs, workTime } from './calendar.ts'
import type { Random } from './random.ts'

/** The time that a deal spends in a stage. */
export interface Visit {
  readonly stage: PipelineStage
  readonly enteredMs: number
}

/** How many days deals spend in a stage, from and to; most are near the lower end. */
const daysIn: Readonly<Record<string, readonly [number, number]>> = {
  PROSPECTING: [4, 30],
  QUALIFICATION: [4, 24],
  NEEDS_ANALYSIS: [6, 28],
  PROPOSAL: [5, 24],
  NEGOTIATION: [3, 20],
}

export interface Plan {
  /** The stages in which the deal is, one after another. */
  readonly stages: readonly PipelineStage[]
  /** The days in each stage; the last one is the time until the present in an open deal. */
  readonly days: readonly number[]
}

/** A way through the stages of the pipeline. An open deal ends in an open stage, and a lost one leaves from any. */
export function planOf(
  random: Random,
  pipeline: readonly PipelineStage[],
  target: 'WON' | 'LOST' | 'OPEN',
  firstStage: number,
): Plan {
  const open = pipeline.filter(({ kind }) => kind === 'OPEN')
  const last =
    target === 'WON'
      ? open.length - 1
      : Math.max(
          firstStage,
          Number(
            target === 'OPEN'
              ? random.weighted({ '0': 22, '1': 24, '2': 22, '3': 19, '4': 13 })
              : random.weighted({ '0': 12, '1': 24, '2': 22, '3': 26, '4': 16 }),
          ),
        )
  const visited = open.slice(firstStage, last + 1)
  const closed = pipeline.filter(({ kind }) => kind === target && kind !== 'OPEN')
  return {
    stages: [...visited, ...closed],
    days: visited.map(({ name }) => random.skewed(...(daysIn[name] ?? [4, 20]))),
  }
}

/** The visits of a deal that is created at this time. It is still open if it would be closed after midnight. */
export function visitsOf(random: Random, { stages, days }: Plan, createdMs: number, midnightMs: number): Visit[] {
  const visits: Visit[] = [{ stage: stages[0]!, enteredMs: createdMs }]
  for (const [index, stage] of stages.slice(1).entries()) {
    const { enteredMs } = visits.at(-1)!
    const nextMs = Math.max(enteredMs + hourMs, workTime(random, enteredMs + days[index]! * dayMs))
    if (nextMs > midnightMs - minuteMs) break
    visits.push({ stage, enteredMs: nextMs })
  }
  return visits
}

type Given = Parameters<typeof enterStage>[1]

/** The values of a deal that its owner moved through these visits. `given` are the values that a client set with the last one. */
export function valuesAfter(visits: readonly Visit[], given: Given, userId: string): Partial<Opportunity> {
  return visits.reduce<Partial<Opportunity>>((values, { stage, enteredMs }, index) => {
    const isLast = index === visits.length - 1
    const previous = index === 0 ? null : (values as Opportunity)
    return { ...values, ...enterStage(stage, isLast ? given : {}, previous, { now: iso(enteredMs), userId }).values }
  }, {})
}

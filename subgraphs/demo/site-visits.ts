import type { CustomRecord } from '../extensions/custom-record/custom-record.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { DemoAccount } from './accounts.ts'
import { dayMs, hourMs, iso, workTime } from './calendar.ts'
import { siteVisit } from './definitions.ts'
import { withHistory } from './history.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'
import { visitSubjects } from './vocabulary/custom-fields.ts'

/** How many visits there are, and of these how many are planned. */
const [visits, planned] = [20, 3]
/** Days between two visits of the past, and two that are planned. */
const [pastDays, plannedDays] = [9, 4]

/** On which day a visit is, counted from the last midnight. */
const dayOf = (index: number): number =>
  index < planned ? (index + 1) * plannedDays : (planned - index - 1) * pastDays

/** Visits of the last months, of which the outcome is known, and those that are planned. */
export function demoSiteVisits(
  input: GeneratorInput,
  accounts: readonly DemoAccount[],
): GeneratedRecord<CustomRecord>[] {
  const { profile, midnightMs } = input
  const random = new Random(`site visits ${profile.code}`)
  return Array.from({ length: visits }, (_, index) => {
    const visitMs = workTime(random, midnightMs + dayOf(index) * dayMs)
    const createdMs = workTime(random, Math.min(visitMs, midnightMs) - random.whole(4, 15) * dayMs)
    const customers = accounts.filter(({ given: { values } }) => isVisited(values, createdMs))
    return visitOf(input, random, random.pick(customers), { visitMs, createdMs })
  })
}

/** The worst and the best score of an outcome. */
const scoresOf = { SATISFIED: [4, 5], FOLLOW_UP: [3, 4], COMPLAINT: [1, 2] } as const

/** Whoever is a customer at the time when the visit is planned. */
const isVisited = ({ type, accountStatus, createdAt }: DemoAccount['given']['values'], atMs: number): boolean =>
  type === 'CUSTOMER' && accountStatus === 'ACTIVE' && Date.parse(createdAt) < atMs

function visitOf(
  input: GeneratorInput,
  random: Random,
  { given: account, owner }: DemoAccount,
  { visitMs, createdMs }: { readonly visitMs: number; readonly createdMs: number },
): GeneratedRecord<CustomRecord> {
  const isDone = visitMs < input.midnightMs
  const outcome = random.weighted({ SATISFIED: 55, FOLLOW_UP: 30, COMPLAINT: 15 })
  const known = {
    subject: random.pick(visitSubjects),
    visitDate: iso(visitMs).slice(0, 10),
    account: account.values.id,
  }
  const [worst, best] = scoresOf[outcome]
  const score = random.whole(worst, best)
  const done = { customFields: { ...known, outcome, score } }
  const given: GeneratedRecord<CustomRecord> = {
    values: {
      ...commonFields(input, random, createdMs, owner.id),
      object: siteVisit.objectKey!,
      ownerId: owner.id,
      ...(isDone ? done : { customFields: known }),
    },
    actorId: owner.id,
    eventId: random.id(createdMs),
  }
  if (!isDone) return given
  return withHistory(random, given, { customFields: known }, [
    { atMs: visitMs + 2 * hourMs, actorId: owner.id, values: done },
  ])
}

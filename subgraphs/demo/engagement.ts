import type { Activity } from '../crm/activity/activity.ts'
import type { Task } from '../crm/task/task.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { Case } from '../support/case/case.ts'
import type { DemoAccount } from './accounts.ts'
import { activityBetween, formSubmission, plannedMeeting } from './activities.ts'
import type { DemoContact } from './contacts.ts'
import type { DemoLead } from './leads.ts'
import type { DemoOpportunity } from './opportunities.ts'
import { membersOf, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'
import {
  subjectOfAccount,
  subjectOfCase,
  subjectOfContact,
  subjectOfLead,
  subjectOfOpportunity,
  type Subject,
} from './subjects.ts'
import { seriesFor, taskFor } from './tasks.ts'

interface EngagementInput {
  readonly accounts: readonly DemoAccount[]
  readonly contacts: readonly DemoContact[]
  readonly leads: readonly DemoLead[]
  readonly opportunities: readonly DemoOpportunity[]
  readonly cases: readonly GeneratedRecord<Case>[]
}

/** The records about which people talk and work. */
interface Subjects {
  readonly opportunities: readonly (readonly [DemoOpportunity, Subject])[]
  readonly leads: readonly (readonly [DemoLead, Subject])[]
  readonly cases: readonly Subject[]
  readonly customers: readonly Subject[]
}

export function subjectsOf(input: GeneratorInput, given: EngagementInput): Subjects {
  const { midnightMs, profile } = input
  const contactsOf = Map.groupBy(given.contacts, ({ account }) => account)
  const contactById = new Map(given.contacts.map((contact) => [contact.given.values.id, contact]))
  const agents = membersOf(input, profile.supportTeam)
  const customers = given.accounts.filter(({ given: { values } }) =>
    ['CUSTOMER', 'PARTNER', 'RESELLER'].includes(values.type!),
  )
  return {
    opportunities: given.opportunities.map((one) => [one, subjectOfOpportunity(one, midnightMs)]),
    leads: given.leads.map((one) => [one, subjectOfLead(one, midnightMs)]),
    cases: given.cases.flatMap((one) => {
      const contact = contactById.get(one.values.contactId ?? '')
      const agent = agents.find(({ id }) => id === one.values.assignedToId)
      return contact && agent ? [subjectOfCase(one, contact, agent, midnightMs)] : []
    }),
    customers: customers.flatMap((account) => {
      const people = contactsOf.get(account)!
      return [
        subjectOfAccount(account, people, midnightMs),
        ...people.map((contact) => subjectOfContact(contact, midnightMs)),
      ]
    }),
  }
}

/** Activities with each lead and in each stage of each deal, the others with customers and about cases. */
export function demoActivities(input: GeneratorInput, subjects: Subjects): GeneratedRecord<Activity>[] {
  const { profile, midnightMs } = input
  const random = new Random(`activities ${profile.code}`)
  const activities: GeneratedRecord<Activity>[] = []
  for (const [{ visits }, subject] of subjects.opportunities) {
    for (const [index, { enteredMs, stage }] of visits.entries()) {
      const untilMs = visits[index + 1]?.enteredMs ?? subject.toMs
      const share = index === 0 ? 1 : stage.kind === 'OPEN' ? 0.75 : 0.4
      const count = Number(random.chance(share)) + Number(random.chance(0.1))
      for (let number = 0; number < count; number++)
        activities.push(activityBetween(input, random, subject, enteredMs, untilMs))
    }
    if (visits.at(-1)!.stage.kind === 'OPEN' && random.chance(0.15))
      activities.push(plannedMeeting(input, random, subject))
  }
  for (const [{ given }, subject] of subjects.leads) {
    const { status, leadSource } = given.values
    if (leadSource === 'WEB') activities.push(formSubmission(input, random, subject))
    const count = status === 'NEW' ? 0 : 1 + Number(random.chance(0.25))
    for (let number = 0; number < count; number++)
      activities.push(activityBetween(input, random, subject, subject.fromMs, subject.toMs))
  }
  while (activities.length < profile.activities) {
    const subject = random.pick(random.chance(0.3) ? subjects.cases : subjects.customers)
    activities.push(activityBetween(input, random, subject, subject.fromMs, Math.min(subject.toMs, midnightMs)))
  }
  return activities
}

/** Work on open deals and leads, work that was done for closed ones, series of reviews, and work for customers and cases. */
export function demoTasks(input: GeneratorInput, subjects: Subjects): GeneratedRecord<Task>[] {
  const { profile } = input
  const random = new Random(`tasks ${profile.code}`)
  const tasks: GeneratedRecord<Task>[] = []
  for (const [{ visits }, subject] of subjects.opportunities) {
    if (random.chance(0.45)) tasks.push(taskFor(input, random, subject, 'DONE'))
    const isOpen = visits.at(-1)!.stage.kind === 'OPEN'
    if (isOpen && random.chance(0.65))
      tasks.push(taskFor(input, random, subject, random.chance(0.8) ? 'OPEN' : 'OVERDUE'))
  }
  for (const [{ given }, subject] of subjects.leads) {
    const { status } = given.values
    if (status === 'NEW' || (status === 'CONTACTED' && random.chance(0.5)))
      tasks.push(taskFor(input, random, subject, random.chance(0.85) ? 'OPEN' : 'OVERDUE'))
    else if (random.chance(0.15)) tasks.push(taskFor(input, random, subject, 'DONE'))
  }
  for (const subject of random.some(subjects.customers, Math.ceil(profile.tasks / 40), Math.ceil(profile.tasks / 40)))
    tasks.push(...seriesFor(input, random, subject))
  while (tasks.length < profile.tasks) {
    const isCase = random.chance(0.3)
    const subject = random.pick(isCase ? subjects.cases : subjects.customers)
    tasks.push(taskFor(input, random, subject, isCase || random.chance(0.75) ? 'DONE' : 'OPEN'))
  }
  return tasks.slice(0, profile.tasks)
}

import type { Activity } from '../crm/activity/activity.ts'
import { isOpen } from '../crm/task/task.decision.ts'
import type { Task } from '../crm/task/task.ts'
import type { Link } from '../crm/related-record/related-types.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'

interface Dates {
  readonly lastActivityDate: string | null
  readonly nextActivityDate: string | null
}

/** The activity dates of the records, as the database maintains them when activities and tasks are written. */
export class ActivityDates {
  readonly #last = new Map<string, string>()
  readonly #next = new Map<string, string>()

  constructor(activities: readonly GeneratedRecord<Activity>[], tasks: readonly GeneratedRecord<Task>[]) {
    for (const { values } of activities) {
      if (values.isPlanned) this.#note(this.#next, values, values.occurredAt!, (one, other) => one < other)
      else this.#note(this.#last, values, values.occurredAt!, (one, other) => one > other)
    }
    for (const { values } of tasks) {
      if (values.completedAt) this.#note(this.#last, values, values.completedAt, (one, other) => one > other)
      if (values.dueDate && isOpen(values.status!))
        this.#note(this.#next, values, values.dueDate, (one, other) => one < other)
    }
  }

  of(id: string): Dates {
    return { lastActivityDate: this.#last.get(id) ?? null, nextActivityDate: this.#next.get(id) ?? null }
  }

  #note(
    dates: Map<string, string>,
    links: Partial<Record<Link, string | null>>,
    date: string,
    isBetter: (one: string, other: string) => boolean,
  ): void {
    for (const id of [links.accountId, links.contactId, links.leadId, links.opportunityId]) {
      if (id && (!dates.has(id) || isBetter(date, dates.get(id)!))) dates.set(id, date)
    }
  }
}

interface Dated<T> {
  readonly given: { readonly values: T }
}

/** The generated records with their activity dates. */
export const withDates = <T extends { readonly id: string }, G extends Dated<T>>(
  dates: ActivityDates,
  generated: readonly G[],
): G[] =>
  generated.map((one) => ({
    ...one,
    given: { ...one.given, values: { ...one.given.values, ...dates.of(one.given.values.id) } },
  }))

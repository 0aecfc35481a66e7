import type { Logger } from 'pino'
import { ConcurrencyLimiter } from './concurrency-limiter.ts'
import { openCustomEvents, type CustomEventsPort } from './custom-events.ts'
import { bulkJobs, openJobChanges, undoJobs, type JobKind, type JobsPort } from './job-changes.ts'
import { openListen, type ListenLimits, type ListenPort } from './listen/listen.ts'
import { openNotifications, type NotificationsPort } from './notifications.ts'
import { openRecordChanges, type ChangeFilterOf } from './record-changes.ts'
import type { OpenSubscription, SourceDependencies } from './source.ts'

/** The rules of subscriptions, which the subgraph `events` has. */
export interface LivePort extends ListenPort, CustomEventsPort, NotificationsPort {
  readonly changeFilterOf: ChangeFilterOf
}

/** Events of one organization that are processed at the same time; each takes a few SQL statements. */
const concurrentEventsMax = 4

/** What opens the subscriptions of each root field of the schema. */
export const sourcesOf =
  (live: LivePort, jobs: JobsPort, log: Pick<Logger, 'warn'>, limits: Partial<ListenLimits> = {}) =>
  (dependencies: SourceDependencies): Readonly<Record<string, OpenSubscription>> => {
    const limiter = new ConcurrencyLimiter(concurrentEventsMax)
    const changesOf = (kind: JobKind) => openJobChanges(dependencies, { kind, limiter, port: jobs })
    return {
      recordChanged: openRecordChanges(dependencies, new ConcurrencyLimiter(concurrentEventsMax), (...args) =>
        live.changeFilterOf(...args),
      ),
      customEvents: openCustomEvents(dependencies, live),
      notificationAdded: openNotifications(dependencies, new ConcurrencyLimiter(concurrentEventsMax), live),
      bulkJobChanged: changesOf(bulkJobs),
      undoJobChanged: changesOf(undoJobs),
      webhookListen: openListen(dependencies, live, log, limits),
    }
  }

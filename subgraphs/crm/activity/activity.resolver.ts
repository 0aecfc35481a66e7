import { Resolver } from 'type-graphql'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { activityBegin } from './activity-begin.job.ts'
import {
  activityDates,
  contactActivityDates,
  leadActivityDates,
  leadFirstActivityDates,
} from './activity-dates.migrations.ts'
import { activityTypes } from './activity.inputs.ts'
import { activityDays, activityParticipants, activityTable } from './activity.migrations.ts'
import { activity } from './activity.record.ts'
import { ActivityStats, activityStats } from './activity.stats.ts'
import { Activity } from './activity.ts'
import { activityEntries } from './activity.timeline.ts'

@Resolver(() => Activity)
export class ActivityResolver extends standardResolver(activity, {
  scope: 'ACTIVITIES',
  types: activityTypes,
  stats: { type: ActivityStats, read: activityStats },
}) {}

export const activityResource: Resource = {
  resolver: ActivityResolver,
  entities: { Activity: activity },
  timeline: [activityEntries],
  migrations: [
    activityTable,
    activityDates,
    contactActivityDates,
    leadActivityDates,
    leadFirstActivityDates,
    activityDays,
    activityParticipants,
  ],
  jobs: [activityBegin],
  rest: restArea(activity, {
    path: 'activities',
    filters: [
      'type',
      'outcome',
      'ownerId',
      'actorId',
      'relatedToId',
      'accountId',
      'contactId',
      'leadId',
      'opportunityId',
      'caseId',
      'externalId',
      { name: 'occurredAfter', column: 'occurredAt', operator: 'gte' },
      { name: 'occurredBefore', column: 'occurredAt', operator: 'lt' },
      createdAfter,
      updatedAfter,
    ],
  }),
}

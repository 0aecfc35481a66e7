import { connectionOf, filterOf, pageOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { connectionArgs } from '../../kernel/record/list-args.ts'
import { activity } from '../activity/activity.record.ts'
import { ActivityRevision } from './activity-revision.ts'

/** A caller who sees the activity sees its revisions. `correctActivity` writes them and announces the change of the activity. */
export const activityRevision: RecordDefinition<ActivityRevision> = defineRecord(ActivityRevision, {
  object: 'activity_revision',
  table: 'crm.activity_revision',
  visibleBy: [],
  visibleThrough: { by: 'activityId', to: () => activity },
  searchable: ['subject', 'body'],
  events: { types: {} },
})

export const ActivityRevisionPage = pageOf('ActivityRevisionPage', ActivityRevision, 'ACTIVITIES')
export const ActivityRevisionConnection = connectionOf('ActivityRevision', ActivityRevision, 'ACTIVITIES')
export const ActivityRevisionConnectionArgs = connectionArgs(
  filterOf('ActivityRevisionFilter', ActivityRevision),
  orderOf('ActivityRevisionOrder', ActivityRevision),
)

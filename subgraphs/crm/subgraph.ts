import { bulkResource } from '../kernel/record/bulk-resource.ts'
import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { activityEdgeResources } from './activity/activity-edges.resolver.ts'
import { activity } from './activity/activity.record.ts'
import { activityResource } from './activity/activity.resolver.ts'
import { accountResource } from './account/account.resolver.ts'
import { caseExtensionResource } from './case-extension/case-extension.resolver.ts'
import { taskEdgeResources } from './task/task-edges.resolver.ts'
import { task } from './task/task.record.ts'
import { taskResource } from './task/task.resolver.ts'

export const crm: SubgraphDefinition = {
  name: 'crm',
  resources: [
    accountResource,
    caseExtensionResource,
    taskResource,
    bulkResource(task, 'TASKS'),
    ...taskEdgeResources,
    activityResource,
    bulkResource(activity, 'ACTIVITIES'),
    ...activityEdgeResources,
  ],
}

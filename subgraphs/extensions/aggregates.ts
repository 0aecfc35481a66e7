import { aggregateResource } from '../kernel/record/aggregate/aggregate-resource.ts'
import { countedLog, createdAs } from '../kernel/record/aggregate/counted-shape.ts'
import { createdAfter } from '../kernel/record/rest-area.ts'
import type { Resource } from '../kernel/subgraph/subgraph.ts'
import { CustomFieldFilter } from './custom-field/custom-field.inputs.ts'
import { customField } from './custom-field/custom-field.record.ts'
import { ServerlessFunctionInvocation } from './function/invocation.ts'
import { WorkflowRun } from './workflow/run.types.ts'
import { workflowTypes } from './workflow/workflow.inputs.ts'
import { workflow } from './workflow/workflow.record.ts'

const invocation = countedLog(ServerlessFunctionInvocation, {
  object: 'serverless_function_invocation',
  table: 'extensions.function_invocation',
  by: [
    'functionId',
    'versionId',
    'trigger',
    'status',
    'depth',
    'count',
    'droppedLogs',
    'durationMs',
    'cpuMs',
    'memoryMb',
    'startedAt',
  ],
})

const run = countedLog(WorkflowRun, {
  object: 'workflow_run',
  table: 'extensions.workflow_run',
  by: [
    'workflowId',
    'workflowVersion',
    'status',
    'depth',
    'executedSteps',
    'createdAt',
    'startedAt',
    'resumeAt',
    'endedAt',
  ],
})

/** The aggregates of the record types whose operations are not all standard ones. */
export const extensionsAggregates: readonly Resource[] = [
  aggregateResource(customField, 'READ_CUSTOM_FIELDS', { filter: CustomFieldFilter }),
  aggregateResource(createdAs(invocation, 'startedAt'), 'READ_FUNCTIONS', {
    isForAdministrators: true,
    rule: 'An entry for several THROTTLED invocations is one; the sum of `count` counts each of them.',
    path: 'functions/invocations',
    filters: [
      'functionId',
      'versionId',
      'trigger',
      'status',
      { name: 'startedAfter', column: 'startedAt', operator: 'gt' },
    ],
  }),
  aggregateResource(workflow, 'READ_WORKFLOWS', { args: workflowTypes.AggregateArgs, isForAdministrators: true }),
  aggregateResource(run, 'READ_WORKFLOWS', {
    isForAdministrators: true,
    path: 'workflow-runs',
    filters: ['workflowId', 'workflowVersion', 'status', createdAfter],
  }),
]

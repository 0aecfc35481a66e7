import { Json } from '../../kernel/record/scalars.ts'
import { Part, Structure } from '../../kernel/record/structure.ts'
import { WorkflowOnError, WorkflowStepType } from './workflow.enumerations.ts'

/** A way out of a BRANCH, with conditions as everywhere. */
export interface WorkflowBranch {
  readonly conditions: unknown
  readonly logic?: unknown
  readonly next: string | null
}

@Structure(
  'WorkflowStep',
  'One step of a workflow. Texts of `config` may contain outputs: `{{record.<field>}}` and `{{previous.<field>}}` of the record as the run-as user sees it, `{{input.<name>}}` of the run, `{{steps.<id>.output.<name>}}` of a step before, `{{item}}` and `{{index}}` in a loop, `{{trigger.recordId}}`, `{{run.id}}`; with filters such as `{{record.name | upcase}}`. A text that is one output keeps the type of its value.',
)
export class WorkflowStep {
  @Part(() => String, {
    max: 48,
    filled: true,
    description: 'Id of the step in the workflow: a letter, then letters, digits and underscores.',
    example: 'call',
  })
  id!: string

  @Part(() => WorkflowStepType, { description: 'What it does.', example: 'CREATE_TASK' })
  type!: WorkflowStepType

  @Part(() => String, {
    nullable: true,
    max: 120,
    description: 'Name for people; null for none.',
    example: 'Call the lead',
  })
  name!: string | null

  @Part(() => Json, {
    description: 'The settings of the step, by its type.',
    example: { subject: 'Call {{record.lastName}}', priority: 'HIGH' },
  })
  config!: unknown

  @Part(() => String, {
    nullable: true,
    max: 48,
    description: 'Id of the step that follows; null at the end of the workflow or of the body of a loop.',
    example: null,
  })
  next!: string | null

  @Part(() => Json, {
    nullable: true,
    description:
      'BRANCH: a list of 1 to 20 `{conditions, logic, next}`; the first one whose conditions are met applies. Null for other types.',
    example: null,
  })
  branches!: readonly WorkflowBranch[] | null

  @Part(() => WorkflowOnError, { default: 'FAIL', description: 'What follows when the step fails.', example: 'FAIL' })
  onError!: WorkflowOnError
}

import { mutate } from './graph-call.ts'
import { idSchema } from './record-values.ts'
import { orOutput, settings, text, type StepInput, type StepRun, type StepType } from './step-type.ts'

const dayMs = 86_400_000
const subjectMax = 255

const cut = (value: unknown, max: number): unknown =>
  typeof value === 'string' ? Array.from(value).slice(0, max).join('') : value

/** The record of the run, unless the run began with its deletion. */
function relatedOf({ config, record, scope }: StepRun): StepRun['record'] {
  const { type } = scope['trigger'] as { readonly type: string }
  return config['isRelated'] !== false && type !== 'RECORD_DELETED' && record?.object.isRelatable ? record : null
}

function valuesOf(run: StepRun): StepInput {
  const { subject, description, type, priority, dueInDays, assignedToId } = run.input
  const related = relatedOf(run)
  const dueDate =
    typeof dueInDays === 'number' ? new Date(run.services.clock.now().getTime() + dueInDays * dayMs) : null
  return {
    subject: cut(subject, subjectMax),
    ...(description !== undefined && { description }),
    ...(type !== undefined && { type }),
    ...(priority !== undefined && { priority }),
    ...(assignedToId !== undefined && { assignedToId }),
    ...(dueDate && { dueDate: dueDate.toISOString() }),
    ...(related && { relatedToType: related.object.name, relatedToId: related.id }),
    source: 'WORKFLOW',
  }
}

export const createTask: StepType = {
  type: 'CREATE_TASK',
  schema: settings(
    {
      subject: text(1_000),
      description: text(20_000),
      type: text(100),
      priority: text(100),
      dueInDays: orOutput({ type: 'integer', minimum: 0, maximum: 365 }),
      assignedToId: idSchema,
      isRelated: { type: 'boolean' },
    },
    ['subject'],
  ),
  scopes: () => ['WRITE_TASKS'],
  isRepeatable: () => true,
  /** The due date is part of the input, so that a repetition is the same request. */
  input: (config, mapping, run) => valuesOf({ ...run, input: mapping.filled(config) as StepInput }),
  run: (run) =>
    mutate(
      run,
      'mutation ($input: TaskCreateInput!) { result: taskCreate(input: $input) { id } }',
      { input: run.input },
      (result) => ({
        id: (result as { id: string }).id,
      }),
    ),
}

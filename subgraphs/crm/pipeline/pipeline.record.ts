import { activeUsers } from '../../identity/public.ts'
import { invalid } from '../../kernel/errors.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { relationFromType } from '../../kernel/record/record-registry.ts'
import { pipelineEvents } from './pipeline.events.ts'
import { keepsDefault, pipelineProblems } from './pipeline.rules.ts'
import { fewPipelines, oneDefaultPipeline, uniqueName } from './pipeline.serialized-rules.ts'
import { findPipeline } from './stored-pipeline.ts'
import { Pipeline } from './pipeline.ts'

export const pipeline: RecordDefinition<Pipeline> = defineRecord(Pipeline, {
  object: 'pipeline',
  table: 'crm.pipeline',
  visibleBy: [],
  searchable: ['name'],
  references: { ownerId: activeUsers },
  relations: {
    opportunities: relationFromType(
      'opportunity',
      'pipelineId',
      'Conditions on the opportunities of the pipeline that the caller sees.',
    ),
  },
  events: pipelineEvents,
  async decide(ctx, given, previous) {
    const problems = keepsDefault(given, previous)
    if (problems.length > 0) throw invalid(...problems)
    if (previous || given.stages) return {}
    const copied = await findPipeline(ctx, null)
    return { implied: { stages: copied!.stages.filter(({ isActive }) => isActive) } }
  },
  invariants: pipelineProblems,
  serializedRules: [uniqueName(() => pipeline), fewPipelines, oneDefaultPipeline(() => pipeline)],
})

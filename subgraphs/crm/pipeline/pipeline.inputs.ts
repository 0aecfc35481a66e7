import { createInputOf, filterOf, pageOf, updateInputOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { pipeline } from './pipeline.record.ts'
import { Pipeline } from './pipeline.ts'

export const PipelineCreateInput = createInputOf('PipelineCreateInput', Pipeline)
export const PipelineUpdateInput = updateInputOf('PipelineUpdateInput', Pipeline)
export const PipelinePage = pageOf('PipelinePage', Pipeline, 'OPPORTUNITIES')
export const PipelinePageArgs = pageArgs(
  filterOf('PipelineFilter', Pipeline, pipeline.relations),
  orderOf('PipelineOrder', Pipeline),
)

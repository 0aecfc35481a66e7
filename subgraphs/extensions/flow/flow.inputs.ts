import { ValueArg } from '../../kernel/record/declared-value.ts'
import { createInputOf, filterOf, pageRequiring, updateInputOf } from '../../kernel/record/inputs.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { memberScope } from '../../kernel/scopes.ts'
import { Flow } from './flow.ts'

export const FlowCreateInput = createInputOf('FlowCreateInput', Flow)
export const FlowUpdateInput = updateInputOf('FlowUpdateInput', Flow)
export const FlowPage = pageRequiring('FlowPage', Flow, memberScope)
export const FlowPageArgs = pageArgs(filterOf('FlowFilter', Flow), orderOf('FlowOrder', Flow))

/** The flow of a start. */
export const FlowNameArg = (): ParameterDecorator =>
  ValueArg('apiName', () => String, {
    max: 48,
    filled: true,
    description: '`apiName` of the flow.',
    example: 'new_account',
  }) as ParameterDecorator

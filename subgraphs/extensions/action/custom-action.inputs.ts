import { Field, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { OutputField, ValueArg } from '../../kernel/record/declared-value.ts'
import { createInputOf, filterOf, pageRequiring, updateInputOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { CustomAction } from './custom-action.ts'

export const CustomActionCreateInput = createInputOf('CustomActionCreateInput', CustomAction)
export const CustomActionUpdateInput = updateInputOf('CustomActionUpdateInput', CustomAction)
export const CustomActionPage = pageRequiring('CustomActionPage', CustomAction, 'READ_CUSTOM_ACTIONS')
export const CustomActionPageArgs = pageArgs(
  filterOf('CustomActionFilter', CustomAction),
  orderOf('CustomActionOrder', CustomAction),
)

/** The action of an operation. It is no `ID`, because it may be a name. */
export const ActionArg = () =>
  ValueArg('id', () => String, {
    max: 64,
    filled: true,
    description: 'Id or `apiName` of the action.',
    example: 'check_stock',
  })

export const CustomActionStatus = enumeration('CustomActionStatus', 'How a run of an action ended.', {
  SUCCEEDED: 'It has an output that fits its schema.',
  FAILED: 'It has none. A WRITE action may have had its effect.',
})
export type CustomActionStatus = keyof typeof CustomActionStatus

export const CustomActionFailure = enumeration('CustomActionFailure', 'Why a run of an action failed.', {
  NO_ANSWER: 'The receiver did not answer in time, or could not be reached.',
  STATUS: 'The receiver answered with a status other than 2xx.',
  NOT_JSON: 'The receiver answered with something else than a JSON object.',
  OUTPUT_INVALID: 'The output does not fit `outputSchema`.',
  FUNCTION_FAILED: 'The function failed; its log tells why.',
  OUTPUT_NOT_WRITTEN:
    'The record refused what `outputMapping` makes of the output. The action has had its effect, and the record is unchanged.',
  INTERRUPTED:
    'The process of an earlier request with the same idempotency key has ended while a WRITE action ran that is not `idempotent`. It may have had its effect, so it was not repeated.',
})
export type CustomActionFailure = keyof typeof CustomActionFailure

@ObjectType({ description: 'Why a run of an action failed.' })
@RequiresScopes('INVOKE_FUNCTIONS')
export class CustomActionError {
  @Field(() => CustomActionFailure, { simple: true, description: 'Why, as a code.' })
  code!: CustomActionFailure

  @OutputField(() => String, {
    description: 'Why, as a sentence. Values of secrets are replaced.',
    example: 'The receiver answered with status 404.',
  })
  message!: string
}

@ObjectType({ description: 'What a run of an action did.' })
@RequiresScopes('INVOKE_FUNCTIONS')
export class CustomActionResult {
  @Field(() => CustomActionStatus, { simple: true, description: 'How it ended.' })
  status!: CustomActionStatus

  @OutputField(() => Json, {
    nullable: true,
    description: 'The output, which fits `outputSchema`; null unless it succeeded. Values of secrets are replaced.',
    example: { stock: 14 },
  })
  output!: unknown

  @OutputField(() => CustomActionError, { nullable: true, description: 'Why it failed; null if it succeeded.' })
  error!: CustomActionError | null
}

import { ObjectType, ID } from 'type-graphql'
import { InputField, OutputField, ValueArg } from '../../kernel/record/declared-value.ts'
import { createInputOf, updateInputOf, type RecordInput } from '../../kernel/record/inputs.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { sourceMax } from './bounds.ts'
import { ServerlessFunction } from './function.ts'

export type FunctionInput = RecordInput<ServerlessFunction>

export const ServerlessFunctionCreateInput = createInputOf('ServerlessFunctionCreateInput', ServerlessFunction)
InputField(() => String, {
  nullable: true,
  max: sourceMax,
  filled: true,
  description:
    'Source of version 1, which is compiled and deployed: one ES module whose default export is the handler, a function of `input` and `context`. Null: the function has no version yet.',
  example: 'export default (input: { title: string }) => ({ score: input.title.includes("Chief") ? 90 : 40 })',
})(ServerlessFunctionCreateInput.prototype as object, 'source')

export const ServerlessFunctionUpdateInput = updateInputOf('ServerlessFunctionUpdateInput', ServerlessFunction)

@ObjectType({ description: 'That a function was deleted.' })
@RequiresScope('FUNCTIONS')
export class ServerlessFunctionDeletion {
  @OutputField(() => ID, { description: 'Id of the function.', example: '019a0c5e-7f00-7e52-9b13-4d7c2a9e6f05' })
  id!: string

  @OutputField(() => String, {
    description: 'Its `apiName`, which another function may have now.',
    example: 'score_lead',
  })
  apiName!: string

  @OutputField(() => Boolean, { description: 'Always true.', example: true })
  deleted!: boolean
}

/** The function of an operation. It is no `ID`, because it may be a name. */
export const FunctionArg = () =>
  ValueArg('id', () => String, {
    max: 64,
    filled: true,
    description: 'Id or `apiName` of the function.',
    example: 'score_lead',
  })

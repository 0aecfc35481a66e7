import { Directive } from 'type-graphql'
import { limitTags, type OperationLimits } from '../operation-limits.ts'

/** For operations that need a larger body, a larger answer or more time than others. */
export const Limits =
  (limits: Partial<OperationLimits>): MethodDecorator =>
  (target, name, descriptor) => {
    for (const tag of limitTags(limits)) Directive(`@tag(name: "${tag}")`)(target, name as string, descriptor as never)
  }

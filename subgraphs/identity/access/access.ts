import { Field, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'

export const AccessOperation = enumeration('AccessOperation', 'What a user wants to do with records.', {
  READ: 'Read records.',
  CREATE: 'Create a record.',
  UPDATE: 'Change a record.',
  DELETE: 'Delete a record.',
})
export type AccessOperation = keyof typeof AccessOperation

export const AccessRule = enumeration('AccessRule', 'A rule that decides about access.', {
  STANDING: 'The status of the organization and of the user.',
  ENTITLEMENT: 'The plan of the organization.',
  ROLE: 'The role of the user.',
  VISIBILITY: 'The owners whose records the user sees.',
  FIELD: 'The profile of the user.',
})
export type AccessRule = keyof typeof AccessRule

export const AccessOutcome = enumeration('AccessOutcome', 'The result of one rule.', {
  ALLOWED: 'The rule allows the operation.',
  REFUSED: 'The rule refuses the operation.',
})
export type AccessOutcome = keyof typeof AccessOutcome

@ObjectType({ description: 'The result of one rule.' })
export class AccessReason {
  @Field(() => AccessRule, { simple: true, description: 'The rule that was checked.' })
  rule!: AccessRule

  @Field(() => AccessOutcome, { simple: true, description: 'Whether the rule allows the operation.' })
  outcome!: AccessOutcome

  @Field(() => String, {
    simple: true,
    description: 'The reason in one sentence; for a refusal it begins with the error code, if there is one.',
  })
  detail!: string
}

@ObjectType({
  description:
    'Whether a user may do something with records, by the same rules as for a request. A key or token of the user may have fewer rights.',
})
export class AccessExplanation {
  @Field(() => Boolean, { simple: true, description: 'True if no rule refuses.' })
  allowed!: boolean

  @Field(() => AccessRule, {
    simple: true,
    description: 'The first rule that refuses; if none refuses, the last rule that was checked.',
  })
  rule!: AccessRule

  @Field(() => [AccessReason], { simple: true, description: 'The rules that were evaluated, in order.' })
  reasons!: AccessReason[]
}

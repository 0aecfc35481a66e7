import { Field, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'

export const AccessOperation = enumeration('AccessOperation', ['READ', 'CREATE', 'UPDATE', 'DELETE'])
export type AccessOperation = keyof typeof AccessOperation

export const AccessRule = enumeration(
  'AccessRule',
  ['STANDING', 'ENTITLEMENT', 'ROLE', 'VISIBILITY', 'FIELD'],
  'STANDING: the status of the organization and of the user. ENTITLEMENT: the plan. ROLE: the role of the user. VISIBILITY: the owners whose records the user sees. FIELD: the profile of the user.',
)
export type AccessRule = keyof typeof AccessRule

export const AccessOutcome = enumeration('AccessOutcome', ['ALLOWED', 'REFUSED'])
export type AccessOutcome = keyof typeof AccessOutcome

@ObjectType({ description: 'The result of one rule.' })
export class AccessReason {
  @Field(() => AccessRule, { simple: true })
  rule!: AccessRule

  @Field(() => AccessOutcome, { simple: true })
  outcome!: AccessOutcome

  @Field(() => String, { simple: true })
  detail!: string
}

@ObjectType({
  description:
    'Whether a user may do something with records, by the same rules as for a request. A key or token of the user may have fewer rights.',
})
export class AccessExplanation {
  @Field(() => Boolean, { simple: true })
  allowed!: boolean

  @Field(() => AccessRule, {
    simple: true,
    description: 'The first rule that refuses; if none refuses, the last rule that was checked.',
  })
  rule!: AccessRule

  @Field(() => [AccessReason], { simple: true, description: 'Every rule that was checked, in this order.' })
  reasons!: AccessReason[]
}

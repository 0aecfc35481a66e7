import { Field, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'

export const AccessOperation = enumeration('AccessOperation', ['READ', 'CREATE', 'UPDATE', 'DELETE'])
export type AccessOperation = keyof typeof AccessOperation

export const AccessRule = enumeration(
  'AccessRule',
  ['STANDING', 'ENTITLEMENT', 'ROLE', 'VISIBILITY', 'FIELD'],
  'STANDING: the organization, and the user in it. VISIBILITY: whose records the user sees. FIELD: the profile.',
)
export type AccessRule = keyof typeof AccessRule

export const AccessOutcome = enumeration('AccessOutcome', ['ALLOWED', 'REFUSED'])
export type AccessOutcome = keyof typeof AccessOutcome

@ObjectType({ description: 'What one rule says.' })
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
    'Whether a user may do something with records, by the rules that would judge it. A key or token of the user may reach less.',
})
export class AccessExplanation {
  @Field(() => Boolean, { simple: true })
  allowed!: boolean

  @Field(() => AccessRule, {
    simple: true,
    description: 'The first rule that refuses; otherwise the narrowest that allows.',
  })
  rule!: AccessRule

  @Field(() => [AccessReason], { simple: true, description: 'Every rule that was asked, in the order of asking.' })
  reasons!: AccessReason[]
}

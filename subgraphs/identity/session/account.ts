import { Field, InputType, Int, ObjectType } from 'type-graphql'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { RecordVisibility, UserRole, type User } from '../user/user.ts'

@InputType()
export class EmailInput {
  @Field(() => String)
  email!: string
}

@InputType()
export class ResetCodeInput {
  @Field(() => String)
  email!: string

  @Field(() => String, { description: 'The code of 8 digits in the mail.' })
  code!: string
}

@InputType()
export class ResetPasswordInput extends ResetCodeInput {
  @Field(() => String)
  newPassword!: string
}

@InputType()
export class ChangePasswordInput {
  @Field(() => String)
  currentPassword!: string

  @Field(() => String)
  newPassword!: string
}

@InputType({ description: 'Changes of the profile; absent fields are unchanged.' })
export class UpdateProfileInput {
  @Field(() => String, {
    nullable: true,
    description: 'Full name. If it is absent and firstName or lastName changes, it becomes firstName and lastName.',
  })
  name?: string | null

  @Field(() => String, { nullable: true })
  firstName?: string | null

  @Field(() => String, { nullable: true })
  lastName?: string | null

  @Field(() => String, { nullable: true, description: 'IANA time zone name.' })
  timezone?: string | null

  @Field(() => String, { nullable: true, description: 'BCP 47 language tag.' })
  locale?: string | null
}

@InputType()
export class PartnerInviteInput {
  @Field(() => String)
  email!: string

  @Field(() => UserRole, { nullable: true, defaultValue: 'MEMBER' })
  role?: User['role']

  @Field(() => RecordVisibility, { nullable: true, defaultValue: 'OWN' })
  visibility?: User['visibility']
}

@InputType()
export class AcceptPartnerInviteInput {
  @Field(() => String)
  token!: string

  @Field(() => String, { description: 'A new password, or the password of the account that the person already has.' })
  password!: string

  @Field(() => String)
  firstName!: string

  @Field(() => String)
  lastName!: string
}

@ObjectType({ description: 'The answer is the same for every address, with or without an account.' })
@RequiresScopes('PUBLIC')
export class MailRequested {
  @Field(() => Boolean, { simple: true })
  accepted!: boolean
}

@ObjectType()
@RequiresScopes('PUBLIC')
export class EmailVerified {
  @Field(() => String, { simple: true })
  email!: string

  @Field(() => Boolean, { simple: true })
  emailVerified!: boolean
}

@ObjectType()
@RequiresScopes('PUBLIC')
export class ResetCodeVerified {
  @Field(() => Boolean, { simple: true })
  valid!: boolean

  @Field(() => DateTime, { simple: true })
  expiresAt!: string
}

@ObjectType()
@RequiresScopes('PUBLIC')
export class PasswordChanged {
  @Field(() => DateTime, { simple: true })
  changedAt!: string
}

@ObjectType({
  description:
    'A CSRF token. Send it in the X-CSRF-Token header of every write that is authenticated by the session cookie.',
})
@RequiresScopes('PUBLIC')
export class CsrfToken {
  @Field(() => String, { simple: true })
  csrfToken!: string
}

@ObjectType()
@RequiresScopes('SESSION')
export class SessionCount {
  @Field(() => Int, { simple: true, description: 'Number of active sessions of the person in all organizations.' })
  count!: number
}

@ObjectType()
@RequiresScopes('SESSION')
export class SignedOutEverywhere {
  @Field(() => Int, { simple: true, description: 'Number of sessions that were ended.' })
  sessions!: number

  @Field(() => DateTime, { simple: true })
  endedAt!: string
}

@ObjectType({ description: 'An invitation that was mailed; only the mail contains its token.' })
@RequiresScopes('SESSION')
export class PartnerInvite {
  @Field(() => String, { simple: true })
  email!: string

  @Field(() => UserRole, { simple: true })
  role!: User['role']

  @Field(() => RecordVisibility, { simple: true })
  visibility!: User['visibility']

  @Field(() => DateTime, { simple: true })
  expiresAt!: string
}

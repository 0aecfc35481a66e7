import { Field, InputType, Int, ObjectType } from 'type-graphql'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { RecordVisibility, UserRole, type User } from '../user/user.ts'

@InputType({ description: 'An email address.' })
export class EmailInput {
  @Field(() => String, { description: 'Email address, at most 254 characters.' })
  email!: string
}

@InputType({ description: 'A mailed code for setting a new password.' })
export class ResetCodeInput {
  @Field(() => String, { description: 'Email address, at most 254 characters.' })
  email!: string

  @Field(() => String, { description: 'The mailed code, 8 digits.' })
  code!: string
}

@InputType({ description: 'A mailed code and the new password.' })
export class ResetPasswordInput extends ResetCodeInput {
  @Field(() => String, {
    description:
      'Password, 12 to 256 characters, with at least one upper-case letter, one lower-case letter, one digit and one symbol.',
  })
  newPassword!: string
}

@InputType({ description: 'The present password and the new one.' })
export class ChangePasswordInput {
  @Field(() => String, { description: 'Current password, at most 256 characters.' })
  currentPassword!: string

  @Field(() => String, {
    description:
      'Password, 12 to 256 characters, with at least one upper-case letter, one lower-case letter, one digit and one symbol.',
  })
  newPassword!: string
}

@InputType({ description: 'Changes of the profile; absent fields are unchanged.' })
export class UpdateProfileInput {
  @Field(() => String, {
    nullable: true,
    description: 'Full name. If it is absent and firstName or lastName changes, it becomes firstName and lastName.',
  })
  name?: string | null

  @Field(() => String, { nullable: true, description: 'First name, at most 255 characters; null clears it.' })
  firstName?: string | null

  @Field(() => String, { nullable: true, description: 'Last name, at most 255 characters; null clears it.' })
  lastName?: string | null

  @Field(() => String, { nullable: true, description: 'Time zone as IANA name, at most 64 characters.' })
  timezone?: string | null

  @Field(() => String, { nullable: true, description: 'Language as BCP 47 tag, at most 35 characters.' })
  locale?: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'URL of a picture, with https and at most 500 characters; null removes it. All members of the organization see it.',
  })
  avatar?: string | null
}

@InputType({ description: 'A person to invite.' })
export class PartnerInviteInput {
  @Field(() => String, { description: 'Email address to invite, at most 254 characters.' })
  email!: string

  @Field(() => UserRole, { nullable: true, defaultValue: 'MEMBER', description: 'Role of the user.' })
  role?: User['role']

  @Field(() => RecordVisibility, { nullable: true, defaultValue: 'OWN', description: 'Record visibility of the user.' })
  visibility?: User['visibility']
}

@InputType({ description: 'The token of an invitation, and the person who accepts it.' })
export class AcceptPartnerInviteInput {
  @Field(() => String, { description: 'One-time token from the mail, 1 to 100 characters.' })
  token!: string

  @Field(() => String, { description: 'A new password, or the password of the account that the person already has.' })
  password!: string

  @Field(() => String, { description: 'First name, 1 to 255 characters.' })
  firstName!: string

  @Field(() => String, { description: 'Last name, 1 to 255 characters.' })
  lastName!: string
}

@ObjectType({ description: 'The answer is the same for every address, with or without an account.' })
@RequiresScopes('PUBLIC')
export class MailRequested {
  @Field(() => Boolean, { simple: true, description: 'Always true.' })
  accepted!: boolean
}

@ObjectType({ description: 'A verified email address.' })
@RequiresScopes('PUBLIC')
export class EmailVerified {
  @Field(() => String, { simple: true, description: 'The verified address.' })
  email!: string

  @Field(() => Boolean, { simple: true, description: 'Always true.' })
  emailVerified!: boolean
}

@ObjectType({ description: 'A mailed code that can still be used.' })
@RequiresScopes('PUBLIC')
export class ResetCodeVerified {
  @Field(() => Boolean, { simple: true, description: 'Always true.' })
  valid!: boolean

  @Field(() => DateTime, { simple: true, description: 'When the code expires.' })
  expiresAt!: string
}

@ObjectType({ description: 'The time of a password change.' })
@RequiresScopes('PUBLIC')
export class PasswordChanged {
  @Field(() => DateTime, { simple: true, description: 'When the password was changed.' })
  changedAt!: string
}

@ObjectType({
  description:
    'A CSRF token. Send it in the X-CSRF-Token header of every write that is authenticated by the session cookie.',
})
@RequiresScopes('PUBLIC')
export class CsrfToken {
  @Field(() => String, { simple: true, description: 'CSRF token, to send as the header `X-CSRF-Token`.' })
  csrfToken!: string
}

@ObjectType({ description: 'The number of active sessions.' })
@RequiresScopes('SESSION')
export class SessionCount {
  @Field(() => Int, { simple: true, description: 'Number of active sessions of the person in all organizations.' })
  count!: number
}

@ObjectType({ description: 'The result of signing out everywhere.' })
@RequiresScopes('SESSION')
export class SignedOutEverywhere {
  @Field(() => Int, { simple: true, description: 'Number of sessions that ended.' })
  sessions!: number

  @Field(() => DateTime, { simple: true, description: 'When they ended.' })
  endedAt!: string
}

@ObjectType({ description: 'An invitation that was mailed; only the mail contains its token.' })
@RequiresScopes('SESSION')
export class PartnerInvite {
  @Field(() => String, { simple: true, description: 'Address to which the invitation was mailed, in lower case.' })
  email!: string

  @Field(() => UserRole, { simple: true, description: 'Role that the user gets.' })
  role!: User['role']

  @Field(() => RecordVisibility, { simple: true, description: 'Record visibility that the user gets.' })
  visibility!: User['visibility']

  @Field(() => DateTime, { simple: true, description: 'When the invitation expires, 7 days after the mail.' })
  expiresAt!: string
}

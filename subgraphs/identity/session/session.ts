import { Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { Organization } from '../organization/organization.ts'
import { User } from '../user/user.ts'

@ObjectType({ description: 'The result of a sign-in: a user in an organization, and the tokens of a session.' })
@RequiresScopes('PUBLIC')
export class SignedIn {
  @Field(() => String, { simple: true, description: 'Access token (JWT), to send as `Authorization: Bearer <token>`.' })
  accessToken!: string

  @Field(() => String, { simple: true, description: 'Always Bearer.' })
  tokenType!: string

  @Field(() => Int, { simple: true, description: 'Lifetime of the access token in seconds.' })
  expiresIn!: number

  @Field(() => String, { simple: true, description: 'Refresh token for one refresh, which returns the next one.' })
  refreshToken!: string

  @Field(() => String, {
    simple: true,
    description: 'CSRF token, needed for requests that change something and use the cookie `access_token`.',
  })
  csrfToken!: string

  @Field(() => String, {
    simple: true,
    description:
      'Device token, valid for 180 days. Store it on the device and send it with the next sign-in, so that failed sign-ins of other people cannot throttle this device. It is not a credential.',
  })
  deviceToken!: string

  @Field(() => User, { simple: true, description: 'A person as a user of one organization.' })
  user!: User

  @Field(() => Organization, { simple: true, description: 'The organization (tenant) of a user.' })
  organization!: Organization
}

@ObjectType({ description: 'A session that has ended.' })
@RequiresScopes('SESSION')
export class SignedOut {
  @Field(() => ID, { simple: true, description: 'Id of the session that ended.' })
  sessionId!: string

  @Field(() => DateTime, { simple: true, description: 'When it ended.' })
  endedAt!: string
}

@InputType({ description: 'Email and password of a person.' })
export class LoginInput {
  @Field(() => String, { description: 'Email address, at most 254 characters.' })
  email!: string

  @Field(() => String, { description: 'Password, at most 256 characters.' })
  password!: string

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the organization to sign in to. Absent: the organization of the latest sign-in.',
  })
  organizationId?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Device token of an earlier sign-in on this device, at most 100 characters.',
  })
  deviceToken?: string | null
}

@InputType({
  description: 'A person to register, with `organizationCode` to join an organization or `company` to create one.',
})
export class RegisterInput {
  @Field(() => String, { description: 'Email address, at most 254 characters.' })
  email!: string

  @Field(() => String, {
    description:
      'Password, 12 to 256 characters, with at least one upper-case letter, one lower-case letter, one digit and one symbol.',
  })
  password!: string

  @Field(() => String, {
    nullable: true,
    description:
      'Display name, at most 255 characters. Used only if firstName and lastName are absent; without any name, the part of the email address before the `@` is used.',
  })
  name?: string | null

  @Field(() => String, { nullable: true, description: 'First name, at most 255 characters.' })
  firstName?: string | null

  @Field(() => String, { nullable: true, description: 'Last name, at most 255 characters.' })
  lastName?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Name of the new organization, at most 255 characters. Ignored with organizationCode.',
  })
  company?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Code of an existing organization, which its owners and admins see.',
  })
  organizationCode?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Origin of the web application, for links and branding of mails.',
  })
  origin?: string | null
}

import { Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/scope.ts'
import { Organization } from '../organization/organization.ts'
import { User } from '../user/user.ts'

@ObjectType({ description: 'What a sign-in gives: a user in an organization, and the tokens of a new session.' })
@RequiresScopes('PUBLIC')
export class SignedIn {
  @Field(() => String, { simple: true, description: 'To be sent as `Authorization: Bearer`.' })
  accessToken!: string

  @Field(() => String, { simple: true, description: 'Always `Bearer`.' })
  tokenType!: string

  @Field(() => Int, { simple: true, description: 'Seconds that the access token is valid for.' })
  expiresIn!: number

  @Field(() => String, { simple: true, description: 'Good for one refresh, which gives another.' })
  refreshToken!: string

  @Field(() => String, { simple: true, description: 'For writes of this session that its cookie authenticates.' })
  csrfToken!: string

  @Field(() => String, {
    simple: true,
    description:
      'To be kept on the device and sent with its next sign-in, which strangers then cannot throttle. 180 days.',
  })
  deviceToken!: string

  @Field(() => User, { simple: true })
  user!: User

  @Field(() => Organization, { simple: true })
  organization!: Organization
}

@ObjectType({ description: 'A session that has ended.' })
@RequiresScopes('SESSION')
export class SignedOut {
  @Field(() => ID, { simple: true })
  sessionId!: string

  @Field(() => DateTime, { simple: true })
  endedAt!: string
}

@InputType()
export class LoginInput {
  @Field(() => String)
  email!: string

  @Field(() => String)
  password!: string

  @Field(() => ID, { nullable: true, description: 'Absent: the organization of the latest sign-in.' })
  organizationId?: string | null

  @Field(() => String, { nullable: true, description: 'Of an earlier sign-in to this account on the same device.' })
  deviceToken?: string | null
}

@InputType()
export class RegisterInput {
  @Field(() => String)
  email!: string

  @Field(() => String, {
    description: '12 to 256 characters with an upper-case letter, a lower-case letter, a digit and a symbol.',
  })
  password!: string

  @Field(() => String, { nullable: true, description: 'Used when firstName and lastName are absent.' })
  name?: string | null

  @Field(() => String, { nullable: true })
  firstName?: string | null

  @Field(() => String, { nullable: true })
  lastName?: string | null

  @Field(() => String, { nullable: true, description: 'Name of the organization that is created.' })
  company?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Joins the organization with this code instead of creating one.',
  })
  organizationCode?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Origin of the web application, for links and branding of mails.',
  })
  origin?: string | null
}

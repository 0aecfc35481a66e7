import { Float, ID, Int, ObjectType } from 'type-graphql'
import type { CallerKind, Role, Visibility } from '../../kernel/context.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { memberScope } from '../../kernel/scopes.ts'
import { RecordVisibility, UserRole } from '../user/user.ts'

export const ViewerCredential = enumeration('ViewerCredential', 'With what a request was authenticated.', {
  SESSION: 'The session of a signed-in user: its access token or its cookie.',
  API_KEY: 'An API key of the user.',
  OAUTH: 'The access token of an app.',
  AUTOMATION: 'None: a function, trigger or workflow acts for the user.',
} satisfies Partial<Record<CallerKind, string>>)

@ObjectType({ description: 'The profile whose field-level security applies to the caller.' })
@RequiresScopes(memberScope)
export class ViewerProfile {
  @OutputField(() => ID, { description: 'Id of the profile.', example: '019a0c5e-7f00-7d53-a2e4-3b1f60c7d925' })
  id!: string

  @OutputField(() => String, { description: 'Name of the profile.', example: 'Sales' })
  name!: string

  @OutputField(() => Boolean, {
    description: 'True if it applies because it is the default profile and the user has no other one.',
    example: false,
  })
  isDefault!: boolean
}

@ObjectType({ description: 'The organization in which the caller acts.' })
@RequiresScopes(memberScope)
export class ViewerOrganization {
  @OutputField(() => ID, { description: 'Id of the organization.', example: '019a0c5e-7f00-7b11-9c42-5a7d3e80f164' })
  id!: string

  @OutputField(() => String, { description: 'Name of the organization.', example: 'Acme' })
  name!: string

  @OutputField(() => String, {
    description: 'Time zone of its days, months and fiscal years as IANA name; UTC until it is set.',
    example: 'Europe/Berlin',
  })
  timezone!: string

  @OutputField(() => String, {
    description:
      'ISO 4217 code of the currency into which sums over several currencies are converted; USD until it is set.',
    example: 'EUR',
  })
  baseCurrency!: string

  @OutputField(() => Int, { description: 'Month in which its fiscal year begins, 1 to 12.', example: 1 })
  fiscalYearStartMonth!: number

  @OutputField(() => String, {
    list: true,
    description: 'Names of the features that its plan includes.',
    example: ['forecasting'],
  })
  entitlements!: readonly string[]
}

@ObjectType({
  description:
    'The quota of requests of an API key or an app. The `RateLimit-*` headers of each answer say what is left.',
})
@RequiresScopes(memberScope)
export class ViewerQuota {
  @OutputField(() => Int, { description: 'Number of requests in one window.', example: 5000 })
  limit!: number

  @OutputField(() => String, { description: 'Length of the window: MINUTE, HOUR or DAY.', example: 'HOUR' })
  window!: string
}

@ObjectType({ description: 'What one request may take, for every caller.' })
@RequiresScopes(memberScope)
export class ViewerLimits {
  @OutputField(() => Int, {
    description: 'Bytes of the body of a request, unless an operation says another limit.',
    example: 1048576,
  })
  requestBytes!: number

  @OutputField(() => Int, {
    description: 'Bytes of JSON in an answer, unless an operation says another limit.',
    example: 4194304,
  })
  answerBytes!: number

  @OutputField(() => Int, { description: 'Records on one page of a list.', example: 100 })
  pageRecords!: number

  @OutputField(() => Float, {
    nullable: true,
    description: 'Bytes that the organization may store; null without a limit.',
    example: 10737418240,
  })
  storedBytes!: number | null
}

@ObjectType({ description: 'A currency with a rate that applies today.' })
@RequiresScopes(memberScope)
export class ViewerRate {
  @OutputField(() => String, { description: 'ISO 4217 code of the currency.', example: 'USD' })
  currency!: string

  @OutputField(() => Decimal, { description: 'Value of one unit in the base currency today.', example: 0.92 })
  rate!: ExactNumber

  @OutputField(() => String, { description: 'First day of this rate, `YYYY-MM-DD`.', example: '2026-11-01' })
  since!: string
}

@ObjectType({
  description: 'Who the caller is and what it has: the user, the organization, the credential, its limits and rates.',
})
@RequiresScopes(memberScope)
export class Viewer {
  @OutputField(() => ViewerCredential, { description: 'With what the request was authenticated.', example: 'API_KEY' })
  credential!: keyof typeof ViewerCredential

  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the API key, the session, or the grant of the app; null for an automation.',
    example: '019a0c5e-7f00-7f7e-b3a9-2c8d14e5f960',
  })
  credentialId!: string | null

  @OutputField(() => String, {
    list: true,
    nullable: true,
    description:
      'Scopes of the credential as granted, sorted: WRITE_ scopes include their READ_ scope, `*` all. Null for a session, which may do what the role of its user permits.',
    example: ['READ_ACCOUNTS', 'WRITE_OPPORTUNITIES'],
  })
  scopes!: readonly string[] | null

  @NamesRecord('user')
  @OutputField(() => ID, { description: 'Id of the user.', example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713' })
  userId!: string

  @OutputField(() => String, { description: 'Name of the user.', example: 'Ann Lee' })
  name!: string

  @OutputField(() => String, {
    description: 'Email address of the user, in lower case.',
    example: 'ann.lee@example.com',
  })
  email!: string

  @OutputField(() => String, { description: 'Time zone of the user as IANA name.', example: 'Europe/Berlin' })
  timezone!: string

  @OutputField(() => String, { description: 'Language of the user as BCP 47 tag.', example: 'en' })
  locale!: string

  @OutputField(() => UserRole, { description: 'Role of the user.', example: 'MEMBER' })
  role!: Role

  @OutputField(() => RecordVisibility, { description: 'The records that the user sees.', example: 'TEAM' })
  visibility!: Visibility

  @OutputField(() => ViewerProfile, {
    nullable: true,
    description: 'The profile whose field-level security applies; null if every field can be read and changed.',
  })
  profile!: ViewerProfile | null

  @OutputField(() => ViewerOrganization, {
    description: 'The organization in which the caller acts, with its time zone and currency.',
  })
  organization!: ViewerOrganization

  @OutputField(() => ViewerQuota, {
    nullable: true,
    description: 'The quota of the API key or app; null for a session and an automation.',
  })
  quota!: ViewerQuota | null

  @OutputField(() => ViewerLimits, { description: 'What one request may take.' })
  limits!: ViewerLimits

  @OutputField(() => ViewerRate, {
    list: true,
    description: 'Exchange rates of today to the base currency of the organization, by currency.',
  })
  rates!: readonly ViewerRate[]

  @OutputField(() => String, {
    description:
      'Cursor of the latest event of the organization at some moment of this request; "0" before the first event. A client that asks for it in a request before its first read of records, and then subscribes with it as `after`, misses no change that the read does not contain.',
    example: '4711',
  })
  eventCursor!: string

  @OutputField(() => DateTime, { description: 'The time of the server.', example: '2026-11-20T09:30:00.000Z' })
  now!: string
}

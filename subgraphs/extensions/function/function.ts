import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { ManagedBy } from '../../kernel/record/managed-by.ts'
import {
  allowedHostsMax,
  descriptionMax,
  envVarMax,
  envVarsCharactersMax,
  envVarsMax,
  eventTypesMax,
  memoryBounds,
  memoryDefault,
  nameMax,
  scheduleMax,
  scopesMax,
  secretsMax,
  timeoutBounds,
  timeoutDefault,
} from './bounds.ts'
import { FunctionLanguage } from './function.enumerations.ts'

const user = '019a0c5e-7f00-7c1d-8f21-64d0a95be713'
const time = '2026-11-02T08:15:00.000Z'

@ObjectType({
  description:
    'A serverless function of the organization: settings, and versions of its source, one of which is deployed. Its answers contain names of secrets and never their values. For owners and admins.',
})
@Directive('@key(fields: "id")')
@RequiresScope('FUNCTIONS')
@Entity({ schema: 'extensions', tableName: 'function_with_state' })
export class ServerlessFunction {
  @Column(() => ID, {
    writable: 'NEVER',
    example: '019a0c5e-7f00-7e52-9b13-4d7c2a9e6f05',
    description: 'Id of the function. It never changes.',
  })
  id!: string

  @Column(() => ID, {
    writable: 'NEVER',
    example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
    description: 'Id of the organization to which the function belongs. It never changes.',
  })
  organizationId!: string

  @Column(() => String, {
    writable: 'ON_CREATE',
    max: 48,
    description:
      'Name by which paths and steps of workflows refer to the function: 2 to 48 lower-case letters, digits and underscores, first a letter. Unique among the functions of the organization; it never changes.',
    example: 'score_lead',
  })
  apiName!: string

  @Column(() => String, { max: nameMax, filled: true, description: 'Name for people.', example: 'Score a lead' })
  name!: string

  @Column(() => String, {
    nullable: true,
    max: descriptionMax,
    description: 'What it does; null if not described.',
    example: 'Scores a lead by its title.',
  })
  description!: string | null

  @Column(() => FunctionLanguage, {
    writable: 'ON_CREATE',
    default: 'typescript',
    description: 'Language of `source` on create. Each version names its own.',
    example: 'typescript',
  })
  language!: FunctionLanguage

  @Column(() => Json, {
    default: {},
    description: `Configuration that is no secret, readable as \`context.env\`: names in UPPER_SNAKE_CASE with at most 64 characters, each with a text of at most ${envVarMax}; at most ${envVarsMax} names and ${envVarsCharactersMax} characters together. A change replaces all of them. A function that an app brought also reads \`context.env.APP_SETTINGS\`: what the organization set for the app, as a JSON text.`,
    example: { SCORE_OF_CHIEFS: '90' },
  })
  envVars!: Record<string, string>

  @Column(() => Int, {
    ...timeoutBounds,
    default: timeoutDefault,
    description: 'Milliseconds after which an invocation ends with the status TIMEOUT.',
    example: 5_000,
  })
  timeoutMs!: number

  @Column(() => Int, {
    ...memoryBounds,
    default: memoryDefault,
    description: 'Megabytes (MB) beyond which an invocation ends with the status MEMORY_LIMIT.',
    example: 64,
  })
  memoryMb!: number

  @Column(() => [String], {
    max: 253,
    maxItems: allowedHostsMax,
    filled: true,
    description:
      'Hosts that `fetch` may reach, by https on port 443: `api.example.com`, or `*.example.com` for every name below example.com, but not example.com itself. No addresses. Empty: none.',
    example: [],
  })
  allowedHosts!: string[]

  @Column(() => ID, {
    derivedDefault: 'the caller',
    description:
      'Id of the user as whom `context.api` acts: an active user. Role, visibility and field security are those that the user has at each invocation; while the user is not active, invocations fail. Only owners may name an owner.',
    example: user,
    user: { field: 'runAsUser', description: 'The user as whom the function acts.' },
  })
  runAsUserId!: string

  @Column(() => Boolean, {
    description:
      'True if an owner or admin as `runAsUserId` keeps that role and visibility. False: the function then acts as a MEMBER who sees what the teams of the user see.',
    example: false,
  })
  runAsAdmin!: boolean

  @Column(() => [String], {
    max: 64,
    maxItems: scopesMax,
    filled: true,
    description:
      'Scopes of `context.api`: READ_ and WRITE_ scopes such as `READ_LEADS`. Empty: it may call nothing that needs a scope.',
    example: ['READ_LEADS'],
  })
  scopes!: string[]

  @Column(() => Boolean, {
    description: 'True if the function can be invoked by the API. False: that operation answers 404.',
    example: true,
  })
  httpEnabled!: boolean

  @Column(() => [String], {
    max: 120,
    maxItems: eventTypesMax,
    filled: true,
    description:
      'Types of the event catalog of the organization whose events start the function, also of custom objects: `custom_object.<name>.created`. Empty: none.',
    example: [],
  })
  eventTypes!: string[]

  @Column(() => String, {
    nullable: true,
    max: scheduleMax,
    filled: true,
    description:
      'When the function is started: five cron fields (minute, hour, day, month, weekday) in UTC, at most every 5 minutes. Null: never.',
    example: '*/15 8-18 * * 1-5',
  })
  schedule!: string | null

  @Column(() => Boolean, {
    default: true,
    description: 'False if the function is turned off: nothing starts it but a test run.',
    example: true,
  })
  isActive!: boolean

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the version that is deployed; null if none is.',
    example: '019a0c5e-7f00-7f10-8a44-3b6d1e8c2f07',
  })
  deployedVersionId!: string | null

  @Column(() => Int, {
    nullable: true,
    computed: true,
    writable: 'NEVER',
    description: 'Number of the version that is deployed; null if none is.',
    example: 1,
  })
  deployedVersion!: number | null

  @Column(() => [String], {
    computed: true,
    writable: 'NEVER',
    description: 'Names of the secrets of the function, by name. Values are never returned.',
    example: ['CRM_TOKEN'],
  })
  secretNames!: string[]

  @Column(() => Int, {
    writable: 'NEVER',
    example: 1,
    description: 'Version of the settings: 1 on create, increased by 1 with each change. REST sends it as `ETag` too.',
  })
  version!: number

  @Column(() => DateTime, { writable: 'NEVER', example: time, description: 'When the function was created.' })
  createdAt!: string

  @Column(() => DateTime, { writable: 'NEVER', example: time, description: 'When its settings were last changed.' })
  updatedAt!: string

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    example: user,
    description: 'Id of the user who created it; null if the platform did.',
    user: { field: 'createdBy', description: 'The user who created it; null if `createdById` is null.' },
  })
  createdById!: string | null

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    example: user,
    description: 'Id of the user who last changed its settings; null if the platform did.',
    user: { field: 'updatedBy', description: 'The user who last changed it; null if `updatedById` is null.' },
  })
  updatedById!: string | null

  @Column(() => DateTime, { nullable: true, internal: true })
  deletedAt!: string | null

  /** Names of secrets that the files of the function declare; they may not be set. */
  @Column(() => [String], { internal: true, max: 64, maxItems: secretsMax })
  requiredSecrets!: string[]

  @ManagedBy()
  managedBy!: string | null
}

import { ID, InputType, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { pageRequiring } from '../../kernel/record/inputs.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { AppSlot } from './app-package.types.ts'
import { numberMax, slotsMax, slugMax } from './bounds.ts'

const user = '019a0c5e-7f00-7c1d-8f21-64d0a95be713'
const time = '2026-11-02T08:15:00.000Z'
const slug = 'maps'

export const settingsCharactersMax = 10_000

export const InstalledAppStatus = enumeration('InstalledAppStatus', 'How an app stands in an organization.', {
  INSTALLING: 'Its components are being deployed for the first time.',
  INSTALLED: 'It is in use.',
  UPDATING: 'Another version, or other scopes, are being deployed; until then the former ones are in use.',
  UNINSTALLING: 'Its components are being removed.',
  FAILED:
    'It could not be installed: nothing of it is there. The deployment says why; it can be installed again or removed.',
})
export type InstalledAppStatus = keyof typeof InstalledAppStatus

@ObjectType({ description: 'An app that is installed in the organization. Its components change with it only.' })
@RequiresScopes('SESSION')
export class InstalledApp {
  @OutputField(() => ID, { description: 'Id of the installation.', example: '019a0c5e-7f00-7b20-8d11-7a3c5e9f1b02' })
  id!: string

  @OutputField(() => ID, { description: 'Id of the organization.', example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01' })
  organizationId!: string

  @OutputField(() => String, {
    description: 'The name of the app on the platform; `managedBy` of its components.',
    example: slug,
  })
  slug!: string

  @OutputField(() => String, { description: 'Name for people.', example: 'Maps' })
  name!: string

  @OutputField(() => String, {
    description: 'Name of the organization that publishes it, at the time of the installation.',
    example: 'Cartographers',
  })
  publisherName!: string

  @OutputField(() => InstalledAppStatus, { description: 'How it stands.', example: 'INSTALLED' })
  status!: InstalledAppStatus

  @OutputField(() => String, {
    nullable: true,
    description: 'The version that is in use; null while there is none.',
    example: '1.2.0',
  })
  appVersion!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'The newest version that can be installed; null if the app is not published any more.',
    example: '1.3.0',
  })
  latestVersion!: string | null

  @OutputField(() => String, {
    list: true,
    description: 'The scopes that the organization granted. Its functions, and its tokens here, have no others.',
    example: ['READ_ACCOUNTS'],
  })
  scopes!: string[]

  @OutputField(() => Json, {
    description: 'What the organization set for it. The app reads it from `GET /v1/app-runtime/installation`.',
    example: { region: 'north' },
  })
  settings!: unknown

  @OutputField(() => Json, {
    nullable: true,
    description: 'The JSON Schema of its settings; null if it has none.',
    example: { type: 'object', properties: { region: { type: 'string' } } },
  })
  settingsSchema!: unknown

  @OutputField(() => AppSlot, {
    list: true,
    maxItems: slotsMax,
    description: 'The places of layouts and pages that it fills.',
  })
  slots!: AppSlot[]

  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the OAuth app that acts for it; null if there is none.',
    example: null,
  })
  clientId!: string | null

  @OutputField(() => ID, {
    nullable: true,
    description:
      'Id of the last deployment of its components, at `/v1/metadata/deployments/{id}`: its problems, missing secrets and warnings.',
    example: '019a0c5e-7f00-7d31-8c22-5b7e9a1c4f08',
  })
  deploymentId!: string | null

  @NamesRecord('user')
  @OutputField(() => ID, { nullable: true, description: 'Id of the user who installed it.', example: user })
  installedById!: string | null

  @OutputField(() => DateTime, { description: 'When its installation was requested.', example: time })
  createdAt!: string

  @OutputField(() => DateTime, {
    description: 'When its version, scopes or settings last changed.',
    example: time,
  })
  updatedAt!: string
}

export const InstalledAppPage = pageRequiring('InstalledAppPage', InstalledApp, 'SESSION')

const scopesDescription =
  'The scopes that the organization grants, of those that the version asks for. What the app brings acts with these only; what needs another one is a problem of the deployment.'

@InputType({ description: 'An app to install.' })
export class AppInstallInput {
  @InputField(() => String, { max: slugMax, description: 'The slug of the app in the marketplace.', example: slug })
  slug!: string

  @InputField(() => String, {
    nullable: true,
    max: numberMax,
    description: 'The version; null: the newest.',
    example: '1.2.0',
  })
  appVersion?: string | null

  @InputField(() => String, {
    list: true,
    max: 64,
    maxItems: 200,
    description: scopesDescription,
    example: ['READ_ACCOUNTS'],
  })
  scopes!: string[]

  @InputField(() => Json, {
    nullable: true,
    description: `Settings that fit the schema of the version, at most ${settingsCharactersMax} characters as JSON; null: none.`,
    example: { region: 'north' },
  })
  settings!: unknown
}

@InputType({ description: 'Changes of an installed app; absent fields are not changed.' })
export class InstalledAppUpdateInput {
  @InputField(() => String, {
    nullable: true,
    max: numberMax,
    description:
      'The version to deploy, also an older one. It takes effect as a whole when its deployment succeeds, and until then the former one is in use.',
    example: '1.3.0',
  })
  appVersion?: string | null

  @InputField(() => String, {
    nullable: true,
    list: true,
    max: 64,
    maxItems: 200,
    description: `${scopesDescription} Needed with \`appVersion\` if that version asks for scopes that the version in use does not ask for. A change of scopes deploys the components again.`,
    example: ['READ_ACCOUNTS', 'READ_CONTACTS'],
  })
  scopes?: string[] | null

  @InputField(() => Json, {
    nullable: true,
    description: `All settings, at most ${settingsCharactersMax} characters as JSON. They must fit the schema of the version that is in use, or of \`appVersion\`.`,
    example: { region: 'south' },
  })
  settings!: unknown
}

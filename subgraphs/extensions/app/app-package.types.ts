import { ID, InputType, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { pageRequiring } from '../../kernel/record/inputs.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { filesMax } from '../metadata/bounds.ts'
import { MetadataType } from '../metadata/metadata-type.ts'
import { slotsMax, slotTypesMax, urlMax, versionsMax } from './bounds.ts'

const user = '019a0c5e-7f00-7c1d-8f21-64d0a95be713'
const time = '2026-11-02T08:15:00.000Z'

export const AppListing = enumeration('AppListing', 'Who finds an app in the marketplace.', {
  PRIVATE: 'The organization that publishes it.',
  REQUESTED: 'The same, until the operator of the platform has decided about the request of its publisher.',
  LISTED: 'Every organization.',
})
export type AppListing = keyof typeof AppListing

@ObjectType({ description: 'A place in layouts and pages that an app fills: `app/<slug>:<key>`.' })
export class AppSlot {
  @OutputField(() => String, { description: 'Key of the place in the app.', example: 'map' })
  key!: string

  @OutputField(() => String, { description: 'What people see above it.', example: 'Map' })
  label!: string

  @OutputField(() => String, {
    max: urlMax,
    description: 'What a front end shows in it.',
    example: 'https://maps.example.com/embed',
  })
  url!: string

  @OutputField(() => String, {
    list: true,
    maxItems: slotTypesMax,
    description: 'The record types in whose layouts and pages it can be.',
    example: ['ACCOUNT'],
  })
  objectTypes!: string[]

  @OutputField(() => Int, { description: 'Its height in pixels.', example: 300 })
  height!: number
}

@ObjectType({ description: 'A component that an app brings.' })
export class AppComponent {
  @OutputField(() => MetadataType, { description: 'Its type.', example: 'CUSTOM_FIELD' })
  type!: MetadataType

  @OutputField(() => String, { description: 'Its name.', example: 'ACCOUNT.geo_position' })
  name!: string
}

/** What its publisher and the marketplace say of an app, by its latest version. */
@ObjectType()
export abstract class AppParts {
  @OutputField(() => String, {
    description: 'Name of the app in addresses; no other app of the platform has it.',
    example: 'site-maps',
  })
  slug!: string

  @OutputField(() => String, { description: 'Name of the app.', example: 'Site maps' })
  name!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'What the app does; null if it does not say.',
    example: 'Shows accounts on a map.',
  })
  description!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Home page of the app; null without one.',
    example: 'https://maps.example.com',
  })
  homepageUrl!: string | null

  @OutputField(() => String, { description: 'Number of the latest version.', example: '1.4.0' })
  latestVersion!: string

  @OutputField(() => DateTime, { description: 'When the latest version was published.', example: time })
  publishedAt!: string
}

@ObjectType({ description: 'An app that the organization publishes, with what its latest version says.' })
@RequiresScopes('MANAGE_METADATA')
export class AppPackage extends AppParts {
  @OutputField(() => ID, { description: 'Id of the package.', example: '019a0c5e-7f00-7f41-9d20-6c8a2b3e5d10' })
  id!: string

  @OutputField(() => AppListing, { description: 'Who finds it in the marketplace.', example: 'PRIVATE' })
  listing!: AppListing

  @OutputField(() => Int, { description: `How many versions it has, 1 to ${versionsMax}.`, example: 1 })
  versionCount!: number

  @OutputField(() => DateTime, { description: 'When the first version was published.', example: time })
  createdAt!: string

  @NamesRecord('user')
  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the user who published the first version.',
    example: user,
  })
  createdById!: string | null
}

export const AppPackagePage = pageRequiring('AppPackagePage', AppPackage, 'MANAGE_METADATA')

@InputType({ description: 'Changes of a package; absent fields are not changed.' })
export class AppPackageUpdateInput {
  @InputField(() => Boolean, {
    nullable: true,
    description:
      'True asks for a place in the marketplace, which the operator of the platform approves or refuses; false takes the app or the request back. Null changes nothing.',
    example: true,
  })
  isListed?: boolean | null
}

@ObjectType()
abstract class VersionParts {
  @OutputField(() => ID, { description: 'Id of the package.', example: '019a0c5e-7f00-7f41-9d20-6c8a2b3e5d10' })
  packageId!: string

  @OutputField(() => String, { description: 'Name of the app in addresses.', example: 'site-maps' })
  slug!: string

  @OutputField(() => String, { description: 'Number of the version: major.minor.patch.', example: '1.4.0' })
  number!: string

  @OutputField(() => String, {
    list: true,
    description: 'What the app may do in an organization.',
    example: ['READ_ACCOUNTS'],
  })
  scopes!: string[]

  @OutputField(() => String, {
    nullable: true,
    description: 'What is different in it; null without a note.',
    example: 'Shows visits, too.',
  })
  releaseNotes!: string | null

  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the OAuth app that acts for the app; null: none does.',
    example: null,
  })
  clientId!: string | null

  @OutputField(() => String, {
    description: 'SHA-256 of its files: the same files have the same, however they are sent.',
    example: 'd1b0c0ab1e5a6a1c6b2a7f5f6b4f0d5f4c3b2a190817263544536271809fae0b',
  })
  sha256!: string

  @OutputField(() => DateTime, { description: 'When it was published.', example: time })
  createdAt!: string

  @NamesRecord('user')
  @OutputField(() => ID, { nullable: true, description: 'Id of the user who published it.', example: user })
  createdById!: string | null
}

@ObjectType({ description: 'A version of an app, without what it consists of. It never changes.' })
@RequiresScopes('MANAGE_METADATA')
export class AppVersionSummary extends VersionParts {}

@ObjectType({ description: 'A version of an app. It never changes.' })
@RequiresScopes('MANAGE_METADATA')
export class AppVersion extends VersionParts {
  @OutputField(() => Json, {
    nullable: true,
    description: 'JSON Schema of the settings that an organization stores for the app; null: it has none.',
    example: { type: 'object', properties: { zoom: { type: 'integer', minimum: 1 } } },
  })
  settingsSchema!: Readonly<Record<string, unknown>> | null

  @OutputField(() => AppSlot, {
    list: true,
    maxItems: slotsMax,
    description: 'The places in layouts and pages that it fills; empty if none.',
  })
  slots!: AppSlot[]

  @OutputField(() => AppComponent, {
    list: true,
    maxItems: filesMax,
    description: 'The components that it brings, by type and name; empty if none.',
  })
  components!: AppComponent[]
}

export const AppVersionPage = pageRequiring('AppVersionPage', AppVersionSummary, 'MANAGE_METADATA')

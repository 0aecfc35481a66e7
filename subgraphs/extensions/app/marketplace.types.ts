import { ArgsType, ObjectType } from 'type-graphql'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { pageRequiring } from '../../kernel/record/inputs.ts'
import { NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { filesMax } from '../metadata/bounds.ts'
import { AppComponent, AppParts, AppSlot } from './app-package.types.ts'
import { shownVersionsMax, slotsMax } from './bounds.ts'

const time = '2026-11-02T08:15:00.000Z'

@ArgsType()
export class MarketplaceAppListArgs extends NewestFirstArgs {
  @InputField(() => String, {
    nullable: true,
    max: 200,
    description: 'Text that the slug, the name or the description must contain; null: all apps.',
    example: 'maps',
  })
  search!: string | null
}

@ObjectType()
abstract class MarketplaceParts extends AppParts {
  @OutputField(() => String, {
    description: 'Name of the organization that publishes it, as it was when it published the latest version.',
    example: 'Example Maps Inc.',
  })
  publisherName!: string

  @OutputField(() => Boolean, {
    description:
      'Whether every organization finds it; false for others that the organization can install, such as its own ones.',
    example: true,
  })
  isListed!: boolean
}

@ObjectType({ description: 'An app in the marketplace, without what it consists of.' })
@RequiresScopes('SESSION')
export class MarketplaceAppSummary extends MarketplaceParts {}

@ObjectType({ description: 'A version of an app in the marketplace.' })
@RequiresScopes('SESSION')
export class MarketplaceVersion {
  @OutputField(() => String, { description: 'Number of the version: major.minor.patch.', example: '1.4.0' })
  number!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'What is different in it; null without a note.',
    example: 'Shows visits, too.',
  })
  releaseNotes!: string | null

  @OutputField(() => DateTime, { description: 'When it was published.', example: time })
  createdAt!: string
}

@ObjectType({
  description: 'An app in the marketplace, with what its latest version brings. The content of files is not shown.',
})
@RequiresScopes('SESSION')
export class MarketplaceApp extends MarketplaceParts {
  @OutputField(() => String, {
    list: true,
    description: 'What the app may do in an organization.',
    example: ['READ_ACCOUNTS'],
  })
  scopes!: string[]

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

  @OutputField(() => Boolean, {
    description: 'Whether an OAuth app acts for it, besides its functions.',
    example: false,
  })
  hasClient!: boolean

  @OutputField(() => String, {
    nullable: true,
    description: 'The version that the organization has installed; null if none.',
    example: null,
  })
  installedVersion!: string | null

  @OutputField(() => MarketplaceVersion, {
    list: true,
    maxItems: shownVersionsMax,
    description: `Its versions, newest first, at most ${shownVersionsMax}.`,
  })
  versions!: MarketplaceVersion[]
}

export const MarketplaceAppPage = pageRequiring('MarketplaceAppPage', MarketplaceAppSummary, 'SESSION')
